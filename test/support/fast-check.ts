/**
 * fast-check. A short run tries the same cases every time, so that a change is judged by itself; `npm run test:all` goes where nobody
 * was, and a failure names its seed.
 */
import fc from 'fast-check';
import { scale } from './scale.ts';

const USUAL_SEED = 20_261_122;

if (scale === 'short') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: USUAL_SEED });

export { default } from 'fast-check';
