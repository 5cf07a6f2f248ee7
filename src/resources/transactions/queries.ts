import type { ListKind } from '../../indexer/tables.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries, Row, Value } from '../../store/database.ts';
import type { ListPart } from './list-parts.ts';
import { unpackRecord } from './packed-record.ts';
import { recordsInOrder } from './positions.ts';

interface RecordRow extends Row {
  record: string;
}

const records = (rows: readonly RecordRow[]): string[] => rows.map(row => unpackRecord(row.record));

/** Records of consecutive transactions, in chain order. */
export async function transactionsInOrder(queries: Queries, first: number, count: number): Promise<string[]> {
  const sql = 'SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq';
  return records(await queries.all<RecordRow>(sql, [first, first + count]));
}

/** Ids of the transactions of a block, in chain order. */
export async function transactionIdsOfBlock(queries: Queries, first: number, count: number): Promise<string[]> {
  const rows = await queries.all<{ tx_id: Uint8Array }>(
    'SELECT tx_id FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq',
    [first, first + count],
  );
  return rows.map(row => toHex(row.tx_id));
}

/** A list of transactions as it is now. */
export interface TxList {
  readonly id: number;
  readonly length: number;
}

/** The list of this kind and name; undefined when it has no entries. */
export async function findList(queries: Queries, kind: ListKind, name: string): Promise<TxList | undefined> {
  return queries.get<{ id: number; length: number }>('SELECT id, length FROM lists WHERE kind = ? AND name = ?', [
    kind.code,
    name,
  ]);
}

/** A slice of a list by position: `order` desc counts from the newest. */
export interface Slice {
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Positions [from, to) that a slice of a list of this length covers. */
export function positionsOf({ order, offset, limit }: Slice, length: number): { from: number; to: number } {
  const start = Math.min(offset, length);
  const end = Math.min(start + limit, length);
  return order === 'asc' ? { from: start, to: end } : { from: length - end, to: length - start };
}

/** A page of all transactions: a seek, whatever the offset. */
export async function pageOfAll(queries: Queries, length: number, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, length);
  const sql = `SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq ${slice.order}`;
  return records(await queries.all<RecordRow>(sql, [from, to]));
}

/**
 * Entries of a list of transactions, as a table to join with: a seek, whatever the offset. Its parameters are the list and the first and
 * the last position. The limit changes nothing but what PostgreSQL expects: it takes the first entries of a long list for many, as most lists
 * are short, and would join them by reading all transactions. It is a power of two, so that few statement texts serve all sizes.
 */
export function slicedEntries(table: 'list_txs' | 'address_txs', order: Slice['order'], length: number): string {
  const limit = 2 ** Math.ceil(Math.log2(Math.max(1, length)));
  return `(SELECT * FROM ${table} WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${order} LIMIT ${limit})`;
}

/** The records of a slice of a part of a list. */
export async function recordsOfPart(queries: Queries, part: ListPart, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, part.length);
  const entries = slicedEntries('list_txs', slice.order, to - from);
  return records(
    await queries.all<RecordRow>(
      `SELECT t.record FROM ${entries} e JOIN txs t ON t.seq = e.tx ORDER BY e.seq ${slice.order}`,
      [part.list, part.from + from, part.from + to],
    ),
  );
}

/** The transactions that a slice of a part of a list has, by position among all. */
export async function entriesOf(queries: Queries, part: ListPart, slice: Slice): Promise<number[]> {
  const { from, to } = positionsOf(slice, part.length);
  const rows = await queries.all<{ tx: number }>(
    `SELECT tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${slice.order}`,
    [part.list, part.from + from, part.from + to],
  );
  return rows.map(({ tx }) => tx);
}

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

/** The columns of txs that have the orders of E18. */
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
  const rows = await queries.all<{ seq: number }>(
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

/** Number of canonical transactions, with those of unanchored microblocks. */
export async function countTransactions(queries: Queries): Promise<number> {
  const row = await queries.get<{ last: number | null }>('SELECT max(seq) AS last FROM txs');
  return (row?.last ?? -1) + 1;
}
