import type { Queries, Table } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';

/** A binary search of lists. The entries before the searched place come first in each list. */
interface Halving<Bound extends string> {
  readonly entries: Table;
  /** Names of the numbers that define a place. */
  readonly bounds: readonly Bound[];
  /** Whether an entry `e` is before the place that a row `search` has in its columns `bounds`. */
  readonly isBefore: string;
}

/** A place, and the part of a list where its position is. */
interface Search<Bound extends string> {
  /** Ignored if the table is a single list. */
  readonly list: number;
  /** All entries below this position are before the place. */
  readonly from: number;
  /** No entry at or above this position is. */
  readonly to: number;
  readonly bounds: Readonly<Record<Bound, number>>;
}

/** Both engines accept at least this number of rows after VALUES. */
const SEARCHES_AT_ONCE = 128;

/**
 * The position of the first entry that is not before a place, for each search. One statement runs all binary searches, and reads one entry
 * per search and step:
 *
 *     entries   2  3  5  7 11 13   place 6: low 0, high 6
 *                        ^         7 is not before it: low 0, high 3
 *                  ^               3 is before it: low 2, high 3
 *                     ^            5 is before it: low 3 = high, which is the position
 *
 * @throws FatalDatabaseError (CORRUPT) when a list lacks an entry that a step reads
 */
export async function halve<Bound extends string>(
  queries: Queries,
  { entries, bounds, isBefore }: Halving<Bound>,
  searches: readonly Search<Bound>[],
): Promise<number[]> {
  const found: number[] = [];
  for (let start = 0; start < searches.length; start += SEARCHES_AT_ONCE) {
    const some = searches.slice(start, start + SEARCHES_AT_ONCE);
    const numbers = ', CAST(? AS bigint)'.repeat(3 + bounds.length);
    const rows = await queries.all<{ nr: number; position: number }>(
      `WITH RECURSIVE search (${['nr', 'list', 'low', 'high', ...bounds].join(', ')}) AS (
         VALUES ${some.map((_, nr) => `(${nr}${numbers})`).join(', ')}
         UNION ALL
         SELECT search.nr, search.list,
                CASE WHEN ${isBefore} THEN e.seq + 1 ELSE search.low END,
                CASE WHEN ${isBefore} THEN search.high ELSE e.seq END${bounds.map(bound => `, search.${bound}`).join('')}
           FROM search JOIN ${entries.name} e ON ${'list' in entries.columns ? 'e.list = search.list AND ' : ''}e.seq = (search.low + search.high) / 2
          WHERE search.low < search.high
       )
       SELECT nr, low AS position FROM search WHERE low = high`,
      some.flatMap(({ list, from, to, bounds: place }) => [list, from, to, ...bounds.map(bound => place[bound])]),
    );
    if (rows.length < some.length) throw new FatalDatabaseError('CORRUPT', `a list of ${entries.name} has a gap`);
    for (const { nr, position } of rows) found[start + nr] = position;
  }
  return found;
}
