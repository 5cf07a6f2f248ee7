import { readState } from '../../indexer/index-state.ts';
import type { ListKind } from '../../indexer/tables.ts';
import type { Queries } from '../../store/database.ts';
import { countBootTransactions } from '../blocks/queries.ts';
import {
  type Condition,
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

const SORT_COLUMNS = { block_height: ['seq'], burn_block_time: ['burn_time', 'seq'], fee: ['fee', 'seq'] };

/**
 * The page of E18. A question that one list answers is a slice of that list; any other searches the shortest list that
 * contains its answer (blocks-transactions-search.md 7).
 */
export async function searchTransactions(queries: Queries, query: TransactionQuery): Promise<TransactionPage> {
  const lists = await listsOf(queries, query);
  if (lists.some(list => list.found === undefined)) return EMPTY;
  const conditions = [...rangeConditions(query), ...(await anchoredOnly(queries, query))];
  const [only] = lists;
  if (query.sort_by === 'block_height' && conditions.length === 0 && lists.length <= 1) {
    if (only?.found) return { total: only.found.length, records: await pageOfList(queries, only.found, query) };
    const length = await countTransactions(queries);
    return { total: length - (await countBootTransactions(queries)), records: await pageOfAll(queries, length, query) };
  }
  const shortest = lists.reduce<FilterList | undefined>(
    (best, list) => (!best || lengthOf(list) < lengthOf(best) ? list : best),
    undefined,
  );
  const others = lists.filter(list => list !== shortest).flatMap(list => list.condition);
  const matches = await pageOfMatches(
    queries,
    shortest?.found,
    [...others, ...conditions],
    SORT_COLUMNS[query.sort_by],
    query,
  );
  return isUnfiltered(query) ? { ...matches, total: matches.total - (await countBootTransactions(queries)) } : matches;
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

interface FilterList {
  /** Undefined when nothing passes this filter. */
  readonly found: TxList | undefined;
  /** The same filter as a condition on txs. */
  readonly condition: Condition;
}

const lengthOf = (list: FilterList): number => list.found?.length ?? 0;

/** The list behind each filter that is given. */
async function listsOf(queries: Queries, query: TransactionQuery): Promise<FilterList[]> {
  const lists: FilterList[] = [];
  const filter = async (kind: ListKind, name: string | undefined, column: string, value?: number) => {
    if (name === undefined) return;
    const found = await findList(queries, kind, name);
    lists.push({ found, condition: { sql: `t.${column} = ?`, params: [value ?? found?.id ?? null] } });
  };
  const [type, ...moreTypes] = new Set(query.type);
  if (type !== undefined && moreTypes.length === 0) await filter(TXS_BY_TYPE, type, 'type', TX_TYPES[type]);
  await filter(TXS_BY_SENDER, query.from_address, 'sender');
  await filter(TXS_BY_RECIPIENT, query.to_address, 'recipient');
  await filter(TXS_BY_CONTRACT, query.contract_id, 'contract');
  await filter(TXS_BY_FUNCTION, query.function_name || undefined, 'function');
  // 0 has always meant any nonce, as it means any time below.
  await filter(TXS_BY_NONCE, query.nonce ? String(query.nonce) : undefined, 'nonce', query.nonce);
  return lists;
}

function rangeConditions({ type, start_time, end_time }: TransactionQuery): Condition[] {
  const conditions: Condition[] = [];
  const types = [...new Set(type)].map(name => TX_TYPES[name]);
  if (types.length > 1) conditions.push({ sql: `t.type IN (${types.map(() => '?').join(', ')})`, params: types });
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
