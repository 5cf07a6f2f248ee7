import type { Result } from '../../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { readPrincipalBody } from '../principal.ts';
import { escapeAscii, escapeUtf8 } from './string-escape.ts';
import { failUnknownPrefix, Prefix, readPrefix, readTupleEntries } from './wire.ts';

/**
 * The printed form of a serialised Clarity value (docs/spec/codec.md#printed-form), written straight from the bytes. Bytes after the
 * first value are ignored.
 */
export function clarityRepr(bytes: Uint8Array): Result<string, DecodeError> {
  return decodeWith(bytes, cursor => readRepr(cursor, 1));
}

/** Reads one value and gives its printed form. */
export function readRepr(cursor: Cursor, level: number): string {
  const prefix = readPrefix(cursor, level);
  switch (prefix) {
    case Prefix.int:
      return isSmall(cursor) ? smallNumber(cursor) : cursor.i128().toString();
    case Prefix.uint:
      return `u${isSmall(cursor) ? smallNumber(cursor) : cursor.u128().toString()}`;
    case Prefix.buffer:
      return cursor.hex(cursor.u32());
    case Prefix.true:
      return 'true';
    case Prefix.false:
      return 'false';
    case Prefix.standardPrincipal:
    case Prefix.contractPrincipal:
      return `'${readPrincipalBody(cursor, prefix === Prefix.contractPrincipal)}`;
    case Prefix.ok:
      return `(ok ${readRepr(cursor, level + 1)})`;
    case Prefix.err:
      return `(err ${readRepr(cursor, level + 1)})`;
    case Prefix.none:
      return 'none';
    case Prefix.some:
      return `(some ${readRepr(cursor, level + 1)})`;
    case Prefix.list:
      return readListRepr(cursor, level);
    case Prefix.tuple:
      return readTupleRepr(cursor, level);
    case Prefix.stringAscii: {
      const start = cursor.take(cursor.u32());
      return `"${escapeAscii(cursor.bytes, start, cursor.offset)}"`;
    }
    case Prefix.stringUtf8: {
      const start = cursor.take(cursor.u32());
      return `u"${escapeUtf8(cursor.bytes, start, cursor.offset)}"`;
    }
    default:
      return failUnknownPrefix(cursor, prefix);
  }
}

function readListRepr(cursor: Cursor, level: number): string {
  const count = cursor.count(1);
  if (count === 0) return '(list)';
  const items: string[] = [];
  for (let i = 0; i < count; i++) items.push(readRepr(cursor, level + 1));
  return `(list ${items.join(' ')})`;
}

function readTupleRepr(cursor: Cursor, level: number): string {
  let text = '(tuple';
  for (const { name, value } of readTupleEntries(cursor, level, readRepr)) text += ` (${name} ${value})`;
  return `${text})`;
}

/** True when the next 16 bytes are a number that a double holds exactly: nearly all numbers on the chain. */
function isSmall(cursor: Cursor): boolean {
  if (cursor.remaining < 16) return false;
  const at = cursor.offset;
  return cursor.u32At(at) === 0 && cursor.u32At(at + 4) === 0 && cursor.u32At(at + 8) < 0x200000;
}

function smallNumber(cursor: Cursor): string {
  const at = cursor.take(16);
  return String(cursor.u32At(at + 8) * 0x1_0000_0000 + cursor.u32At(at + 12));
}
