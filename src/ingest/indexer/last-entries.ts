import type { Queries, Table } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { horizonOf } from './horizon.ts';
import { boundWithin } from './lists.ts';
import type { ListKind } from './tables.ts';

/** The last entries of lists, as of a block or below a bound. */

/** The last entry of a list that is below a bound in a column whose values never fall along the list; undefined without such an entry. */
export async function lastEntryBelow<Entries extends Table>(
  queries: Queries,
  kind: ListKind<Entries>,
  name: string,
  column: string,
  bound: number,
): Promise<RowOf<Entries> | undefined> {
  const columns = Object.keys(kind.entries.columns) as (keyof Entries['columns'] & string)[];
  const horizon = horizonOf(queries);
  const clock = horizon && (await boundWithin(queries, kind, horizon));
  const bounds = [{ column, bound }, ...(clock ? [clock] : [])];
  const found = await lastEntriesWithin(queries, kind, { names: [name], columns, bounds });
  return found.get(name) as RowOf<Entries> | undefined;
}

/**
 * The last entries of many lists, as far as the queries show them, by the name of the list. Lists without any are missing.
 * @param columns of the entries to read
 */
export async function lastEntries<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  kind: ListKind<Entries>,
  names: readonly string[],
  columns: readonly Name[],
): Promise<ReadonlyMap<string, RowOf<Entries, Name>>> {
  const horizon = horizonOf(queries);
  const bounds = horizon ? [await boundWithin(queries, kind, horizon)] : [];
  return lastEntriesWithin(queries, kind, { names, columns, bounds });
}

/**
 * Entries at the end of each list that are read one after the other before the rest is halved: 64 of them take as long as three steps of the halving, and of
 * most lists few are above a block near the tip.
 */
const NEAR_END = 64;

interface Bound {
  readonly column: string;
  readonly bound: number;
}

interface LastWanted<Name extends string> {
  readonly names: readonly string[];
  readonly columns: readonly Name[];
  /** In columns whose values never fall along the lists. */
  readonly bounds: readonly Bound[];
}

type Found<Entries extends Table, Name extends keyof Entries['columns'] & string> = RowOf<Entries, Name> & {
  readonly listed: string;
  /** Of the list without the entries near its end. */
  readonly length: number;
  readonly last: number | null;
};

/**
 * The last entries that are below bounds, by the name of the list: those near the ends of their lists in one statement, others by halving the lists.
 * @throws FatalDatabaseError (CORRUPT) when a list lacks an entry that a step of the halving reads, or its last one where there are no bounds
 */
async function lastEntriesWithin<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  kind: ListKind<Entries>,
  wanted: LastWanted<Name>,
): Promise<ReadonlyMap<string, RowOf<Entries, Name>>> {
  const rows = await entriesNearEnd(queries, kind, wanted);
  const found = new Map(rows.flatMap(row => (row.last === null ? [] : [[row.listed, row]])));
  const names = rows.flatMap(({ listed, length, last }) => (last === null && length > 0 ? [listed] : []));
  if (names.length === 0) return found;
  if (wanted.bounds.length === 0) throw new FatalDatabaseError('CORRUPT', `a list of ${kind.entries.name} has a gap`);
  for (const row of await halvedEntries(queries, kind, { ...wanted, names })) found.set(row.listed, row);
  return found;
}

function entriesNearEnd<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  { code, entries }: ListKind<Entries>,
  { names, columns, bounds }: LastWanted<Name>,
): Promise<Found<Entries, Name>[]> {
  const last = `SELECT e.seq FROM ${entries.name} e WHERE e.list = l.id AND e.seq >= l.length - ${NEAR_END}
    ${bounds.map(({ column }) => `AND e.${column} < ?`).join(' ')} ORDER BY e.seq DESC LIMIT 1`;
  const [seq, rest] = bounds.length === 0 ? ['l.length - 1', 'l.length'] : [`(${last})`, `l.length - ${NEAR_END}`];
  return allIn<Found<Entries, Name>>(
    queries,
    list => `WITH ends AS MATERIALIZED (
         SELECT l.name, l.id, ${rest} AS length, ${seq} AS seq FROM lists l WHERE l.kind = ? AND l.name IN ${list}
       )
       SELECT ends.name AS listed, ends.length, ${columnsOf(columns)}
         FROM ends LEFT JOIN ${entries.name} e ON e.list = ends.id AND e.seq = ends.seq`,
    [...new Set(names)],
    [...bounds.map(({ bound }) => bound), code],
  );
}

/** Without the entries near the ends; only lists that have others. */
async function halvedEntries<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  { code, entries }: ListKind<Entries>,
  { names, columns, bounds }: LastWanted<Name>,
): Promise<Found<Entries, Name>[]> {
  const isBefore = bounds.map(({ column }, i) => `e.${column} < search.bound${i}`).join(' AND ');
  const namesOfBounds = bounds.map((_, i) => `, bound${i}`).join('');
  const sameBounds = bounds.map((_, i) => `, search.bound${i}`).join('');
  type Halved = Found<Entries, Name> & { readonly low: number; readonly high: number | null };
  const rows = await allIn<Halved>(
    queries,
    list => `WITH RECURSIVE search (listed, list, length, low, high${namesOfBounds}) AS (
         SELECT name, id, length, CAST(0 AS bigint), length - ${NEAR_END}${', CAST(? AS bigint)'.repeat(bounds.length)}
           FROM lists WHERE kind = ? AND name IN ${list}
         UNION ALL
         SELECT search.listed, search.list, search.length,
                CASE WHEN ${isBefore} THEN e.seq + 1 ELSE search.low END,
                CASE WHEN ${isBefore} THEN search.high ELSE e.seq END${sameBounds}
           FROM search LEFT JOIN ${entries.name} e ON e.list = search.list AND e.seq = (search.low + search.high) / 2
          WHERE search.low < search.high
       )
       SELECT search.listed, search.length, search.low, search.high, ${columnsOf(columns)}
         FROM search LEFT JOIN ${entries.name} e ON e.list = search.list AND e.seq = search.low - 1
        WHERE search.low = search.high OR search.high IS NULL`,
    names,
    [...bounds.map(({ bound }) => bound), code],
  );
  for (const { low, high, last } of rows)
    if (high === null || (low > 0 && last === null))
      throw new FatalDatabaseError('CORRUPT', `a list of ${entries.name} has a gap`);
  return rows.filter(({ low }) => low > 0);
}

const columnsOf = (columns: readonly string[]): string =>
  ['e.seq AS last', ...columns.map(column => `e.${column}`)].join(', ');
