import type { Result } from '../../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { passPrincipalBody, readPrincipalBody } from '../principal.ts';
import { failUnknownPrefix, Prefix, readPrefix, readTupleEntries, SMALLEST_ENTRY, type TupleEntry } from './wire.ts';

/** A string or a principal, as decodeClarityValue reads it. */
interface ShortText {
  readonly type: 'string-ascii' | 'string-utf8' | 'principal';
  readonly value: string;
}

/**
 * Decodes the strings and principals that are direct members of a tuple, in the order of decodeClarityValue, which fails on the same bytes. Skips all
 * other members, and everything nested in them.
 * @param longest most bytes of a string; longer ones are left out
 * @returns an empty list for a value that is not a tuple
 */
export function decodeShortTexts(
  bytes: Uint8Array,
  longest: number,
): Result<readonly TupleEntry<ShortText>[], DecodeError> {
  return decodeWith(bytes, cursor => {
    const prefix = readPrefix(cursor, 1);
    if (prefix === Prefix.tuple) return readShortTexts(cursor, longest);
    passBody(cursor, prefix, 1);
    return [];
  });
}

function readShortTexts(cursor: Cursor, longest: number): TupleEntry<ShortText>[] {
  const start = cursor.offset;
  const entries: TupleEntry<ShortText>[] = [];
  let previous = 0;
  for (let left = cursor.count(SMALLEST_ENTRY); left > 0; left--) {
    const at = cursor.offset;
    cursor.passClarityName();
    // Nodes write tuples sorted. Others are rare: sort them by the general function.
    if (previous > 0 && !isBefore(cursor.bytes, previous, at)) {
      cursor.offset = start;
      return readTupleEntries(cursor, 1, (each, level) => readShortText(each, level, longest)).filter(isShortText);
    }
    previous = at;
    const end = cursor.offset;
    const value = readShortText(cursor, 2, longest);
    // Decode the name only now, as most members are skipped.
    if (value) entries.push({ name: cursor.bytes.toString('latin1', at + 1, end), value });
  }
  return entries;
}

const isShortText = (entry: TupleEntry<ShortText | undefined>): entry is TupleEntry<ShortText> =>
  entry.value !== undefined;

/** Compares two names, each preceded by its length, by their bytes. */
function isBefore(bytes: Uint8Array, one: number, other: number): boolean {
  const length = bytes[one] ?? 0;
  const otherLength = bytes[other] ?? 0;
  for (let i = 1; i <= length && i <= otherLength; i++) {
    const difference = (bytes[one + i] ?? 0) - (bytes[other + i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return length < otherLength;
}

function readShortText(cursor: Cursor, level: number, longest: number): ShortText | undefined {
  const prefix = readPrefix(cursor, level);
  switch (prefix) {
    case Prefix.standardPrincipal:
    case Prefix.contractPrincipal:
      return { type: 'principal', value: readPrincipalBody(cursor, prefix === Prefix.contractPrincipal) };
    case Prefix.stringAscii:
    case Prefix.stringUtf8: {
      const start = cursor.take(cursor.u32());
      if (cursor.offset - start > longest) return undefined;
      return prefix === Prefix.stringAscii
        ? { type: 'string-ascii', value: cursor.bytes.toString('latin1', start, cursor.offset) }
        : { type: 'string-utf8', value: cursor.bytes.toString('utf8', start, cursor.offset) };
    }
    default:
      passBody(cursor, prefix, level);
      return undefined;
  }
}

/** Moves past a value. Malformed bytes fail with the same error as in a decoder. */
const passValue = (cursor: Cursor, level: number): void => passBody(cursor, readPrefix(cursor, level), level);

/** Moves past a value whose prefix was read. */
function passBody(cursor: Cursor, prefix: number, level: number): void {
  switch (prefix) {
    case Prefix.int:
    case Prefix.uint:
      cursor.take(16);
      return;
    case Prefix.buffer:
    case Prefix.stringAscii:
    case Prefix.stringUtf8:
      cursor.take(cursor.u32());
      return;
    case Prefix.true:
    case Prefix.false:
    case Prefix.none:
      return;
    case Prefix.standardPrincipal:
    case Prefix.contractPrincipal:
      passPrincipalBody(cursor, prefix === Prefix.contractPrincipal);
      return;
    case Prefix.ok:
    case Prefix.err:
    case Prefix.some:
      passValue(cursor, level + 1);
      return;
    case Prefix.list:
      for (let left = cursor.count(1); left > 0; left--) passValue(cursor, level + 1);
      return;
    case Prefix.tuple:
      for (let left = cursor.count(SMALLEST_ENTRY); left > 0; left--) {
        cursor.passClarityName();
        passValue(cursor, level + 1);
      }
      return;
    default:
      failUnknownPrefix(cursor, prefix);
  }
}
