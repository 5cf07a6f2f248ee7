import { type Cursor, MAX_DEPTH } from '../byte-cursor.ts';

/** The type byte in front of every serialised Clarity value (SIP-005). */
export const Prefix = {
  int: 0x00,
  uint: 0x01,
  buffer: 0x02,
  true: 0x03,
  false: 0x04,
  standardPrincipal: 0x05,
  contractPrincipal: 0x06,
  ok: 0x07,
  err: 0x08,
  none: 0x09,
  some: 0x0a,
  list: 0x0b,
  tuple: 0x0c,
  stringAscii: 0x0d,
  stringUtf8: 0x0e,
} as const;

export interface TupleEntry<T> {
  readonly name: string;
  readonly value: T;
}

/** A name has at least a length byte and one character, a value at least one byte. */
export const SMALLEST_ENTRY = 3;

/** Reads one value of some form (tree, text ...) at a nesting level; the outermost value is at level 1. */
type ValueReader<T> = (cursor: Cursor, level: number) => T;

/** Reads the prefix byte of a value, and refuses values nested too deep. */
export function readPrefix(cursor: Cursor, level: number): number {
  if (level > MAX_DEPTH) cursor.fail('too_deep', `nested deeper than ${MAX_DEPTH} levels`);
  return cursor.u8();
}

export function failUnknownPrefix(cursor: Cursor, prefix: number): never {
  return cursor.fail('invalid_prefix', `no Clarity type has prefix ${prefix}`, cursor.offset - 1);
}

/** Reads the entries of a tuple: sorted by the bytes of their names, and of duplicates the last (docs/spec/codec.md#printed-form). */
export function readTupleEntries<T>(cursor: Cursor, level: number, readValue: ValueReader<T>): TupleEntry<T>[] {
  const count = cursor.count(SMALLEST_ENTRY);
  const entries: TupleEntry<T>[] = [];
  let ascending = true;
  let previous = '';
  for (let i = 0; i < count; i++) {
    const name = cursor.clarityName();
    ascending &&= name > previous;
    previous = name;
    entries.push({ name, value: readValue(cursor, level + 1) });
  }
  return ascending ? entries : sortedLastWins(entries); // nodes write sorted tuples, so sorting is rare
}

function sortedLastWins<T>(entries: readonly TupleEntry<T>[]): TupleEntry<T>[] {
  const byName = new Map(entries.map(entry => [entry.name, entry]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)); // names are ASCII: text order is byte order
}
