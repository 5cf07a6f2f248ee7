import { fromHex } from '../../../base/lib/hex.ts';

/** Printable text is everything but controls, formats, private use, unassigned and surrogates. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;
/** White space, and the placeholder for bytes that are not text. */
const SPACES = /[\s\ufffd]+/gu;

/** A memo in the form of version 3: its bytes, and their readable part. @param hex 0x hex */
export const memoRecord = (hex: string) => ({ hex, repr: textOf(hex) });

const textOf = (hex: string): string =>
  Buffer.from(fromHex(hex) ?? [])
    .toString('utf8')
    .replaceAll(UNPRINTABLE, ' ')
    .replaceAll(SPACES, ' ')
    .trim();
