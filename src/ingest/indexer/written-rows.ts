import type { Row, SqlValue, Table } from '../../base/store/database.ts';

/** The values of an entry in the order of the columns of its table. */
export function entryValues({ columns }: Table, entry: Row, list: number, seq: number): SqlValue[] {
  // Begins with an array of the right length. V8 would move a growing literal to the old generation at once, with capacity for 17.
  const values: SqlValue[] = Object.keys(columns);
  for (let i = 0; i < values.length; i++) {
    const name = values[i] as string;
    values[i] = name === 'seq' ? seq : name === 'list' ? list : (entry[name] as SqlValue);
  }
  return values;
}

/** Copies bytes that are a small part of a larger buffer: a cached row would keep all of it in memory. */
export const ownBytes = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array && value.buffer.byteLength > value.length ? new Uint8Array(value) : value;

/**
 * The columns of a row in their order, without any other property of the object: all rows of a table have one shape, which is
 * fast.
 */
export function ownRow(table: Table, row: Row): Row {
  const own: Record<string, SqlValue> = {};
  for (const name in table.columns) own[name] = ownBytes(row[name] as SqlValue);
  return own;
}

/** A text that differs for different keys. Bytes may hold anything, so their length marks where they end. */
export function keyText(key: readonly SqlValue[]): string {
  let text = '';
  for (const part of key) {
    text +=
      typeof part === 'object' && part !== null
        ? `${part.length}x${Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1')}\u0000`
        : `${part}\u0000`;
  }
  return text;
}
