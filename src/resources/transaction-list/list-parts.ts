import type { List } from '../../indexer/lists.ts';
import type { Queries, Row } from '../../store/database.ts';
import type { Span } from './spans.ts';

/** Entries of a list of transactions, from a position in it on. */
export interface ListPart {
  readonly list: number;
  readonly from: number;
  readonly length: number;
}

export const lengthOfParts = (parts: readonly ListPart[]): number =>
  parts.reduce((total, { length }) => total + length, 0);

/**
 * The parts of lists that are within spans of the list of all transactions, by list, one for each span. As entries are in chain order,
 * those of a span follow each other.
 */
export async function partsWithin(
  queries: Queries,
  lists: readonly List[],
  spans: readonly Span[],
): Promise<Map<number, readonly ListPart[]>> {
  const bounds = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].filter(bound => bound > 0);
  const before = await entriesBefore(queries, lists, bounds);
  const place = (list: number, bound: number) => before.get(list)?.get(bound) ?? 0;
  return new Map(
    lists.map(({ id }) => {
      const ends = spans.map(span => ({ from: place(id, span.from), to: place(id, span.to) }));
      return [id, ends.map(({ from, to }) => ({ list: id, from, length: to - from }))];
    }),
  );
}

/** For each list the part from its first entry in these stretches to its last one. */
export function hullOf(stretches: readonly (readonly ListPart[])[]): ListPart[] {
  const hulls = new Map<number, ListPart>();
  for (const { list, from, length } of stretches.flat()) {
    const first = hulls.get(list)?.from ?? from;
    hulls.set(list, { list, from: first, length: from + length - first });
  }
  return [...hulls.values()];
}

/** How many of the first entries of a list stand for transactions before a position among all. */
interface EntriesBefore {
  readonly list: number;
  readonly bound: number;
  readonly count: number;
}

/** An engine takes so many rows of VALUES at least. */
const SEARCHES_AT_ONCE = 128;

/** For each list and each position: found by halving, all at once. */
async function entriesBefore(
  queries: Queries,
  lists: readonly List[],
  bounds: readonly number[],
): Promise<Map<number, Map<number, number>>> {
  const searches = lists.flatMap(({ id, length }) => bounds.map(bound => [id, bound, length]));
  const found = new Map(lists.map(({ id }) => [id, new Map<number, number>()]));
  for (let start = 0; start < searches.length; start += SEARCHES_AT_ONCE) {
    const some = searches.slice(start, start + SEARCHES_AT_ONCE);
    for (const { list, bound, count } of await halve(queries, some)) found.get(list)?.set(bound, count);
  }
  return found;
}

/** @param searches list, bound and length of the list */
function halve(queries: Queries, searches: readonly (readonly number[])[]): Promise<EntriesBefore[]> {
  const start = '(CAST(? AS bigint), CAST(? AS bigint), CAST(0 AS bigint), CAST(? AS bigint))';
  return queries.all<EntriesBefore & Row>(
    `WITH RECURSIVE search (list, bound, low, high) AS (
       VALUES ${searches.map(() => start).join(', ')}
       UNION ALL
       SELECT search.list, search.bound,
           CASE WHEN e.tx < search.bound THEN e.seq + 1 ELSE search.low END,
           CASE WHEN e.tx < search.bound THEN search.high ELSE e.seq END
         FROM search JOIN list_txs e ON e.list = search.list AND e.seq = (search.low + search.high) / 2
         WHERE search.low < search.high
     )
     SELECT list, bound, low AS count FROM search WHERE low = high`,
    searches.flat(),
  );
}
