/** Pending and dropped transactions in the form of version 3 (docs/spec/mempool.md#version-3). */
import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import { type CursorPage, type CursorQuery, pageOfRows } from '../../paging/cursor-page.ts';
import { authV3 } from '../transactions/auth-v3.ts';
import { blockOfHeight } from '../transactions/pages-v3.ts';
import type { Included } from '../transactions/payload-v3.ts';
import { canonicalRecord, rawTransaction } from '../transactions/queries.ts';
import { mempoolSummaryV3, mempoolTransactionV3, transactionV3 } from '../transactions/record-v3.ts';
import { waitingTransactions } from './queries.ts';

/** `receipt time:transaction id`. */
export const RECEIPT_CURSOR = '^[0-9]+:(0x)?[a-fA-F0-9]{64}$';

/** A transaction by its id (0x, lower case), in any state; undefined if the index does not know the id. */
export async function transactionByIdV3(queries: Queries, txId: string, include: ReadonlySet<Included>) {
  const whole = await wholeWithoutBytes(queries, txId, include);
  const auth = whole && include.has('auth') ? authV3(await rawTransaction(queries, txId)) : undefined;
  return auth ? { ...whole, auth } : whole;
}

async function wholeWithoutBytes(queries: Queries, txId: string, include: ReadonlySet<Included>) {
  const record = await canonicalRecord(queries, txId);
  if (record !== undefined) {
    const stored = readTransaction(record);
    return transactionV3(stored, await blockOfHeight(queries, stored.blockHeight), include);
  }
  const [waiting] = await waitingTransactions(queries, [txId]);
  return waiting && mempoolTransactionV3(waiting, include);
}

type PendingPosition = RowOf<typeof PENDING_TXS, 'receipt_time' | 'tx_id'>;

/**
 * A page of pending transactions, the last received one first.
 * @param principal only transactions that it sends, pays for or receives, or that call or deploy it
 */
export async function pageOfWaiting(
  queries: Queries,
  { cursor, limit }: CursorQuery,
  principal?: string,
): Promise<CursorPage<PendingPosition>> {
  const owner = principal === undefined ? [] : [principal];
  const where =
    principal === undefined
      ? 'FROM pending_txs WHERE streamed = 0'
      : 'FROM pending_lists WHERE list = ? AND streamed = 0';
  const read = (condition: string, place: readonly SqlValue[], order: 'ASC' | 'DESC', count: number) =>
    queries.all<PendingPosition>(
      `SELECT receipt_time, tx_id ${where} ${condition} ORDER BY receipt_time ${order}, tx_id ${order} LIMIT ${count}`,
      [...owner, ...place],
    );
  const counted = await queries.get<{ n: number }>(`SELECT count(*) AS n ${where}`, owner);
  const at = cursor === undefined ? undefined : parseReceiptCursor(cursor);
  const compared = (sign: '<=' | '>') => `AND (receipt_time, tx_id) ${sign} (?, ?)`;
  return pageOfRows({
    total: counted?.n ?? 0,
    limit,
    rows: await read(at ? compared('<=') : '', at ?? [], 'DESC', limit + 1),
    before: at && (await read(compared('>'), at, 'ASC', limit)).at(-1),
    cursorOf: ({ receipt_time, tx_id }) => `${receipt_time}:${toHex(tx_id)}`,
  });
}

function parseReceiptCursor(cursor: string): readonly [time: number, txId: Uint8Array | null] {
  const [time = '', txId = ''] = cursor.split(':');
  return [
    Math.min(Number(time), Number.MAX_SAFE_INTEGER),
    fromHex(`0x${txId.replace(/^0x/, '').toLowerCase()}`) ?? null,
  ];
}

/** The transactions of a page as they are served. */
export async function waitingSummariesV3(queries: Queries, { rows }: CursorPage<PendingPosition>) {
  const waiting = await waitingTransactions(
    queries,
    rows.map(({ tx_id }) => toHex(tx_id)),
  );
  return waiting.map(mempoolSummaryV3);
}
