import type { Slice } from '../../indexer/lists.ts';
import type { Queries, Value } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { recordsInOrder } from '../transactions/positions.ts';
import type { TXS } from '../transactions/tables.ts';
import type { ListPart } from './list-parts.ts';

/** A condition on the columns of txs (as `t`). */
export interface Condition {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** What is searched for: entries of any of these parts of lists (which share none), or all transactions where there are none. */
export interface Search {
  readonly parts: readonly ListPart[];
  readonly conditions: readonly Condition[];
}

/** How many transactions there are of this kind. Reads each entry of the parts, or what the index of a condition leaves. */
export async function countMatches(queries: Queries, search: Search): Promise<number> {
  const { from, params } = sourceOf(search);
  return (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`, params))?.n ?? 0;
}

/** The columns of txs that have the orders of getTransactionList. */
const SORTED = { block_height: [], burn_block_time: ['t.burn_time'], fee: ['t.fee'] } as const;

/** A page of what no single list holds in this order; what is equal in it is in chain order. */
export async function pageOfMatches(
  queries: Queries,
  search: Search,
  sortBy: keyof typeof SORTED,
  { order, offset, limit }: Slice,
): Promise<string[]> {
  const { from, params } = sourceOf(search);
  // A part has its entries in chain order.
  const columns = [...SORTED[sortBy], search.parts.length === 1 ? 'e.seq' : 't.seq'];
  // Only the position is selected: what is passed over or sorted is read from an index where one has the columns.
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `SELECT t.seq FROM ${from} ORDER BY ${columns.map(column => `${column} ${order}`).join(', ')} LIMIT ? OFFSET ?`,
    [...params, limit, offset],
  );
  return recordsInOrder(
    queries,
    rows.map(({ seq }) => seq),
  );
}

function sourceOf({ parts, conditions }: Search): { readonly from: string; readonly params: readonly Value[] } {
  const entries = parts.map(() => 'SELECT seq, tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ?');
  const from = parts.length > 0 ? `(${entries.join(' UNION ALL ')}) e JOIN txs t ON t.seq = e.tx` : 'txs t';
  const where = conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '';
  const params = parts.flatMap(({ list, from, length }) => [list, from, from + length]);
  return { from: `${from} ${where}`, params: [...params, ...conditions.flatMap(condition => condition.params)] };
}
