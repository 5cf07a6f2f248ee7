import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { BUSY, type Criterion, combinedName } from '../../../../index/transactions/combined-lists.ts';
import {
  COMBINED_TXS,
  TX_TYPES,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_TYPE,
  type TxType,
} from '../../../../index/transactions/tables.ts';
import { findList, type List, type Slice } from '../../../../ingest/indexer/lists.ts';
import type { ListKind } from '../../../../ingest/indexer/tables.ts';
import { type ListPart, lengthOfParts, partsWithin } from './list-parts.ts';
import type { Condition } from './matches.ts';
import type { TimeRange } from './spans.ts';

/** The parameters of getTransactionListV1. */
export interface TransactionQuery extends Slice, TimeRange {
  readonly sort_by: 'block_height' | 'burn_block_time' | 'fee';
  readonly type?: readonly TxType[];
  readonly from_address?: string;
  readonly to_address?: string;
  readonly contract_id?: string;
  readonly function_name?: string;
  /** The nonce of the origin. */
  readonly nonce?: number;
}

/**
 * A filter. The transactions of these lists pass it; no two lists share a transaction. Without lists no transaction passes.
 */
interface Filter {
  /** The criteria; a combined filter has several. */
  readonly by: readonly Criterion[];
  readonly lists: readonly List[];
  /** The same as a condition on txs. */
  readonly condition: Condition;
  /** The numbers of the types, if it filters by type. */
  readonly types?: readonly number[];
}

/** A filter within spans of the list of all transactions. */
export interface NarrowFilter extends Filter {
  /** The parts of its lists in each span, in the order of the spans; empty parts are left out. */
  readonly stretches: readonly (readonly ListPart[])[];
  /** Number of transactions. */
  readonly length: number;
}

/** Number of transactions that pass. */
const lengthOfLists = ({ lists }: Filter): number => lists.reduce((total, { length }) => total + length, 0);

/** The filters of a query, each with its lists. */
export async function filtersOf(queries: Queries, query: TransactionQuery): Promise<Filter[]> {
  const filters: Filter[] = [];
  const filter = async (
    kind: ListKind,
    name: string | undefined,
    column: Exclude<Criterion, 'type'>,
    value?: number,
  ) => {
    if (name === undefined) return;
    const found = await findList(queries, kind, name);
    const condition = { sql: `t.${column} = ?`, params: [value ?? found?.id ?? null] };
    filters.push({ by: [column], lists: found ? [found] : [], condition });
  };
  const types = typesOf(query);
  if (types) filters.push(await typeFilter(queries, types));
  await filter(TXS_BY_SENDER, query.from_address, 'sender');
  await filter(TXS_BY_RECIPIENT, query.to_address, 'recipient');
  await filter(TXS_BY_CONTRACT, query.contract_id, 'contract');
  await filter(TXS_BY_FUNCTION, query.function_name, 'function');
  await filter(TXS_BY_NONCE, query.nonce?.toString(), 'nonce', query.nonce);
  return filters;
}

/** The types to filter by; undefined if any type passes, or if other filters imply the type. Empty if they imply a different type. */
function typesOf({ type, to_address, contract_id, function_name }: TransactionQuery): readonly TxType[] | undefined {
  if (!type?.length) return undefined;
  const implied: TxType[] = [];
  if (to_address !== undefined) implied.push('token_transfer');
  if (contract_id !== undefined || function_name !== undefined) implied.push('contract_call');
  if (implied.length === 0) return [...new Set(type)];
  return implied.every(one => type.includes(one)) ? undefined : [];
}

async function typeFilter(queries: Queries, names: readonly TxType[]): Promise<Filter> {
  const lists: List[] = [];
  for (const name of names) {
    const list = await findList(queries, TXS_BY_TYPE, name);
    if (list) lists.push(list);
  }
  const types = names.map(name => TX_TYPES[name]);
  return {
    by: ['type'],
    lists,
    types,
    condition: { sql: `t.type IN (${types.map(() => '?').join(', ')})`, params: types },
  };
}

/**
 * Several filters as one, by the lists that the index keeps of the transactions that busy lists share. Undefined if the index has no such list, as one of
 * the filters has a short list.
 */
export async function combinedFilter(queries: Queries, filters: readonly Filter[]): Promise<Filter | undefined> {
  const others = filters.filter(({ types }) => types === undefined);
  if (others.some(filter => lengthOfLists(filter) < BUSY)) return undefined;
  const ofTypes = filters.find(({ types }) => types !== undefined);
  const lists: List[] = [];
  for (const type of ofTypes?.lists ?? [undefined]) {
    const ids = new Map<Criterion, number>(type && [['type', type.id]]);
    for (const { by, lists } of others) if (by[0] && lists[0]) ids.set(by[0], lists[0].id);
    const name = combinedName(ids);
    if (name === undefined) return undefined;
    const list = await findList(queries, COMBINED_TXS, name);
    if (list) lists.push(list);
  }
  return {
    by: filters.flatMap(({ by }) => by),
    lists,
    condition: {
      sql: filters.map(({ condition }) => condition.sql).join(' AND '),
      params: filters.flatMap(({ condition }) => condition.params),
    },
  };
}

/** The filters within spans, the one with the fewest transactions first. @param spans undefined: everywhere */
export async function narrowed(
  queries: Queries,
  filters: readonly Filter[],
  spans: readonly Span[] | undefined,
): Promise<NarrowFilter[]> {
  const lists = filters.flatMap(filter => filter.lists);
  const parts = spans && (await partsWithin(queries, lists, spans));
  const within = (filter: Filter): NarrowFilter => {
    const stretches = (spans ?? [undefined]).map((_, i) =>
      filter.lists
        .map(({ id, length }) => parts?.get(id)?.[i] ?? { list: id, from: 0, length })
        .filter(({ length }) => length > 0),
    );
    return { ...filter, stretches, length: lengthOfParts(stretches.flat()) };
  };
  return filters.map(within).sort((a, b) => a.length - b.length);
}
