import type { Result } from '../../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { readPrincipalBody } from '../principal.ts';
import { failUnknownPrefix, Prefix, readPrefix, readTupleEntries } from './wire.ts';

const UNKNOWN = 'UnknownType';

/** The type of a serialised Clarity value, as far as the value alone determines it (docs/spec/codec.md#type-of-a-value). */
export function clarityTypeName(bytes: Uint8Array): Result<string, DecodeError> {
  return decodeWith(bytes, cursor => readTypeName(cursor, 1));
}

/** Reads one value and gives the text of its type. */
export function readTypeName(cursor: Cursor, level: number): string {
  const prefix = readPrefix(cursor, level);
  switch (prefix) {
    case Prefix.int:
      cursor.take(16);
      return 'int';
    case Prefix.uint:
      cursor.take(16);
      return 'uint';
    case Prefix.buffer:
      return `(buff ${skipSized(cursor)})`;
    case Prefix.true:
    case Prefix.false:
      return 'bool';
    case Prefix.standardPrincipal:
    case Prefix.contractPrincipal:
      readPrincipalBody(cursor, prefix === Prefix.contractPrincipal);
      return 'principal';
    case Prefix.ok:
      return `(response ${readTypeName(cursor, level + 1)} ${UNKNOWN})`;
    case Prefix.err:
      return `(response ${UNKNOWN} ${readTypeName(cursor, level + 1)})`;
    case Prefix.none:
      return `(optional ${UNKNOWN})`;
    case Prefix.some:
      return `(optional ${readTypeName(cursor, level + 1)})`;
    case Prefix.list:
      return readListType(cursor, level);
    case Prefix.tuple: {
      const entries = readTupleEntries(cursor, level, readTypeName);
      return `(tuple${entries.map(({ name, value }) => ` (${name} ${value})`).join('')})`;
    }
    case Prefix.stringAscii:
      return `(string-ascii ${skipSized(cursor)})`;
    case Prefix.stringUtf8:
      return `(string-utf8 ${4 * countCharacters(cursor)})`;
    default:
      return failUnknownPrefix(cursor, prefix);
  }
}

/** A list is of the type of its first element; the others are read only to find its end. */
function readListType(cursor: Cursor, level: number): string {
  const count = cursor.count(1);
  let first = UNKNOWN;
  for (let i = 0; i < count; i++) {
    const type = readTypeName(cursor, level + 1);
    if (i === 0) first = type;
  }
  return `(list ${count} ${first})`;
}

function skipSized(cursor: Cursor): number {
  const length = cursor.u32();
  cursor.take(length);
  return length;
}

function countCharacters(cursor: Cursor): number {
  const start = cursor.take(cursor.u32());
  let count = 0;
  for (const _ of cursor.bytes.toString('utf8', start, cursor.offset)) count++;
  return count;
}
