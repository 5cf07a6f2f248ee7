import { decodeTransaction, type Transaction as StacksTransaction } from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import { u64 } from '../../base/lib/number-bytes.ts';
import type { DatabaseTransaction, Queries, SqlValue } from '../../base/store/database.ts';
import { inLists } from '../../base/store/in-list.ts';
import { deleteRows, type KeyOf, type RowOf, upsertRows } from '../../base/store/table.ts';
import type { ChainMoment } from '../../ingest/chain/chain-clock.ts';
import { type AccountNonce, nonceName } from '../transactions/mined.ts';
import { waitingRawTransactions } from '../transactions/raw.ts';
import { namedContract } from '../transactions/record.ts';
import { TX_TYPES } from '../transactions/tables.ts';
import { STATUS } from './status.ts';
import { MEMPOOL_TXS, type PENDING_TXS } from './tables.ts';

/**
 * A nonce of an account, `address:nonce`, that a transaction uses when it is mined. Only one of the transactions that want
 * the same slot can be mined, so only one is pending.
 */
export type Slot = string;

/** The slot of the sender, and that of the sponsor, if there is one. */
export const slotsOf = ({ origin, sponsor }: StacksTransaction): readonly [Slot] | readonly [Slot, Slot] =>
  sponsor === null ? [nonceName(origin)] : [nonceName(origin), nonceName(sponsor)];

export function nonceOf(slot: Slot): AccountNonce {
  const colon = slot.lastIndexOf(':');
  return { address: slot.slice(0, colon), nonce: BigInt(slot.slice(colon + 1)) };
}

/** A row of MEMPOOL_TXS. Ids are 0x hex. */
export interface MempoolTx extends ChainMoment {
  readonly txId: string;
  /** One slot, or two for a sponsored transaction. */
  readonly slots: readonly [origin: Slot] | readonly [origin: Slot, sponsor: Slot];
  readonly fee: bigint;
  readonly announced: boolean;
  readonly arrival: number;
  readonly receiptTime: number;
  readonly dropped: number | null;
  readonly droppedFor: string | null;
  readonly droppedAt: number | null;
  readonly status: number;
  readonly replacedBy: string | null;
}

type MempoolRow = RowOf<typeof MEMPOOL_TXS>;

const FIELDS = Object.keys(MEMPOOL_TXS.columns).join(', ');

export const idBytes = (txId: string): Uint8Array => fromHex(txId) ?? new Uint8Array();

/** The existing rows of these transactions. */
export async function mempoolRowsOf(queries: Queries, txIds: Iterable<string>): Promise<MempoolTx[]> {
  return select(queries, 'tx_id', [...txIds].map(idBytes));
}

/** The rows of all transactions that want one of these slots, as sender or as sponsor. */
export async function rowsWanting(queries: Queries, slots: Iterable<Slot>): Promise<MempoolTx[]> {
  const all = [...slots];
  const rows = [...(await select(queries, 'slot', all)), ...(await select(queries, 'sponsor_slot', all))];
  return [...new Map(rows.map(row => [row.txId, row])).values()];
}

async function select(
  queries: Queries,
  column: 'tx_id' | 'slot' | 'sponsor_slot',
  values: readonly SqlValue[],
): Promise<MempoolTx[]> {
  const rows: MempoolTx[] = [];
  for (const part of inLists(values)) {
    const sql = `SELECT ${FIELDS} FROM mempool_txs WHERE ${column} IN ${part.list}`;
    rows.push(...(await queries.all<MempoolRow>(sql, part.values)).map(fromRow));
  }
  return rows;
}

/** Writes new or changed rows. No transaction may occur twice. */
export async function putRows(tx: DatabaseTransaction, rows: readonly MempoolTx[]): Promise<void> {
  await upsertRows(tx, MEMPOOL_TXS, rows.map(toRow));
}

/** The keys of these transactions in all three tables. */
export const keysOf = (rows: readonly MempoolTx[]): KeyOf<typeof MEMPOOL_TXS>[] =>
  rows.map(({ txId }) => ({ tx_id: idBytes(txId) }));

export async function removeRows(tx: DatabaseTransaction, rows: readonly MempoolTx[]): Promise<void> {
  await deleteRows(tx, MEMPOOL_TXS, keysOf(rows));
}

const fromRow = (row: MempoolRow): MempoolTx => ({
  txId: toHex(row.tx_id),
  slots: row.sponsor_slot === null ? [row.slot] : [row.slot, row.sponsor_slot],
  fee: Buffer.from(row.fee).readBigUInt64BE(),
  announced: row.announced === 1,
  arrival: row.arrival,
  receiptTime: row.receipt_time,
  chainTime: row.chain_time,
  chainHeight: row.chain_height,
  dropped: row.dropped,
  droppedFor: row.dropped_for && toHex(row.dropped_for),
  droppedAt: row.dropped_at,
  status: row.status,
  replacedBy: row.replaced_by && toHex(row.replaced_by),
});

const toRow = ({ slots: [origin, sponsor], ...tx }: MempoolTx): MempoolRow => ({
  tx_id: idBytes(tx.txId),
  slot: origin,
  sponsor_slot: sponsor ?? null,
  fee: u64(tx.fee),
  announced: tx.announced ? 1 : 0,
  arrival: tx.arrival,
  receipt_time: tx.receiptTime,
  chain_time: tx.chainTime,
  chain_height: tx.chainHeight,
  dropped: tx.dropped,
  dropped_for: tx.droppedFor === null ? null : idBytes(tx.droppedFor),
  dropped_at: tx.droppedAt,
  status: tx.status,
  replaced_by: tx.replacedBy === null ? null : idBytes(tx.replacedBy),
});

/** Orders transactions that were announced in the same second; 0 for one that was only seen in a block. */
export const shownArrival = ({ announced, arrival }: MempoolTx): number => (announced ? arrival : 0);

/**
 * Rows of PENDING_TXS. Their columns come from the bytes of a transaction. Every transaction here has bytes, except one whose id a false
 * Bitcoin operation has taken since, which is left out.
 */
export async function pendingRows(queries: Queries, rows: readonly MempoolTx[]): Promise<RowOf<typeof PENDING_TXS>[]> {
  const raws = await waitingRawTransactions(
    queries,
    rows.map(({ txId }) => txId),
  );
  return rows.flatMap(row => {
    const raw = fromHex(raws.get(row.txId) ?? '') ?? new Uint8Array();
    const decoded = decodeTransaction(raw);
    if (!decoded.ok) return [];
    const pending = {
      tx_id: idBytes(row.txId),
      streamed: row.status === STATUS.STREAMED ? 1 : 0,
      receipt_time: row.receiptTime,
      arrival: shownArrival(row),
      chain_height: row.chainHeight,
      size: raw.length,
      fee: u64(row.fee),
      ...shownFacts(decoded.value),
    };
    return [pending];
  });
}

function shownFacts(tx: StacksTransaction) {
  const { payload, origin, sponsor } = tx;
  const transfer = payload.kind === 'token_transfer' ? payload : null;
  return {
    type: TX_TYPES[payload.kind],
    sender: origin.address,
    nonce: u64(origin.nonce),
    payer: (sponsor ?? origin).address,
    sponsor_nonce: sponsor && u64(sponsor.nonce),
    recipient: transfer?.recipient ?? null,
    amount: transfer ? String(transfer.amount) : null,
    contract: namedContract(tx),
  };
}
