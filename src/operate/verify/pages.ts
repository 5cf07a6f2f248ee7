import type { Queries, Row, SqlValue, Table } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';

export interface PagedQuery {
  /** A SELECT without conditions; its columns include those of the key, by their names. */
  readonly sql: string;
  /** Columns whose values identify a row, in an order that an index has. */
  readonly key: readonly string[];
  /** Only rows with this value in this column, which the index has before the key. */
  readonly of?: readonly [column: string, value: SqlValue];
  /** The table of the key, if `sql` joins several. */
  readonly alias?: string;
  readonly pageSize?: number;
}

/** All rows of a query in the order of their key, a page at a time. */
export async function* pagedRows<R extends Row>(
  queries: Queries,
  { sql, key, of, alias, pageSize = 1_000 }: PagedQuery,
): AsyncIterable<R> {
  const columns = key.map(name => (alias === undefined ? name : `${alias}.${name}`)).join(', ');
  const marks = key.map(() => '?').join(', ');
  let after: SqlValue[] | undefined;
  for (;;) {
    const conditions = [...(of ? [`${of[0]} = ?`] : []), ...(after ? [`(${columns}) > (${marks})`] : [])];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const params = [...(of ? [of[1]] : []), ...(after ?? [])];
    const rows = await queries.all<R>(`${sql} ${where} ORDER BY ${columns} LIMIT ${pageSize}`, params);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = key.map(name => last[name] ?? null);
  }
}

/**
 * All rows of a table in the order of its key, a page at a time.
 * @param columns that the check compares, besides the key: a test counts a column that is selected here as checked
 */
export function tableRows<T extends Table, Name extends keyof T['columns'] & string>(
  queries: Queries,
  table: T,
  columns: readonly Name[],
  pageSize?: number,
): AsyncIterable<RowOf<T, Name | T['key'][number]>> {
  const sql = `SELECT ${[...new Set<string>([...table.key, ...columns])].join(', ')} FROM ${table.name}`;
  return pagedRows(queries, { sql, key: table.key, ...(pageSize !== undefined && { pageSize }) });
}
