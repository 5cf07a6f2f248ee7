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
 * The last entries of many lists, as far as the queries show them, by the name of the list. Empty lists are missing.
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
 * Finds the last entry below a bound by interpolation: reads the entry at the place where the bound would be if values grew evenly along the list,
 * computes a closer place from its value, and reads the list backwards from a little behind that:
 *
 *     1,000 entries, the newest has 5,000, bound 4,500: entry 899 has 4,460, from there on entries grow by 5.4, so it is expected at 906
 *     and read from 922 on
 *
 * This takes three seeks and reads a few entries. A binary search of 1,000 entries takes ten seeks.
 */
const SPARE = 16;
/** Most entries to read before a binary search begins. */
const MOST_READ = 64;
/** Places this near the end of the list are read from its end. */
const NEAR_END = MOST_READ - SPARE;

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
  readonly last: number | null;
};

/**
 * The last entries below bounds, by the name of the list: those near their expected place with one statement, the others by binary search.
 * @throws FatalDatabaseError (CORRUPT) when a list lacks an entry that a step of the halving reads, or its last one
 */
async function lastEntriesWithin<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  kind: ListKind<Entries>,
  wanted: LastWanted<Name>,
): Promise<ReadonlyMap<string, RowOf<Entries, Name>>> {
  if (wanted.bounds.length === 0) return newestEntriesOf(queries, kind, wanted);
  const rows = await entriesNearPlace(queries, kind, wanted);
  const found = new Map<string, RowOf<Entries, Name>>();
  const names: string[] = [];
  for (const row of rows) {
    const { listed, length, newest, place, last } = row;
    if (newest === null) throw gapIn(kind);
    // If the first entry read is below the bounds, entries behind it may be, too.
    if (last !== null && (last < place || place === length - 1)) found.set(listed, row);
    else if (last !== null || place >= MOST_READ) names.push(listed);
  }
  if (names.length === 0) return found;
  for (const row of await halvedEntries(queries, kind, { ...wanted, names })) found.set(row.listed, row);
  return found;
}

const gapIn = ({ entries }: ListKind) => new FatalDatabaseError('CORRUPT', `a list of ${entries.name} has a gap`);

async function newestEntriesOf<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  kind: ListKind<Entries>,
  { names, columns }: LastWanted<Name>,
): Promise<ReadonlyMap<string, RowOf<Entries, Name>>> {
  const rows = await allIn<Found<Entries, Name>>(
    queries,
    list => `SELECT l.name AS listed, ${columnsOf(columns)}
       FROM lists l LEFT JOIN ${kind.entries.name} e ON e.list = l.id AND e.seq = l.length - 1
      WHERE l.kind = ? AND l.name IN ${list}`,
    [...new Set(names)],
    [kind.code],
  );
  if (rows.some(({ last }) => last === null)) throw gapIn(kind);
  return new Map(rows.map(row => [row.listed, row]));
}

type Near<Entries extends Table, Name extends keyof Entries['columns'] & string> = Found<Entries, Name> & {
  readonly length: number;
  /** The value of its last entry. */
  readonly newest: number | null;
  /** Where reading began. */
  readonly place: number;
};

/** The place of the first guess; the last entry if all are below the bound. */
const GUESS = 'CASE WHEN newest < bound0 THEN length - 1 ELSE length * bound0 / (newest + 1) END';

function entriesNearPlace<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  { code, entries }: ListKind<Entries>,
  { names, columns, bounds }: LastWanted<Name>,
): Promise<Near<Entries, Name>[]> {
  const [first] = bounds;
  const expected = `guess + (bound0 - guessed) * (length - guess) / (newest - guessed + 1) + ${SPARE}`;
  return allIn<Near<Entries, Name>>(
    queries,
    list => `WITH ends AS MATERIALIZED (
         SELECT l.name, l.id, l.length${bounds.map((_, i) => `, CAST(? AS bigint) AS bound${i}`).join('')},
                (SELECT e.${first?.column} FROM ${entries.name} e WHERE e.list = l.id AND e.seq = l.length - 1) AS newest
           FROM lists l WHERE l.kind = ? AND l.name IN ${list}
       ), guesses AS MATERIALIZED (
         SELECT ends.*, ${GUESS} AS guess,
                (SELECT e.${first?.column} FROM ${entries.name} e WHERE e.list = ends.id AND e.seq = ${GUESS}) AS guessed
           FROM ends
       ), places AS MATERIALIZED (
         SELECT guesses.*, CASE WHEN length - guess < ${NEAR_END} OR guessed IS NULL THEN length - 1 WHEN ${expected} >= length THEN length - 1
                                WHEN ${expected} < 0 THEN 0 ELSE ${expected} END AS place
           FROM guesses
       ), found AS MATERIALIZED (
         SELECT places.*, (SELECT e.seq FROM ${entries.name} e
                            WHERE e.list = places.id AND e.seq <= places.place AND e.seq > places.place - ${MOST_READ}
                                  ${bounds.map(({ column }, i) => `AND e.${column} < places.bound${i}`).join(' ')}
                            ORDER BY e.seq DESC LIMIT 1) AS seq
           FROM places
       )
       SELECT found.name AS listed, found.length, found.newest, found.place, ${columnsOf(columns)}
         FROM found LEFT JOIN ${entries.name} e ON e.list = found.id AND e.seq = found.seq`,
    [...new Set(names)],
    [...bounds.map(({ bound }) => bound), code],
  );
}

/** The last entries below bounds by binary search, wherever they are. */
async function halvedEntries<Entries extends Table, Name extends keyof Entries['columns'] & string>(
  queries: Queries,
  kind: ListKind<Entries>,
  { names, columns, bounds }: LastWanted<Name>,
): Promise<Found<Entries, Name>[]> {
  const { code, entries } = kind;
  const isBefore = bounds.map(({ column }, i) => `e.${column} < search.bound${i}`).join(' AND ');
  const namesOfBounds = bounds.map((_, i) => `, bound${i}`).join('');
  const sameBounds = bounds.map((_, i) => `, search.bound${i}`).join('');
  type Halved = Found<Entries, Name> & { readonly low: number; readonly high: number | null };
  const rows = await allIn<Halved>(
    queries,
    list => `WITH RECURSIVE search (listed, list, low, high${namesOfBounds}) AS (
         SELECT name, id, CAST(0 AS bigint), length${', CAST(? AS bigint)'.repeat(bounds.length)}
           FROM lists WHERE kind = ? AND name IN ${list}
         UNION ALL
         SELECT search.listed, search.list,
                CASE WHEN ${isBefore} THEN e.seq + 1 ELSE search.low END,
                CASE WHEN ${isBefore} THEN search.high ELSE e.seq END${sameBounds}
           FROM search LEFT JOIN ${entries.name} e ON e.list = search.list AND e.seq = (search.low + search.high) / 2
          WHERE search.low < search.high
       )
       SELECT search.listed, search.low, search.high, ${columnsOf(columns)}
         FROM search LEFT JOIN ${entries.name} e ON e.list = search.list AND e.seq = search.low - 1
        WHERE search.low = search.high OR search.high IS NULL`,
    names,
    [...bounds.map(({ bound }) => bound), code],
  );
  for (const { low, high, last } of rows) if (high === null || (low > 0 && last === null)) throw gapIn(kind);
  return rows.filter(({ low }) => low > 0);
}

const columnsOf = (columns: readonly string[]): string =>
  ['e.seq AS last', ...columns.map(column => `e.${column}`)].join(', ');
