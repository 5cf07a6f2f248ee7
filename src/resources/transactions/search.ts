import { readState } from '../../indexer/index-state.ts';
import type { ListKind } from '../../indexer/tables.ts';
import type { Queries } from '../../store/database.ts';
import { countBootTransactions } from '../blocks/queries.ts';
import { pageOfLists } from './merged-page.ts';
import {
  type Condition,
  countMatches,
  countTransactions,
  findList,
  pageOfAll,
  pageOfList,
  pageOfMatches,
  type Slice,
  type TxList,
} from './queries.ts';
import {
  TX_TYPES,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_TYPE,
  type TxType,
} from './tables.ts';

/** What E18 asks for. Times in Unix seconds, of the burn block, bounds included. */
export interface TransactionQuery extends Slice {
  readonly sort_by: 'block_height' | 'burn_block_time' | 'fee';
  readonly unanchored: boolean;
  readonly type?: readonly TxType[];
  readonly from_address?: string;
  readonly to_address?: string;
  readonly contract_id?: string;
  readonly function_name?: string;
  readonly nonce?: number;
  readonly start_time?: number;
  readonly end_time?: number;
}

export interface TransactionPage {
  readonly total: number;
  readonly records: readonly string[];
}

const EMPTY: TransactionPage = { total: 0, records: [] };

/**
 * The page of E18. A question that one filter answers is a slice of its list; any other searches the shortest list that contains its
 * answer (blocks-transactions-search.md 7).
 */
export async function searchTransactions(queries: Queries, query: TransactionQuery): Promise<TransactionPage> {
  const filters = await filtersOf(queries, query);
  if (filters.some(filter => filter.lists.length === 0)) return EMPTY;
  const conditions = [...timeConditions(query), ...(await anchoredOnly(queries, query))];
  const [filter] = filters;
  if (conditions.length > 0 || filters.length > 1) return pageOfSeveral(queries, query, filters, conditions);
  return filter ? pageOfFilter(queries, query, filter) : pageOfEverything(queries, query);
}

async function pageOfEverything(queries: Queries, query: TransactionQuery): Promise<TransactionPage> {
  const length = await countTransactions(queries);
  const records =
    query.sort_by === 'block_height'
      ? await pageOfAll(queries, length, query)
      : await pageOfMatches(queries, { lists: [], conditions: [] }, sortOf(query, []), query);
  return { total: length - (await countBootTransactions(queries)), records };
}

async function pageOfFilter(queries: Queries, query: TransactionQuery, filter: Filter): Promise<TransactionPage> {
  const { lists } = filter;
  const [only, ...others] = lists;
  const total = lengthOf(filter);
  if (query.offset >= total || !only) return { total, records: [] };
  if (query.sort_by !== 'block_height') {
    // Where most transactions pass, the index of the order is the shorter way; and never twice as long as the lists.
    const search =
      2 * total > (await countTransactions(queries))
        ? { lists: [], conditions: [filter.condition] }
        : { lists, conditions: [] };
    return { total, records: await pageOfMatches(queries, search, sortOf(query, search.lists), query) };
  }
  const page = others.length === 0 ? pageOfList(queries, only, query) : pageOfLists(queries, lists, query);
  return { total, records: await page };
}

async function pageOfSeveral(
  queries: Queries,
  query: TransactionQuery,
  filters: readonly Filter[],
  conditions: readonly Condition[],
): Promise<TransactionPage> {
  const [shortest, ...others] = filters.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  const lists = shortest?.lists ?? [];
  const search = { lists, conditions: [...others.map(({ condition }) => condition), ...conditions] };
  const matching = await countMatches(queries, search);
  const total = isUnfiltered(query) ? matching - (await countBootTransactions(queries)) : matching;
  // No more than there are: the search ends with the last one.
  const limit = Math.min(query.limit, matching - query.offset);
  if (limit <= 0) return { total, records: [] };
  return { total, records: await pageOfMatches(queries, search, sortOf(query, lists), { ...query, limit }) };
}

/** What a page is sorted by. A single list has its entries in chain order. */
function sortOf({ sort_by, order, start_time, end_time }: TransactionQuery, lists: readonly TxList[]): string[] {
  const place = lists.length === 1 ? 'e.seq' : 't.seq';
  if (sort_by === 'fee') return ['t.fee', place];
  if (sort_by === 'burn_block_time') return ['t.burn_time', place];
  // From the end at which a time range is closed, one would walk through all that lies outside: the sign keeps the engine from that.
  const closed = order === 'desc' ? end_time : start_time;
  return [lists.length === 0 && closed ? '+t.seq' : place];
}

/** The total of all transactions leaves those of the boot block out; the total of a filter counts what matches. */
const isUnfiltered = (query: TransactionQuery): boolean =>
  !query.type &&
  !query.from_address &&
  !query.to_address &&
  !query.contract_id &&
  !query.function_name &&
  !query.nonce &&
  !query.start_time &&
  !query.end_time;

/** A filter: its transactions are those of these lists, none of which is in two. Without lists nothing passes. */
interface Filter {
  readonly lists: readonly TxList[];
  /** The same as a condition on txs. */
  readonly condition: Condition;
}

const lengthOf = ({ lists }: Filter): number => lists.reduce((sum, { length }) => sum + length, 0);

/** The filters that are given and that lists answer. */
async function filtersOf(queries: Queries, query: TransactionQuery): Promise<Filter[]> {
  const filters: Filter[] = [];
  const filter = async (kind: ListKind, name: string | undefined, column: string, value?: number) => {
    if (name === undefined) return;
    const found = await findList(queries, kind, name);
    const condition = { sql: `t.${column} = ?`, params: [value ?? found?.id ?? null] };
    filters.push({ lists: found ? [found] : [], condition });
  };
  if (query.type?.length) filters.push(await typeFilter(queries, [...new Set(query.type)]));
  await filter(TXS_BY_SENDER, query.from_address, 'sender');
  await filter(TXS_BY_RECIPIENT, query.to_address, 'recipient');
  await filter(TXS_BY_CONTRACT, query.contract_id, 'contract');
  await filter(TXS_BY_FUNCTION, query.function_name || undefined, 'function');
  // 0 has always meant any nonce, as it means any time below.
  await filter(TXS_BY_NONCE, query.nonce ? String(query.nonce) : undefined, 'nonce', query.nonce);
  return filters;
}

async function typeFilter(queries: Queries, types: readonly TxType[]): Promise<Filter> {
  const lists: TxList[] = [];
  for (const type of types) {
    const list = await findList(queries, TXS_BY_TYPE, type);
    if (list) lists.push(list);
  }
  const params = types.map(type => TX_TYPES[type]);
  return { lists, condition: { sql: `t.type IN (${params.map(() => '?').join(', ')})`, params } };
}

function timeConditions({ start_time, end_time }: TransactionQuery): Condition[] {
  const conditions: Condition[] = [];
  // 0 has always meant no limit, and no block is as old.
  if (start_time) conditions.push({ sql: 't.burn_time >= ?', params: [start_time] });
  if (end_time) conditions.push({ sql: 't.burn_time <= ?', params: [end_time] });
  return conditions;
}

/** Unanchored microblocks stand on the tip only in epochs 2.0 to 2.4; without them there is nothing to leave out. */
async function anchoredOnly(queries: Queries, { unanchored }: TransactionQuery): Promise<Condition[]> {
  if (unanchored) return [];
  const { tip, microblocks } = await readState(queries);
  return tip && microblocks.length > 0 ? [{ sql: 't.height <= ?', params: [tip.height] }] : [];
}
