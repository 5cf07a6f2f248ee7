import type { Queries, Table } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { LISTS, ListKind } from './tables.ts';

/** A list as it is now. */
export type List = RowOf<typeof LISTS, 'id' | 'length'>;

/** The list of this kind and name; undefined when it has no entries. */
export async function findList(queries: Queries, kind: ListKind, name: string): Promise<List | undefined> {
  return queries.get<List>('SELECT id, length FROM lists WHERE kind = ? AND name = ?', [kind.code, name]);
}

/** A slice of a list by position: `order` desc counts from the newest. */
export interface Slice {
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Positions [from, to) that a slice of a list of this length covers. */
export function positionsOf({ order, offset, limit }: Slice, length: number): { from: number; to: number } {
  const start = Math.min(offset, length);
  const end = Math.min(start + limit, length);
  return order === 'asc' ? { from: start, to: end } : { from: length - end, to: length - start };
}

/**
 * How many of the first entries of a list have less than a bound in a column whose values never fall along the list: found by halving
 * it, in one statement that reads an entry a step.
 */
export async function entriesBelow(
  queries: Queries,
  { entries }: ListKind,
  { id, length }: List,
  column: string,
  bound: number,
): Promise<number> {
  const row = await queries.get<{ count: number }>(
    `WITH RECURSIVE search (low, high) AS (
       VALUES (CAST(0 AS bigint), CAST(? AS bigint))
       UNION ALL
       SELECT CASE WHEN e.${column} < CAST(? AS bigint) THEN e.seq + 1 ELSE search.low END,
              CASE WHEN e.${column} < CAST(? AS bigint) THEN search.high ELSE e.seq END
         FROM search JOIN ${entries.name} e ON e.list = ? AND e.seq = (search.low + search.high) / 2
        WHERE search.low < search.high
     )
     SELECT low AS count FROM search WHERE low = high`,
    [length, bound, bound, id],
  );
  if (!row) throw new Error(`list ${id} of ${entries.name} has a gap`);
  return row.count;
}

/** What is looked for in such a column, and where: the bound is reached at `to` at the latest. */
export interface Search {
  readonly bound: number;
  readonly from: number;
  readonly to: number;
}

/** An engine takes so many rows of VALUES at least. */
const SEARCHES_AT_ONCE = 128;

/** The entries that are the first to reach bounds: found by halving, all at once. @param column of the entries `e`, or made of them */
export async function firstReaching(
  queries: Queries,
  { entries }: ListKind,
  { id }: List,
  column: string,
  searches: readonly Search[],
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (let start = 0; start < searches.length; start += SEARCHES_AT_ONCE) {
    const some = searches.slice(start, start + SEARCHES_AT_ONCE);
    const rows = await queries.all<{ bound: number; position: number }>(
      `WITH RECURSIVE search (bound, low, high) AS (
         VALUES ${some.map(() => '(CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint))').join(', ')}
         UNION ALL
         SELECT search.bound,
                CASE WHEN ${column} < search.bound THEN e.seq + 1 ELSE search.low END,
                CASE WHEN ${column} < search.bound THEN search.high ELSE e.seq END
           FROM search JOIN ${entries.name} e ON e.list = ? AND e.seq = (search.low + search.high) / 2
          WHERE search.low < search.high
       )
       SELECT bound, low AS position FROM search WHERE low = high`,
      [...some.flatMap(({ bound, from, to }) => [bound, from, to]), id],
    );
    for (const { bound, position } of rows) found.set(bound, position);
  }
  return found;
}

/** The last entry of a list that is below a bound in such a column; undefined without such an entry. */
export async function lastEntryBelow<Entries extends Table>(
  queries: Queries,
  kind: ListKind<Entries>,
  name: string,
  column: string,
  bound: number,
): Promise<RowOf<Entries> | undefined> {
  const list = await findList(queries, kind, name);
  const count = list ? await entriesBelow(queries, kind, list, column, bound) : 0;
  if (!list || count === 0) return undefined;
  const sql = `SELECT ${Object.keys(kind.entries.columns).join(', ')} FROM ${kind.entries.name} WHERE list = ? AND seq = ?`;
  return (await queries.get(sql, [list.id, count - 1])) as RowOf<Entries> | undefined;
}
