import type { ChainMoment } from '../../chain/chain-clock.ts';
import { fromHex, toHex } from '../../lib/hex.ts';
import type { Queries, Transaction, Value } from '../../store/database.ts';
import { inLists } from '../../store/in-list.ts';
import { deleteRows, type KeyOf, type RowOf, upsertRows } from '../../store/table.ts';
import type { Slot } from './slots.ts';
import { MEMPOOL_TXS } from './tables.ts';

/** A row of MEMPOOL_TXS. Ids are 0x hex. */
export interface MempoolTx extends ChainMoment {
  readonly txId: string;
  /** One, or two where it is sponsored. */
  readonly slots: readonly [origin: Slot] | readonly [origin: Slot, sponsor: Slot];
  readonly fee: bigint;
  readonly announced: boolean;
  readonly arrival: number;
  readonly receiptTime: number;
  readonly dropped: number | null;
  readonly droppedFor: string | null;
  readonly status: number;
  readonly replacedBy: string | null;
}

type MempoolRow = RowOf<typeof MEMPOOL_TXS>;

const FIELDS = Object.keys(MEMPOOL_TXS.columns).join(', ');

export const idBytes = (txId: string): Uint8Array => fromHex(txId) ?? new Uint8Array();

/** The rows of these transactions, those that there are. */
export async function rowsOf(queries: Queries, txIds: Iterable<string>): Promise<MempoolTx[]> {
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
  values: readonly Value[],
): Promise<MempoolTx[]> {
  const rows: MempoolTx[] = [];
  for (const part of inLists(values)) {
    const sql = `SELECT ${FIELDS} FROM mempool_txs WHERE ${column} IN ${part.list}`;
    rows.push(...(await queries.all<MempoolRow>(sql, part.values)).map(fromRow));
  }
  return rows;
}

/** Writes rows, new or changed. No transaction may occur twice. */
export async function putRows(tx: Transaction, rows: readonly MempoolTx[]): Promise<void> {
  await upsertRows(tx, MEMPOOL_TXS, rows.map(toRow));
}

/** The keys of these transactions in all three tables. */
export const keysOf = (rows: readonly MempoolTx[]): KeyOf<typeof MEMPOOL_TXS>[] =>
  rows.map(({ txId }) => ({ tx_id: idBytes(txId) }));

export async function removeRows(tx: Transaction, rows: readonly MempoolTx[]): Promise<void> {
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
  status: row.status,
  replacedBy: row.replaced_by && toHex(row.replaced_by),
});

const toRow = (tx: MempoolTx): MempoolRow => ({
  tx_id: idBytes(tx.txId),
  slot: tx.slots[0],
  sponsor_slot: tx.slots[1] ?? null,
  fee: bigEndian(tx.fee),
  announced: tx.announced ? 1 : 0,
  arrival: tx.arrival,
  receipt_time: tx.receiptTime,
  chain_time: tx.chainTime,
  chain_height: tx.chainHeight,
  dropped: tx.dropped,
  dropped_for: tx.droppedFor === null ? null : idBytes(tx.droppedFor),
  status: tx.status,
  replaced_by: tx.replacedBy === null ? null : idBytes(tx.replacedBy),
});

/** 8 bytes that sort as the number does. */
export function bigEndian(amount: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(amount);
  return bytes;
}
