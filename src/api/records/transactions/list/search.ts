import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import { TX_TYPES, TXS } from '../../../../index/transactions/tables.ts';
import { horizonOf } from '../../../../ingest/indexer/horizon.ts';
import { countNumbered } from '../../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import { pageOfAll, recordsInOrder } from '../queries.ts';
import { pageAlongFees } from './fee-order.ts';
import { filtersOf, lengthOfLists, type NarrowFilter, narrowed, type TransactionQuery } from './filters.ts';
import { hullOf, pageOfSpans, pageOfStretches } from './list-parts.ts';
import { findMatches, inHull, positionsOfPage, withinSpans } from './matches.ts';
import type { Selection } from './selection.ts';
import { spansOf, totalLength } from './spans.ts';
import { pageByTime } from './time-order.ts';

interface TransactionPage {
  readonly total: number;
  readonly records: readonly string[];
}

/** Paging and order of a request. */
interface Reading {
  /** The spans to search; undefined for all. */
  readonly spans: readonly Span[] | undefined;
  readonly budget: RowBudget;
}

const EMPTY: TransactionPage = { total: 0, records: [] };

/**
 * The page of getTransactionListV1. Times are spans of the list of all transactions, within which a query by one filter
 * is a slice of its list. A query by several searches the shortest list of theirs, from the budget
 * (docs/spec/transactions.md#recent-transactions).
 */
export async function searchTransactions(
  queries: Queries,
  query: TransactionQuery,
  budget: RowBudget,
): Promise<TransactionPage> {
  const found = await filtersOf(queries, query);
  if (found.some(({ lists }) => lists.length === 0)) return EMPTY;
  const spans = await spansOf(queries, query);
  if (spans?.length === 0) return EMPTY;
  const filters = await narrowed(queries, found, spans);
  const [shortest, ...others] = filters;
  const reading: Reading = { spans, budget };
  if (!shortest) return pageOfEverything(queries, query, reading);
  if (others.length > 0) return pageOfSeveral(queries, query, shortest, others, reading);
  return pageOfFilter(queries, query, shortest, reading);
}

async function pageOfEverything(
  queries: Queries,
  query: TransactionQuery,
  { spans, budget }: Reading,
): Promise<TransactionPage> {
  const total = spans ? totalLength(spans) : await countTransactions(queries);
  const slice = cut(query, total);
  if (slice.limit === 0) return { total, records: [] };
  if (slice.sort_by !== 'block_height') {
    return {
      total,
      records: await pageInOtherOrder(queries, slice, { length: total, filter: undefined, spans }, budget),
    };
  }
  const page = spans ? pageOfSpans(queries, spans, slice) : pageOfAll(queries, total, slice);
  return { total, records: await page };
}

async function pageOfFilter(
  queries: Queries,
  query: TransactionQuery,
  filter: NarrowFilter,
  { spans, budget }: Reading,
): Promise<TransactionPage> {
  const { length: total, stretches } = filter;
  const slice = cut(query, total);
  if (slice.limit === 0) return { total, records: [] };
  const page =
    slice.sort_by === 'block_height'
      ? pageOfStretches(queries, stretches, slice)
      : pageInOtherOrder(queries, slice, { length: total, filter, spans }, budget);
  return { total, records: await page };
}

async function pageOfSeveral(
  queries: Queries,
  query: TransactionQuery,
  shortest: NarrowFilter,
  others: readonly NarrowFilter[],
  { spans, budget }: Reading,
): Promise<TransactionPage> {
  if (shortest.length === 0) return EMPTY;
  const conditions = [...others.map(({ condition }) => condition), ...inHull(query, spans)];
  const matches = await findMatches(queries, budget, { places: hullOf(shortest.stretches), conditions }, query.sort_by);
  return { total: matches.length, records: await recordsInOrder(queries, positionsOfPage(matches, query)) };
}

/** No more than there are: a search ends with the last one. */
const cut = (query: TransactionQuery, length: number): TransactionQuery => ({
  ...query,
  limit: Math.max(0, Math.min(query.limit, length - query.offset)),
});

function pageInOtherOrder(
  queries: Queries,
  query: TransactionQuery,
  selection: Selection,
  budget: RowBudget,
): Promise<string[]> {
  if (query.sort_by === 'fee') return pageInFeeOrder(queries, query, selection, budget);
  return pageByTime(queries, query, selection);
}

/**
 * If the selection has most of the index of fees, that is the shorter way, and rows before the page are skipped;
 * otherwise the whole selection is sorted.
 */
async function pageInFeeOrder(
  queries: Queries,
  query: TransactionQuery,
  { length, filter, spans }: Selection,
  budget: RowBudget,
): Promise<string[]> {
  const end = horizonOf(queries)?.transactions;
  // As of a block, the index has the fees of later transactions too.
  const lengthOfIndex =
    end !== undefined
      ? await countNumbered(queries, TXS)
      : filter?.types
        ? lengthOfLists(filter)
        : await countTransactions(queries);
  if (2 * length > lengthOfIndex) {
    const { types = Object.values(TX_TYPES) } = filter ?? {};
    const filtered = filter && !filter.types ? [filter.condition] : [];
    const shown = end === undefined ? [] : [{ sql: 't.seq < ?', params: [end] }];
    return pageAlongFees(queries, budget, types, [...filtered, ...shown, ...withinSpans(query, spans)], query);
  }
  const places = filter ? hullOf(filter.stretches) : hullOfSpans(spans ?? [{ from: 0, to: end ?? 0 }]);
  const matches = await findMatches(queries, budget, { places, conditions: inHull(query, spans) }, 'fee');
  return recordsInOrder(queries, positionsOfPage(matches, query));
}

const hullOfSpans = (spans: readonly Span[]): Span[] => [{ from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 }];
