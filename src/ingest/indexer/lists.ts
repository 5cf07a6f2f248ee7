import type { Span } from '../../base/lib/span.ts';
import type { Queries, Row, Table } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { halve } from './halving.ts';
import { type Horizon, horizonOf } from './horizon.ts';
import type { LISTS, ListKind } from './tables.ts';

/** A list as it is now. */
export type List = RowOf<typeof LISTS, 'id' | 'length'>;

/** The list of this kind and name, as far as the queries show it; undefined if no entries are shown. */
export async function findList(queries: Queries, kind: ListKind, name: string): Promise<List | undefined> {
  const list = await wholeList(queries, kind, name);
  const horizon = horizonOf(queries);
  if (list === undefined || horizon === undefined) return list;
  const length = await lengthWithin(queries, kind, list, horizon);
  return length === 0 ? undefined : { id: list.id, length };
}

/** The list of this kind and name to its end, also where the queries show the chain as of a block. */
export const wholeList = (queries: Queries, kind: ListKind, name: string): Promise<List | undefined> =>
  queries.get<List>('SELECT id, length FROM lists WHERE kind = ? AND name = ?', [kind.code, name]);

/** As findList, for several lists of a kind at once, by name; without empty lists. */
export async function findLists(
  queries: Queries,
  kind: ListKind,
  names: readonly string[],
): Promise<ReadonlyMap<string, List>> {
  const lists = await allIn<RowOf<typeof LISTS, 'name' | 'id' | 'length'>>(
    queries,
    list => `SELECT name, id, length FROM lists WHERE kind = ? AND name IN ${list}`,
    [...new Set(names)],
    [kind.code],
  );
  const lengths = await lengthsShown(queries, kind, lists);
  return new Map(
    lists.flatMap(({ name, id }, i) => {
      const length = lengths[i] ?? 0;
      return length === 0 ? [] : [[name, { id, length }] as const];
    }),
  );
}

/** Number of entries that the queries show of each list, in one search. @param lists of one kind, with their whole lengths */
export async function lengthsShown(queries: Queries, kind: ListKind, lists: readonly List[]): Promise<number[]> {
  const horizon = horizonOf(queries);
  return horizon ? lengthsWithin(queries, kind, lists, horizon) : lists.map(({ length }) => length);
}

/** Length of a list as of a horizon. */
async function lengthWithin(queries: Queries, kind: ListKind, list: List, horizon: Horizon): Promise<number> {
  const [length = 0] = await lengthsWithin(queries, kind, [list], horizon);
  return length;
}

/** The same for several lists of a kind, in one search. */
async function lengthsWithin(
  queries: Queries,
  kind: ListKind,
  lists: readonly List[],
  horizon: Horizon,
): Promise<number[]> {
  const { column, bound } = await boundWithin(queries, kind, horizon);
  return halve(
    queries,
    { entries: kind.entries, bounds: ['bound'], isBefore: `e.${column} < search.bound` } as const,
    lists.map(({ id, length }) => ({ list: id, from: 0, to: length, bounds: { bound } })),
  );
}

/** The clock column of a kind, and its first value that is not within a horizon. */
export async function boundWithin(
  queries: Queries,
  { clock, entries }: ListKind,
  horizon: Horizon,
): Promise<{ readonly column: string; readonly bound: number }> {
  switch (clock.of) {
    case 'transaction':
      return { column: clock.column, bound: horizon.transactions };
    case 'height':
      return { column: clock.column, bound: horizon.height + 1 };
    case 'block':
      return { column: clock.column, bound: horizon.height };
    case 'burn':
      return { column: clock.column, bound: horizon.burnHeight + 1 };
    case 'list':
      return { column: clock.column, bound: await lengthOfOnly(queries, clock.list) };
    case 'none':
      throw new Error(`${entries.name} cannot be read as of a block: ${clock.reason}`);
    default:
      return clock satisfies never;
  }
}

/** The length of the list that is the only one of its kind, as far as the queries show it. */
export async function lengthOfOnly(queries: Queries, kind: ListKind): Promise<number> {
  const length = await countNumbered(queries, kind.entries);
  const horizon = horizonOf(queries);
  return horizon ? lengthWithin(queries, kind, { id: 0, length }, horizon) : length;
}

/** Number of rows of a table whose `seq` counts from 0 without gaps. */
export async function countNumbered(queries: Queries, table: Table): Promise<number> {
  const row = await queries.get<{ last: number | null }>(`SELECT max(seq) AS last FROM ${table.name}`);
  return (row?.last ?? -1) + 1;
}

/** A slice of a list by position: `order` desc counts from the newest. */
export interface Slice {
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** The positions that a slice of a list of this length covers. */
export function positionsOf({ order, offset, limit }: Slice, length: number): Span {
  const start = Math.min(offset, length);
  const end = Math.min(start + limit, length);
  return order === 'asc' ? { from: start, to: end } : { from: length - end, to: length - start };
}

/**
 * The newest entries of a list after an offset, and the length of the list: one statement where the queries show the chain to its tip.
 * @param columns of the entries `e`
 */
export async function newestEntries<R extends Row>(
  queries: Queries,
  kind: ListKind,
  name: string,
  columns: string,
  { offset, limit }: Omit<Slice, 'order'>,
): Promise<{ readonly length: number; readonly rows: readonly R[] }> {
  if (horizonOf(queries)) {
    const list = await findList(queries, kind, name);
    if (list === undefined) return { length: 0, rows: [] };
    const { from, to } = positionsOf({ order: 'desc', offset, limit }, list.length);
    const sql = `SELECT ${columns} FROM ${kind.entries.name} e WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq DESC`;
    return { length: list.length, rows: await queries.all<R>(sql, [list.id, from, to]) };
  }
  const rows = await queries.all<R & { readonly list_length: number; readonly list_seq: number | null }>(
    `SELECT l.length AS list_length, e.seq AS list_seq, ${columns}
       FROM lists l LEFT JOIN ${kind.entries.name} e ON e.list = l.id AND e.seq < l.length - ? AND e.seq >= l.length - ?
      WHERE l.kind = ? AND l.name = ? ORDER BY e.seq DESC`,
    [offset, Math.min(offset + limit, Number.MAX_SAFE_INTEGER), kind.code, name],
  );
  return { length: rows[0]?.list_length ?? 0, rows: rows.filter(({ list_seq }) => list_seq !== null) };
}

/** Number of entries of a list whose value is below a bound, in a column whose values never fall along the list. */
export async function entriesBelow(
  queries: Queries,
  { entries }: ListKind,
  { id, length }: List,
  column: string,
  bound: number,
): Promise<number> {
  const halving = { entries, bounds: ['bound'], isBefore: `e.${column} < search.bound` } as const;
  const [count = 0] = await halve(queries, halving, [{ list: id, from: 0, to: length, bounds: { bound } }]);
  return count;
}

/** A bound of such a column, and the positions between which it is first reached. */
interface BoundSearch extends Span {
  readonly bound: number;
}

/** The positions of the first entries that reach bounds, by bound. @param column of the entries `e`, or made of them */
export async function firstReaching(
  queries: Queries,
  { entries }: ListKind,
  { id }: List,
  column: string,
  searches: readonly BoundSearch[],
): Promise<Map<number, number>> {
  const halving = { entries, bounds: ['bound'], isBefore: `${column} < search.bound` } as const;
  const positions = await halve(
    queries,
    halving,
    searches.map(({ bound, from, to }) => ({ list: id, from, to, bounds: { bound } })),
  );
  return new Map(searches.map(({ bound }, i) => [bound, positions[i] ?? 0]));
}
