import type { Slice } from '../../indexer/lists.ts';
import type { Queries, Value } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { recordsInOrder } from '../transactions/queries.ts';
import type { TXS } from '../transactions/tables.ts';
import type { ListPart } from './list-parts.ts';
import type { Span, TimeRange } from './spans.ts';

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

/** The spans of a time range (spans.ts); undefined where that is everything. */
type Spans = readonly Span[] | undefined;
type Times = Pick<TimeRange, 'start_time' | 'end_time'>;

/** Within a time range. With the sign no engine reads the index of times for that. */
function inTime({ start_time, end_time }: Times): Condition[] {
  const conditions: Condition[] = [];
  if (start_time) conditions.push({ sql: '+t.burn_time >= ?', params: [start_time] });
  if (end_time) conditions.push({ sql: '+t.burn_time <= ?', params: [end_time] });
  return conditions;
}

/** Within spans. What is between them is little, and told by its time: so a statement is as short for many as for one. */
export function within(range: Times, spans: Spans): Condition[] {
  const [first, last] = [spans?.[0], spans?.at(-1)];
  if (!first || !last) return [];
  return [{ sql: 't.seq >= ? AND t.seq < ?', params: [first.from, last.to] }, ...inHull(range, spans)];
}

/** The same for what is neither below the first span nor above the last one. */
export const inHull = (range: Times, spans: Spans): Condition[] => (spans && spans.length > 1 ? inTime(range) : []);

/**
 * A page of the transactions of some types by fee, those of one fee in chain order; `desc` turns both around. An index has each type in
 * this order, which are merged: what is before the page is passed over. @param conditions on the columns of txs (as `t`)
 */
export async function pageByFee(
  queries: Queries,
  types: readonly number[],
  conditions: readonly Condition[],
  { order, limit, offset }: Slice,
): Promise<string[]> {
  const where = ['t.type = ?', ...conditions.map(({ sql }) => sql)].join(' AND ');
  const ofType = `SELECT fee, seq FROM (SELECT t.fee, t.seq FROM txs t WHERE ${where}
    ORDER BY t.fee ${order}, t.seq ${order} ${mostOf(offset + limit)}) AS of_type`;
  const params = types.flatMap(type => [type, ...conditions.flatMap(condition => condition.params)]);
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order} LIMIT ? OFFSET ?`,
    [...params, limit, offset],
  );
  return recordsInOrder(
    queries,
    rows.map(({ seq }) => seq),
  );
}

const NEAR = 1024;

/**
 * How much of a type can be on a page that ends here. PostgreSQL merges indexes when it knows that it needs little of each, else it sorts all
 * there is (versions before 18 at least); SQLite sorts what has a limit, and merges what has none. So only the first pages say it. A
 * power of two, so that few statement texts serve all sizes.
 */
const mostOf = (end: number): string => (end > NEAR ? '' : `LIMIT ${2 ** Math.ceil(Math.log2(Math.max(1, end)))}`);
