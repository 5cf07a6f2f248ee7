import { decodeTransaction } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import { inLists } from '../../base/store/in-list.ts';
import type { IndexTransaction } from '../../ingest/indexer/projection.ts';
import type { JournalEntry } from '../../ingest/journal/entries.ts';
import type { DropMempoolTx } from '../../ingest/node/events/bodies.ts';
import { feeOf } from '../transactions/record.ts';
import type { TxType } from '../transactions/tables.ts';
import { idBytes, type MempoolTx, mempoolRowsOf, putRows, slotsOf } from './rows.ts';
import { type MempoolChanges, settledNow } from './settle.ts';
import { isDropped, STATUS, statusOfReason } from './status.ts';

/** Distance between the arrival numbers of two messages, so that each transaction of a message can have a number. */
const MAX_PER_MESSAGE = 1_000_000;

/**
 * Handles transactions that a node has accepted into its mempool. Ignores bytes that do not decode. A dropped transaction starts over,
 * whether its node dropped it, another transaction outbid it, or it aged. A pending or mined one keeps its time of receipt and
 * its place among equal fees (docs/spec/mempool.md#life-of-a-pending-transaction). Each transaction of a message is handled
 * independently of the others.
 */
export async function announceTransactions(
  transaction: IndexTransaction,
  changes: MempoolChanges,
  rawTxs: readonly string[],
  entry: JournalEntry,
): Promise<void> {
  const announced = new Map<string, MempoolTx>();
  for (const [i, rawTx] of rawTxs.entries()) {
    const row = announcedRow(transaction, rawTx, entry, i);
    if (row) announced.set(row.txId, row);
  }
  for (const txId of await thoseInPlace(transaction, announced.keys())) announced.delete(txId);
  await putRows(transaction.tx, [...announced.values()]);
  changes.touch(announced.keys());
  noteChange(transaction);
}

/** The transactions that were announced and are pending or mined now. */
async function thoseInPlace(transaction: IndexTransaction, txIds: Iterable<string>): Promise<string[]> {
  const known = (await mempoolRowsOf(transaction.tx, txIds)).filter(({ announced }) => announced);
  return (await settledNow(transaction, known))
    .filter(({ outcome }) => !isDropped(outcome.status))
    .map(({ row }) => row.txId);
}

function announcedRow(
  transaction: IndexTransaction,
  rawTx: string,
  entry: JournalEntry,
  i: number,
): MempoolTx | undefined {
  const row = newRow(rawTx, arrivalOf(transaction, i));
  if (!row) return undefined;
  const receiptTime = secondsOfDelivery(entry);
  const { clock } = transaction.state.mempool;
  return {
    ...row,
    announced: true,
    receiptTime,
    chainTime: clock?.time ?? receiptTime,
    chainHeight: clock?.height ?? 0,
  };
}

const secondsOfDelivery = ({ receivedAt }: JournalEntry): number => Math.floor(receivedAt / 1_000_000);

/**
 * A new row for a transaction. Undefined for bytes that do not decode, and for transactions that are never pending: a coinbase
 * and a tenure change belong to the block of their miner.
 */
export function newRow(
  rawTx: string,
  arrival: number,
): Omit<MempoolTx, 'receiptTime' | 'chainTime' | 'chainHeight'> | undefined {
  const decoded = decodeTransaction(fromHex(rawTx) ?? new Uint8Array());
  if (!decoded.ok || OF_MINERS.has(decoded.value.payload.kind)) return undefined;
  return {
    txId: decoded.value.txId,
    slots: slotsOf(decoded.value),
    fee: feeOf(decoded.value),
    announced: false,
    arrival,
    dropped: null,
    droppedFor: null,
    droppedAt: null,
    status: STATUS.UNSETTLED,
    replacedBy: null,
  };
}

const OF_MINERS: ReadonlySet<string> = new Set<TxType>(['coinbase', 'tenure_change']);

/** The arrival number of a transaction: it grows with each message, and with the place in the message. */
export const arrivalOf = ({ state }: IndexTransaction, index: number): number =>
  (state.position + 1) * MAX_PER_MESSAGE + Math.min(index, MAX_PER_MESSAGE - 1);

/** Handles transactions that a node has dropped from its mempool. Ignores unknown ones. */
export async function dropTransactions(
  transaction: IndexTransaction,
  changes: MempoolChanges,
  message: DropMempoolTx,
  entry: JournalEntry,
): Promise<void> {
  const { dropped_txids: txIds, reason, new_txid: newTxId } = message;
  const status = statusOfReason(reason);
  const replacement = newTxId === null ? null : idBytes(newTxId);
  for (const { list, values } of inLists(txIds.map(idBytes))) {
    await transaction.tx.run(
      `UPDATE mempool_txs SET dropped = ?, dropped_for = ?, dropped_at = ? WHERE tx_id IN ${list}`,
      [status, replacement, secondsOfDelivery(entry), ...values],
    );
  }
  changes.touch(txIds);
  noteChange(transaction);
}

/** Notes that the mempool may differ from now on although the tip does not. */
export function noteChange(transaction: IndexTransaction): void {
  const { mempool, position } = transaction.state;
  transaction.state = { ...transaction.state, mempool: { ...mempool, version: position + 1 } };
}
