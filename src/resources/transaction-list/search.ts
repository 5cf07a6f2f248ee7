import type { Queries } from '../../store/database.ts';
import { countBootTransactions } from '../chain-facts/facts.ts';
import { countTransactions, pageOfAll } from '../transactions/queries.ts';
import { filtersOf, type NarrowFilter, narrowed } from './filters.ts';
import { hullOf } from './list-parts.ts';
import { countMatches, pageOfMatches } from './matches.ts';
import { pageOfSpans, pageOfStretches } from './merged-page.ts';
import { pageInOtherOrder } from './other-order.ts';
import { isUnfiltered, type TransactionQuery } from './query.ts';
import { inHull } from './span-conditions.ts';
import { type Span, totalLength } from './spans.ts';
import { spansOf } from './time-spans.ts';

export interface TransactionPage {
  readonly total: number;
  readonly records: readonly string[];
}

/** Where to look: undefined is everywhere. */
type Spans = readonly Span[] | undefined;

const EMPTY: TransactionPage = { total: 0, records: [] };

/**
 * The page of getTransactionList. Times are spans of the list of all transactions, within which a question that one filter
 * answers is a slice of its list; any other searches the shortest list that contains its answer
 * (docs/spec/transactions.md#recent-transactions).
 */
export async function searchTransactions(queries: Queries, query: TransactionQuery): Promise<TransactionPage> {
  const found = await filtersOf(queries, query);
  if (found.some(({ lists }) => lists.length === 0)) return EMPTY;
  const spans = await spansOf(queries, query);
  if (spans?.length === 0) return EMPTY;
  const filters = await narrowed(queries, found, spans);
  const [shortest, ...others] = filters;
  if (!shortest) return pageOfEverything(queries, query, spans);
  if (others.length > 0) return pageOfSeveral(queries, query, shortest, others, spans);
  return pageOfFilter(queries, query, shortest, spans);
}

async function pageOfEverything(queries: Queries, query: TransactionQuery, spans: Spans): Promise<TransactionPage> {
  const length = spans ? totalLength(spans) : await countTransactions(queries);
  const total = isUnfiltered(query) ? length - (await countBootTransactions(queries)) : length;
  const slice = cut(query, length);
  if (slice.limit === 0) return { total, records: [] };
  if (slice.sort_by !== 'block_height') {
    return { total, records: await pageInOtherOrder(queries, slice, { length, filter: undefined, spans }) };
  }
  const page = spans ? pageOfSpans(queries, spans, slice) : pageOfAll(queries, length, slice);
  return { total, records: await page };
}

async function pageOfFilter(
  queries: Queries,
  query: TransactionQuery,
  filter: NarrowFilter,
  spans: Spans,
): Promise<TransactionPage> {
  const { length: total, stretches } = filter;
  const slice = cut(query, total);
  if (slice.limit === 0) return { total, records: [] };
  const page =
    slice.sort_by === 'block_height'
      ? pageOfStretches(queries, stretches, slice)
      : pageInOtherOrder(queries, slice, { length: total, filter, spans });
  return { total, records: await page };
}

async function pageOfSeveral(
  queries: Queries,
  query: TransactionQuery,
  shortest: NarrowFilter,
  others: readonly NarrowFilter[],
  spans: Spans,
): Promise<TransactionPage> {
  if (shortest.length === 0) return EMPTY;
  const conditions = [...others.map(({ condition }) => condition), ...inHull(query, spans)];
  const search = { parts: hullOf(shortest.stretches), conditions };
  const total = await countMatches(queries, search);
  const slice = cut(query, total);
  if (slice.limit === 0) return { total, records: [] };
  return { total, records: await pageOfMatches(queries, search, query.sort_by, slice) };
}

/** No more than there are: a search ends with the last one. */
const cut = (query: TransactionQuery, length: number): TransactionQuery => ({
  ...query,
  limit: Math.max(0, Math.min(query.limit, length - query.offset)),
});
