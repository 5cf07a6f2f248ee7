import type { Database, SqlValue } from '../../src/base/store/database.ts';
import { table } from '../../src/base/store/table.ts';

/** A table with every kind of column, and a key of one integer. */
export const NOTES = table({
  name: 'notes',
  columns: { id: 'int', title: 'text', body: 'bytes', extra_int: 'int?', extra_text: 'text?', extra_bytes: 'bytes?' },
  key: ['id'],
  indexes: [['title', 'id']],
});

/** A key of two columns, and one more. */
export const PAIRS = table({
  name: 'pairs',
  columns: { who: 'text', what: 'bytes', count: 'int' },
  key: ['who', 'what'],
});

/** A table whose key is the whole row. */
export const MEMBERS = table({ name: 'members', columns: { club: 'int', who: 'text' }, key: ['club', 'who'] });

export const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** A row of NOTES. */
export const note = (id: number, title = `note ${id}`): SqlValue[] => [id, title, bytes(id & 255, 1), null, null, null];

/** How many rows a table has, in a read of its own. */
export async function count(database: Database, table: string): Promise<number> {
  const row = await database.read(q => q.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`));
  return row?.n ?? -1;
}
