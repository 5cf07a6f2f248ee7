/**
 * fast-check. A short run tries the same cases every time, so that a change is judged by itself; `npm run test:all` goes where nobody
 * was, and a failure names its seed.
 */
import fc from 'fast-check';
import { scale } from './scale.ts';

const USUAL_SEED = 20_261_122;

if (scale === 'short') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: USUAL_SEED });

/** All but surrogates, without a gap. */
const SURROGATES = { from: 0xd800, count: 0x800 };
const character = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map(n => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count));

/** Text of any characters: what `unit: 'binary'` makes, which takes a second to begin with. */
export const anyText = (
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> => fc.string({ ...lengths, unit: character });

export { default } from 'fast-check';
