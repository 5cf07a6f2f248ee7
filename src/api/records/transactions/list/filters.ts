import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import {
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
  /** Of the origin. */
  readonly nonce?: number;
}

/**
 * A filter: its transactions are those of these lists, which share no transaction. Without lists no transaction passes.
 */
interface Filter {
  readonly lists: readonly List[];
  /** The same as a condition on txs. */
  readonly condition: Condition;
  /** Of the filter by type: their numbers. */
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
export const lengthOfLists = ({ lists }: Filter): number => lists.reduce((total, { length }) => total + length, 0);

/** The filters of a query, each with its lists. */
export async function filtersOf(queries: Queries, query: TransactionQuery): Promise<Filter[]> {
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
  await filter(TXS_BY_FUNCTION, query.function_name, 'function');
  await filter(TXS_BY_NONCE, query.nonce?.toString(), 'nonce', query.nonce);
  return filters;
}

async function typeFilter(queries: Queries, names: readonly TxType[]): Promise<Filter> {
  const lists: List[] = [];
  for (const name of names) {
    const list = await findList(queries, TXS_BY_TYPE, name);
    if (list) lists.push(list);
  }
  const types = names.map(name => TX_TYPES[name]);
  return { lists, types, condition: { sql: `t.type IN (${types.map(() => '?').join(', ')})`, params: types } };
}

/** The filters within spans, the shortest first. @param spans undefined: everywhere */
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
