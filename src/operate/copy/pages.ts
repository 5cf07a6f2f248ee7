import type { Queries, Row, SqlValue, Table } from '../../base/store/database.ts';
import { columnKind, quoteName, quoteNames } from '../../base/store/ddl.ts';

/** Values of a row in the order of the columns, or of a key in the order of `table.key`. */
export type Tuple = readonly SqlValue[];

/** A page ends with the row that passes one of these. A single row can be larger. */
export const MAX_PAGE_ROWS = 5_000;
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** The rows of a table after a key (undefined: all), in the order of the key, in pages that fit in memory. */
export async function* pagesOf(queries: Queries, table: Table, after?: Tuple): AsyncIterable<readonly Tuple[]> {
  const columns = Object.keys(table.columns);
  for (let last = after; ; ) {
    const { where, params } = beyond(table, last);
    const limit = await fittingRows(queries, table, last);
    const sql = `SELECT * FROM ${quoteName(table.name)} ${where} ORDER BY ${quoteNames(table.key)} LIMIT ?`;
    const rows = await queries.all(sql, [...params, limit]);
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    yield rows.map(row => tuple(row, columns));
    last = tuple(lastRow, table.key);
  }
}

/** The last key of a table; undefined while it is empty. */
export async function lastKey(queries: Queries, table: Table): Promise<Tuple | undefined> {
  const order = table.key.map(name => `${quoteName(name)} DESC`).join(', ');
  const sql = `SELECT ${quoteNames(table.key)} FROM ${quoteName(table.name)} ORDER BY ${order} LIMIT 1`;
  const row = await queries.get(sql);
  return row && tuple(row, table.key);
}

export async function countRows(queries: Queries, table: Table): Promise<number> {
  const row = await queries.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoteName(table.name)}`);
  return row?.rows ?? 0;
}

/** Number of rows of the next page. Payloads and records can be of any size, so it measures them before they are read. */
async function fittingRows(queries: Queries, table: Table, after: Tuple | undefined): Promise<number> {
  const lengths = Object.entries(table.columns)
    .filter(([, type]) => columnKind(type).kind !== 'int')
    .map(([name]) => `coalesce(octet_length(${quoteName(name)}), 0)`);
  if (lengths.length === 0) return MAX_PAGE_ROWS;
  const { where, params } = beyond(table, after);
  const sql = `SELECT ${lengths.join(' + ')} AS bytes FROM ${quoteName(table.name)} ${where}
    ORDER BY ${quoteNames(table.key)} LIMIT ${MAX_PAGE_ROWS}`;
  let bytes = 0;
  let rows = 0;
  for (const row of await queries.all<{ bytes: number }>(sql, params)) {
    bytes += row.bytes;
    rows++;
    if (bytes >= MAX_PAGE_BYTES) break;
  }
  return Math.max(rows, 1);
}

function beyond(table: Table, after: Tuple | undefined): { readonly where: string; readonly params: Tuple } {
  if (after === undefined) return { where: '', params: [] };
  return { where: `WHERE (${quoteNames(table.key)}) > (${table.key.map(() => '?').join(', ')})`, params: after };
}

const tuple = (row: Row, names: readonly string[]): Tuple => names.map(name => row[name] ?? null);
