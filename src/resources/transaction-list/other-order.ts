import type { Queries } from '../../store/database.ts';
import { countTransactions } from '../transactions/queries.ts';
import { TX_TYPES } from '../transactions/tables.ts';
import { pageByFee } from './fee-order.ts';
import { lengthOfLists, type NarrowFilter } from './filters.ts';
import { hullOf } from './list-parts.ts';
import { pageOfMatches } from './matches.ts';
import type { TransactionQuery } from './query.ts';
import { inHull, inTime, notAbove, within } from './span-conditions.ts';
import { type Span, totalLength } from './spans.ts';

/** What a page is of: what is within spans and passes a filter. */
export interface Selection {
  /** How much that is. */
  readonly length: number;
  readonly filter: NarrowFilter | undefined;
  /** Undefined: everywhere. */
  readonly spans: readonly Span[] | undefined;
}

/**
 * A page by fee or by time. Where most of what the index of the order has is selected, that is the shorter way, and what is before the
 * page is passed over; otherwise all that is selected is sorted.
 */
export async function pageInOtherOrder(
  queries: Queries,
  query: TransactionQuery,
  selection: Selection,
): Promise<string[]> {
  if (2 * selection.length <= (await lengthOfIndex(queries, query, selection)))
    return sortedPage(queries, query, selection);
  return query.sort_by === 'fee' ? alongFees(queries, query, selection) : alongTimes(queries, query, selection);
}

/** How much the index of the order has in the range that would be read. */
async function lengthOfIndex(queries: Queries, { sort_by }: TransactionQuery, { filter, spans }: Selection) {
  if (sort_by === 'fee') return filter?.types ? lengthOfLists(filter) : countTransactions(queries);
  return spans ? totalLength(spans) : countTransactions(queries);
}

function sortedPage(queries: Queries, query: TransactionQuery, { filter, spans }: Selection): Promise<string[]> {
  const search = filter
    ? { parts: hullOf(filter.stretches), conditions: inHull(query, spans) }
    : { parts: [], conditions: within(query, spans) };
  return pageOfMatches(queries, search, query.sort_by, query);
}

function alongFees(queries: Queries, query: TransactionQuery, { filter, spans }: Selection): Promise<string[]> {
  const { types = Object.values(TX_TYPES) } = filter ?? {};
  const filtered = filter && !filter.types ? [filter.condition] : [];
  return pageByFee(queries, types, [...filtered, ...within(query, spans)], query);
}

function alongTimes(queries: Queries, query: TransactionQuery, { filter, spans }: Selection): Promise<string[]> {
  const filtered = filter ? [filter.condition] : [];
  const conditions = [...filtered, ...inTime(query, 't.burn_time'), ...notAbove(spans)];
  return pageOfMatches(queries, { parts: [], conditions }, query.sort_by, query);
}
