import { setImmediate as nextTurn } from 'node:timers/promises';
import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries, Table } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTransaction, type StoredTransaction, version1Text } from '../../../index/transactions/stored.ts';
import type { RAW_TXS, TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { positionsOf, type Slice } from '../../../ingest/indexer/lists.ts';

export type RecordRow = RowOf<typeof TXS, 'record'>;

export const records = (rows: readonly RecordRow[]): string[] => rows.map(row => version1Text(row.record));

/** Records of consecutive transactions, in chain order. */
export async function transactionsInOrder(queries: Queries, first: number, count: number): Promise<string[]> {
  const sql = 'SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq';
  return records(await queries.all<RecordRow>(sql, [first, first + count]));
}

/** A page of consecutive transactions, the last one first. */
export async function transactionsFromEnd(
  queries: Queries,
  first: number,
  count: number,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<string[]> {
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, count);
  const sql = 'SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq DESC';
  return from === to ? [] : records(await queries.all<RecordRow>(sql, [first + from, first + to]));
}

/** The ids that one statement reads, which takes about five milliseconds. */
const IDS_AT_ONCE = 4_000;

/**
 * Ids in chain order. A block may have tens of thousands, so several statements read them in turn, and other requests run in between.
 * @param read reads at most so many ids after those that were read
 */
export async function idsInTurns(read: (passed: number, most: number) => Promise<string[]>): Promise<string[]> {
  let ids = await read(0, IDS_AT_ONCE);
  for (let last = ids.length; last === IDS_AT_ONCE; ) {
    await nextTurn();
    const more = await read(ids.length, IDS_AT_ONCE);
    last = more.length;
    ids = ids.concat(more);
  }
  return ids;
}

/** Ids of the transactions of a block, in chain order. */
export const transactionIdsOfBlock = (queries: Queries, first: number, count: number): Promise<string[]> =>
  idsInTurns(async (passed, most) => {
    const rows = await queries.all<RowOf<typeof TXS, 'tx_id'>>(
      'SELECT tx_id FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq',
      [first + passed, first + Math.min(passed + most, count)],
    );
    return rows.map(row => toHex(row.tx_id));
  });

/** A page of all transactions: a seek, whatever the offset. */
export async function pageOfAll(queries: Queries, length: number, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, length);
  const sql = `SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq ${slice.order}`;
  return records(await queries.all<RecordRow>(sql, [from, to]));
}

/**
 * SQL of a table of entries of a list of transactions, to join with; it seeks, whatever the offset. Its parameters are the list, and the first and the last
 * position. The limit only corrects the estimate of PostgreSQL, which would expect far too many entries and join them by reading all transactions. The limit
 * is a power of two, so that few statement texts serve all sizes.
 */
export function slicedEntries(table: Table, order: Slice['order'], length: number): string {
  const limit = 2 ** Math.ceil(Math.log2(Math.max(1, length)));
  return `(SELECT * FROM ${table.name} WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${order} LIMIT ${limit})`;
}

/** The packed record of a canonical transaction by its id (0x, lower case); undefined when it is not canonical. */
export async function canonicalRecord(queries: Queries, txId: string): Promise<string | undefined> {
  const sql = 'SELECT record FROM txs WHERE tx_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1';
  return (await queries.get<RecordRow>(sql, [fromHex(txId) ?? null, endOfTransactions(queries)]))?.record;
}

const rowsAt = (queries: Queries, positions: readonly number[]) =>
  allIn<RowOf<typeof TXS, 'seq' | 'record'>>(
    queries,
    list => `SELECT seq, record FROM txs WHERE seq IN ${list}`,
    positions,
  );

/** These transactions, by position. */
export async function storedAt(
  queries: Queries,
  positions: readonly number[],
): Promise<Map<number, StoredTransaction>> {
  return new Map((await rowsAt(queries, positions)).map(({ seq, record }) => [seq, readTransaction(record)]));
}

/** The same as versions 1 and 2 serve them. */
export async function recordsAt(queries: Queries, positions: readonly number[]): Promise<Map<number, string>> {
  return new Map((await rowsAt(queries, positions)).map(({ seq, record }) => [seq, version1Text(record)]));
}

/** The same records in the order of the positions. */
export async function recordsInOrder(queries: Queries, positions: readonly number[]): Promise<string[]> {
  const records = await recordsAt(queries, positions);
  return positions.flatMap(position => records.get(position) ?? []);
}

/** The bytes of a transaction as 0x hex, whether it is confirmed, pending, dropped or orphaned. */
export async function rawTransaction(queries: Queries, txId: string): Promise<string | undefined> {
  const id = fromHex(txId) ?? null;
  const row = await queries.get<RowOf<typeof RAW_TXS, 'raw'>>(
    `SELECT b.raw FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.tx_id = ? AND t.seq < ?
      UNION ALL SELECT raw FROM raw_txs WHERE tx_id = ? LIMIT 1`,
    [id, endOfTransactions(queries), horizonOf(queries) ? null : id],
  );
  return row && toHex(row.raw);
}

/** The characters of packed records that one request reads. A record can have megabytes, from a long source or long arguments. */
const MOST_CHARACTERS = 4_000_000;
/** The records of the first read. Each further read takes twice as many, as long as the records so far were small. */
const FIRST_ROWS = 20;

/**
 * Transactions from the newest down, as many as wanted, or fewer if they are large.
 * @param read returns a number of packed records of a list, the newest first, after an offset
 */
export async function newestTransactions(
  wanted: number,
  read: (passed: number, rows: number) => Promise<readonly { readonly record: string }[]>,
): Promise<StoredTransaction[]> {
  const transactions: StoredTransaction[] = [];
  let characters = 0;
  let rows = FIRST_ROWS;
  while (transactions.length < wanted && characters < MOST_CHARACTERS) {
    const asked = Math.min(rows, wanted - transactions.length);
    const found = await read(transactions.length, asked);
    for (const { record } of found) {
      characters += record.length;
      transactions.push(readTransaction(record));
    }
    if (found.length < asked) break;
    const room = (MOST_CHARACTERS - characters) / (characters / transactions.length);
    rows = Math.max(1, Math.min(2 * rows, Math.ceil(room)));
  }
  return transactions;
}
