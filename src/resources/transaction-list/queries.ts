import type { Queries } from '../../store/database.ts';
import { countTransactions, pageOfAll } from '../transactions/queries.ts';
import { TX_TYPES } from '../transactions/tables.ts';
import { filtersOf, lengthOfLists, type NarrowFilter, narrowed, type TransactionQuery } from './filters.ts';
import { hullOf, pageOfSpans, pageOfStretches } from './list-parts.ts';
import { countMatches, inHull, pageByFee, pageOfMatches, within } from './matches.ts';
import type { Selection } from './selection.ts';
import { type Span, spansOf, totalLength } from './spans.ts';
import { pageByTime } from './time-order.ts';

interface TransactionPage {
  readonly total: number;
  readonly records: readonly string[];
}

/** Where to look: undefined is everywhere. */
type Spans = readonly Span[] | undefined;

const EMPTY: TransactionPage = { total: 0, records: [] };

/**
 * The page of getTransactionList. Times are spans of the list of all transactions, within which a query by one filter
 * is a slice of its list. A query by several searches the shortest list of theirs
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
  const total = spans ? totalLength(spans) : await countTransactions(queries);
  const slice = cut(query, total);
  if (slice.limit === 0) return { total, records: [] };
  if (slice.sort_by !== 'block_height') {
    return { total, records: await pageInOtherOrder(queries, slice, { length: total, filter: undefined, spans }) };
  }
  const page = spans ? pageOfSpans(queries, spans, slice) : pageOfAll(queries, total, slice);
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

function pageInOtherOrder(queries: Queries, query: TransactionQuery, selection: Selection): Promise<string[]> {
  return query.sort_by === 'fee' ? pageInFeeOrder(queries, query, selection) : pageByTime(queries, query, selection);
}

/**
 * Where most of what the index of fees has is selected, that is the shorter way, and what is before the page is passed over; otherwise
 * all that is selected is sorted.
 */
async function pageInFeeOrder(queries: Queries, query: TransactionQuery, selection: Selection): Promise<string[]> {
  const { filter, length } = selection;
  const lengthOfIndex = filter?.types ? lengthOfLists(filter) : await countTransactions(queries);
  return 2 * length <= lengthOfIndex ? sortedPage(queries, query, selection) : alongFees(queries, query, selection);
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
