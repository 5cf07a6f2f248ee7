import type { Result } from '../../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { readPrincipalBody } from '../principal.ts';
import { failUnknownPrefix, Prefix, readPrefix, readTupleEntries, type TupleEntry } from './wire.ts';

/** A Clarity value as a plain tree. */
export type ClarityValue =
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'buffer'; readonly value: Uint8Array }
  /** `address` or `address.contract-name`. */
  | { readonly type: 'principal'; readonly value: string }
  /** string-ascii: one character per byte; string-utf8: malformed sequences read as U+FFFD. */
  | { readonly type: 'string-ascii' | 'string-utf8'; readonly value: string }
  | { readonly type: 'none' }
  | { readonly type: 'some' | 'ok' | 'err'; readonly value: ClarityValue }
  | { readonly type: 'list'; readonly items: readonly ClarityValue[] }
  /** Sorted by the bytes of the names, each name once. */
  | { readonly type: 'tuple'; readonly entries: readonly TupleEntry<ClarityValue>[] };

export type ClarityTuple = Extract<ClarityValue, { type: 'tuple' }>;

const TRUE: ClarityValue = { type: 'bool', value: true };
const FALSE: ClarityValue = { type: 'bool', value: false };
const NONE: ClarityValue = { type: 'none' };

/** The first Clarity value in the bytes (docs/spec/codec.md#clarity-values); bytes after it are ignored. */
export function decodeClarityValue(bytes: Uint8Array): Result<ClarityValue, DecodeError> {
  return decodeWith(bytes, cursor => readClarityValue(cursor, 1));
}

/** The member of a tuple with that name; undefined when it has none. */
export function tupleMember(tuple: ClarityTuple, name: string): ClarityValue | undefined {
  return tuple.entries.find(entry => entry.name === name)?.value;
}

/** Reads one value as a tree. */
function readClarityValue(cursor: Cursor, level: number): ClarityValue {
  const prefix = readPrefix(cursor, level);
  switch (prefix) {
    case Prefix.int:
      return { type: 'int', value: cursor.i128() };
    case Prefix.uint:
      return { type: 'uint', value: cursor.u128() };
    case Prefix.buffer:
      return { type: 'buffer', value: cursor.copy(cursor.u32()) };
    case Prefix.true:
      return TRUE;
    case Prefix.false:
      return FALSE;
    case Prefix.standardPrincipal:
    case Prefix.contractPrincipal:
      return { type: 'principal', value: readPrincipalBody(cursor, prefix === Prefix.contractPrincipal) };
    case Prefix.ok:
      return { type: 'ok', value: readClarityValue(cursor, level + 1) };
    case Prefix.err:
      return { type: 'err', value: readClarityValue(cursor, level + 1) };
    case Prefix.none:
      return NONE;
    case Prefix.some:
      return { type: 'some', value: readClarityValue(cursor, level + 1) };
    case Prefix.list:
      return { type: 'list', items: readItems(cursor, level) };
    case Prefix.tuple:
      return { type: 'tuple', entries: readTupleEntries(cursor, level, readClarityValue) };
    case Prefix.stringAscii:
      return { type: 'string-ascii', value: readText(cursor, 'latin1') };
    case Prefix.stringUtf8:
      return { type: 'string-utf8', value: readText(cursor, 'utf8') };
    default:
      return failUnknownPrefix(cursor, prefix);
  }
}

function readItems(cursor: Cursor, level: number): ClarityValue[] {
  const count = cursor.count(1);
  const items: ClarityValue[] = [];
  for (let i = 0; i < count; i++) items.push(readClarityValue(cursor, level + 1));
  return items;
}

function readText(cursor: Cursor, encoding: 'latin1' | 'utf8'): string {
  const start = cursor.take(cursor.u32());
  return cursor.bytes.toString(encoding, start, cursor.offset);
}
