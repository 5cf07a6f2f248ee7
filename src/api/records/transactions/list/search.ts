import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import { BUSY } from '../../../../index/transactions/combined-lists.ts';
import { EVERYTHING } from '../../../../index/transactions/fee-lists.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import { TX_TYPES, type TXS } from '../../../../index/transactions/tables.ts';
import { horizonOf } from '../../../../ingest/indexer/horizon.ts';
import type { Slice } from '../../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../../http/long-reads.ts';
import { pageOfAll, recordsInOrder } from '../queries.ts';
import { NEAR, nearPage, nearPageBefore } from './fee-order.ts';
import { positionsByFee } from './fee-tree.ts';
import { combinedFilter, filtersOf, type NarrowFilter, narrowed, type TransactionQuery } from './filters.ts';
import { hullOf, pageOfSpans, pageOfStretches } from './list-parts.ts';
import { findMatches, inHull, positionsOfPage } from './matches.ts';
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
 * The page of getTransactionListV1 (docs/spec/transactions.md#recent-transactions). A time range becomes spans of the list of all transactions. Within them
 * a query with one filter is a slice of its list, and so is a query with several filters that are all busy (combined-lists.ts). Any other query searches
 * the shortest of its lists, from the budget.
 */
export async function searchTransactions(
  queries: Queries,
  query: TransactionQuery,
  budget: RowBudget,
): Promise<TransactionPage> {
  // A transaction with a recipient calls no contract.
  if (query.to_address !== undefined && (query.contract_id ?? query.function_name) !== undefined) return EMPTY;
  const found = await filtersOf(queries, query);
  if (found.some(({ lists }) => lists.length === 0)) return EMPTY;
  const spans = await spansOf(queries, query);
  if (spans?.length === 0) return EMPTY;
  const combined = found.length > 1 ? await combinedFilter(queries, found) : undefined;
  if (combined?.lists.length === 0) return EMPTY;
  const filters = await narrowed(queries, combined ? [combined] : found, spans);
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
  const uses = await usesOfNonce(queries, [shortest, ...others], spans);
  // All entries of the shortest list pass its own filter. The uses of a nonce come from an index instead, so that filter must be checked.
  const left = uses ? [shortest, ...others] : others;
  const conditions = [...left.map(({ condition }) => condition), ...inHull(query, spans)];
  const places = uses ?? hullOf(shortest.stretches);
  const matches = await findMatches(queries, budget, { places, conditions }, query.sort_by);
  return { total: matches.length, records: await recordsInOrder(queries, positionsOfPage(matches, query)) };
}

/** The most transactions of a sender with one nonce that are looked up. Usually there is one; but operations from Bitcoin all have the nonce 0. */
const MOST_USES = 64;

/** The transactions of a sender with a nonce, from an index; undefined for other filters, or if they are many. */
async function usesOfNonce(
  queries: Queries,
  filters: readonly NarrowFilter[],
  spans: readonly Span[] | undefined,
): Promise<Span[] | undefined> {
  const conditionBy = (criterion: 'sender' | 'nonce') => filters.find(({ by }) => by.includes(criterion))?.condition;
  const [sender, nonce] = [conditionBy('sender'), conditionBy('nonce')];
  if (!sender || !nonce) return undefined;
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `SELECT t.seq FROM txs t WHERE ${sender.sql} AND ${nonce.sql} ORDER BY t.seq LIMIT ${MOST_USES + 1}`,
    [...sender.params, ...nonce.params],
  );
  if (rows.length > MOST_USES) return undefined;
  const end = horizonOf(queries)?.transactions ?? Number.POSITIVE_INFINITY;
  return rows
    .filter(({ seq }) => seq < end && (spans?.some(({ from, to }) => from <= seq && seq < to) ?? true))
    .map(({ seq }) => ({ from: seq, to: seq + 1 }));
}

/** Limits a page to the existing transactions, so that a search ends at the last one. */
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
 * The first and last pages are read from an end of the index of fees. For other pages, many transactions are read from the trees of their lists, and few
 * are sorted.
 */
async function pageInFeeOrder(
  queries: Queries,
  query: TransactionQuery,
  { length, filter, spans }: Selection,
  budget: RowBudget,
): Promise<string[]> {
  const end = horizonOf(queries)?.transactions;
  if (!spans && isFirstOfIndex(query, filter)) {
    const { types = Object.values(TX_TYPES) } = filter ?? {};
    const first =
      end === undefined ? await nearPage(queries, types, query) : await nearPageBefore(queries, types, query, end);
    if (first) return recordsInOrder(queries, first);
  }
  const conditions = inHull(query, spans);
  if (length >= BUSY) {
    const lists = filter ? filter.lists : [EVERYTHING as typeof EVERYTHING];
    const shown = spans ?? (end === undefined ? undefined : [{ from: 0, to: end }]);
    const selection = { lists, total: length, spans: shown, conditions };
    return recordsInOrder(queries, await positionsByFee(queries, selection, query, budget));
  }
  const places = filter ? hullOf(filter.stretches) : hullOfSpans(spans ?? [{ from: 0, to: end ?? length }]);
  const matches = await findMatches(queries, budget, { places, conditions }, 'fee');
  return recordsInOrder(queries, positionsOfPage(matches, query));
}

/** Whether a page is near the beginning of the index of fees by type. */
const isFirstOfIndex = ({ offset, limit }: Slice, filter: NarrowFilter | undefined): boolean =>
  offset + limit <= NEAR && (filter === undefined || filter.types !== undefined);

const hullOfSpans = (spans: readonly Span[]): Span[] => [{ from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 }];
