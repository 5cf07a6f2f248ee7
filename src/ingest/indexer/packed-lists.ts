import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { countBelow, entriesOfRow, type NumberedEntry, type PackedTable, packBound } from './packed-table.ts';

/** Reads and cuts the lists of packed tables (packed-table.ts). */

type PackedRow = RowOf<PackedTable>;

/** A place in the order of a list, and the part of the list where its position is. */
interface Search {
  readonly list: number;
  /** All entries below this position are before the place. */
  readonly from: number;
  /** No entry at or above this position is. */
  readonly to: number;
  /** Entries are before the place whose first columns are below these values (packBound). */
  readonly bound: readonly number[];
}

/** Both engines accept at least this number of rows after VALUES. */
const SEARCHES_AT_ONCE = 128;

/**
 * The position of the first entry that is not before a place, for each search. One statement halves the rows of all lists by their first entries, and
 * reads the row in which each position is.
 * @throws FatalDatabaseError (CORRUPT) when a list lacks a row that a step reads
 */
export async function positionsOfBounds(
  queries: Queries,
  table: PackedTable,
  searches: readonly Search[],
): Promise<number[]> {
  const { perRow } = table;
  const found: number[] = [];
  for (let start = 0; start < searches.length; start += SEARCHES_AT_ONCE) {
    const some = searches.slice(start, start + SEARCHES_AT_ONCE);
    const numbers = ', CAST(? AS bigint)'.repeat(3);
    const rows = await queries.all<{ nr: number; rows: number; entries: string | null }>(
      `WITH RECURSIVE search (nr, list, low, high, bound) AS (
         VALUES ${some.map((_, nr) => `(${nr}${numbers}, CAST(? AS text))`).join(', ')}
         UNION ALL
         SELECT search.nr, search.list,
                CASE WHEN e.entries < search.bound THEN e.part + 1 ELSE search.low END,
                CASE WHEN e.entries < search.bound THEN search.high ELSE e.part END, search.bound
           FROM search JOIN ${table.name} e ON e.list = search.list AND e.part = (search.low + search.high) / 2
          WHERE search.low < search.high
       )
       SELECT search.nr, search.low AS rows, e.entries
         FROM search LEFT JOIN ${table.name} e ON e.list = search.list AND e.part = search.low - 1
        WHERE search.low = search.high`,
      some.flatMap(({ list, from, to, bound }) => [
        list,
        Math.ceil(from / perRow),
        Math.ceil(to / perRow),
        packBound(table, bound),
      ]),
    );
    if (rows.length < some.length) throw gapIn(table);
    for (const { nr, rows: before, entries } of rows) {
      const { from, to, bound } = some[nr] as Search;
      if (entries === null && before > 0) throw gapIn(table);
      const position =
        entries === null ? 0 : (before - 1) * perRow + countBelow(table, entries, packBound(table, bound));
      found[start + nr] = Math.max(from, Math.min(to, position));
    }
  }
  return found;
}

const gapIn = ({ name }: PackedTable) => new FatalDatabaseError('CORRUPT', `a list of ${name} has a gap`);

/** A part of a list: positions, `to` exclusive. */
interface Part {
  readonly list: number;
  readonly from: number;
  readonly to: number;
}

/** The entries of a part of a list, in the order of the list. */
export async function entriesBetween<T extends PackedTable>(
  queries: Queries,
  table: T,
  { list, from, to }: Part,
): Promise<NumberedEntry<T>[]> {
  if (from >= to) return [];
  const rows = await queries.all<PackedRow>(
    `SELECT part, entries FROM ${table.name} WHERE list = ? AND part >= ? AND part <= ? ORDER BY part`,
    [list, Math.floor(Math.max(0, from) / table.perRow), Math.floor((to - 1) / table.perRow)],
  );
  return rows.flatMap(row => entriesOfRow(table, row, from, to));
}

/** All entries of a list that the database has. */
export const allEntries = <T extends PackedTable>(queries: Queries, table: T, list: number) =>
  entriesBetween(queries, table, { list, from: 0, to: Number.MAX_SAFE_INTEGER });

/** One entry of each of these lists, by the identifier of the list. */
export async function entriesAt<T extends PackedTable>(
  queries: Queries,
  table: T,
  places: readonly { readonly list: number; readonly seq: number }[],
): Promise<Map<number, NumberedEntry<T>>> {
  const rows = await queries.all<PackedRow>(
    `SELECT list, part, entries FROM ${table.name} WHERE ${places.map(() => '(list = ? AND part = ?)').join(' OR ')}`,
    places.flatMap(({ list, seq }) => [list, Math.floor(seq / table.perRow)]),
  );
  const rowOf = new Map(rows.map(row => [row.list, row]));
  return new Map(
    places.flatMap(({ list, seq }) => {
      const row = rowOf.get(list);
      return row ? entriesOfRow(table, row, seq, seq + 1).map(entry => [list, entry] as const) : [];
    }),
  );
}

/** Those of some entries of a list that are there, by their numbers. */
export async function entriesNumbered<T extends PackedTable>(
  queries: Queries,
  table: T,
  list: number,
  numbers: readonly number[],
): Promise<Map<number, NumberedEntry<T>>> {
  const parts = new Set(numbers.map(seq => Math.floor(seq / table.perRow)));
  const rows = await allIn<PackedRow>(
    queries,
    some => `SELECT part, entries FROM ${table.name} WHERE list = ? AND part IN ${some}`,
    [...parts],
    [list],
  );
  const wanted = new Set(numbers);
  const entries = rows.flatMap(row => entriesOfRow(table, row));
  return new Map(entries.flatMap(entry => (wanted.has(entry.seq) ? [[entry.seq, entry] as const] : [])));
}

/** Those of these lists that have an entry with this number. */
export async function listsThatReach(
  queries: Queries,
  table: PackedTable,
  lists: readonly (number | null)[],
  seq: number,
): Promise<Set<number>> {
  const rows = await allIn<RowOf<PackedTable, 'list'>>(
    queries,
    some => `SELECT list FROM ${table.name} WHERE part = ? AND length(entries) > ? AND list IN ${some}`,
    lists,
    [Math.floor(seq / table.perRow), (seq % table.perRow) * table.width],
  );
  return new Set(rows.map(({ list }) => list));
}

/** Cuts a list to a length. */
export async function cutPackedList(
  tx: DatabaseTransaction,
  table: PackedTable,
  list: number,
  length: number,
): Promise<void> {
  const { perRow, width } = table;
  const [full, rest] = [Math.floor(length / perRow), length % perRow];
  await tx.run(`DELETE FROM ${table.name} WHERE list = ? AND part >= ?`, [list, rest > 0 ? full + 1 : full]);
  if (rest > 0)
    await tx.run(`UPDATE ${table.name} SET entries = substr(entries, 1, ?) WHERE list = ? AND part = ?`, [
      rest * width,
      list,
      full,
    ]);
}
