import type { ListKind } from '../../indexer/tables.ts';
import { fromHex, toHex } from '../../lib/hex.ts';
import type { Queries, Row, Value } from '../../store/database.ts';
import { unpackRecord } from './packed-record.ts';

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

/** The bytes of a transaction, whatever became of it, as 0x hex (E20). */
export async function rawTransaction(queries: Queries, txId: string): Promise<string | undefined> {
  const row = await queries.get<{ raw: Uint8Array }>('SELECT raw FROM raw_txs WHERE tx_id = ?', [
    fromHex(txId) ?? null,
  ]);
  return row && toHex(row.raw);
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

/** A page of a list: a seek, whatever the offset. */
export async function pageOfList(queries: Queries, list: TxList, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, list.length);
  return records(
    await queries.all<RecordRow>(
      `SELECT t.record FROM list_txs e JOIN txs t ON t.seq = e.tx
        WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq ${slice.order}`,
      [list.id, from, to],
    ),
  );
}

/** A condition on the columns of txs (as `t`). */
export interface Condition {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** A page and the count of what no single list holds: the shortest list that contains it is searched. */
export async function pageOfMatches(
  queries: Queries,
  list: TxList | undefined,
  conditions: readonly Condition[],
  sort: readonly string[],
  { order, offset, limit }: Slice,
): Promise<{ total: number; records: string[] }> {
  const from = list ? 'list_txs e JOIN txs t ON t.seq = e.tx' : 'txs t';
  const all = list ? [{ sql: 'e.list = ?', params: [list.id] }, ...conditions] : conditions;
  const where = all.length > 0 ? `WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : '';
  const params = all.flatMap(condition => condition.params);
  const count = await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${from} ${where}`, params);
  const rows = await queries.all<RecordRow>(
    `SELECT t.record FROM ${from} ${where} ORDER BY ${sort.map(column => `t.${column} ${order}`).join(', ')} LIMIT ? OFFSET ?`,
    [...params, limit, offset],
  );
  return { total: count?.n ?? 0, records: records(rows) };
}

/** Number of canonical transactions, with those of unanchored microblocks. */
export async function countTransactions(queries: Queries): Promise<number> {
  const row = await queries.get<{ last: number | null }>('SELECT max(seq) AS last FROM txs');
  return (row?.last ?? -1) + 1;
}
