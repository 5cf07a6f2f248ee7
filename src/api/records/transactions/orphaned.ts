import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { unpackRecord } from '../../../index/transactions/packed-record.ts';
import { namedCall } from '../../../index/transactions/payload-record.ts';
import type { ORPHANED_TXS } from '../../../index/transactions/tables.ts';
import { functionsOfContractsNow } from '../contracts/functions.ts';

/** Whether a block that was not canonical at the time has had this transaction. */
export async function isOrphaned(queries: Queries, txId: string): Promise<boolean> {
  const sql = 'SELECT tx_id FROM orphaned_txs WHERE tx_id = ? LIMIT 1';
  return (await queries.get(sql, [fromHex(txId) ?? null])) !== undefined;
}

/** The record of a transaction in an orphaned block, as JSON text. @param block index block hash, 0x hex */
export async function orphanedTransaction(queries: Queries, txId: string, block: string): Promise<string | undefined> {
  const sql = 'SELECT record FROM orphaned_txs WHERE tx_id = ? AND block = ?';
  const row = await queries.get<RowOf<typeof ORPHANED_TXS, 'record'>>(sql, [
    fromHex(txId) ?? null,
    fromHex(block) ?? null,
  ]);
  if (!row) return undefined;
  const { contract_call: call, ...record } = { ...JSON.parse(unpackRecord(row.record)), canonical: false };
  if (!call) return JSON.stringify(record);
  const functionOf = await functionsOfContractsNow(queries, [call.contract_id]);
  const { sponsor_nonce, sponsor_address, ...others } = record;
  const sponsor = sponsor_address === undefined ? {} : { sponsor_nonce, sponsor_address };
  return JSON.stringify({ ...others, contract_call: namedCall(call, functionOf), ...sponsor });
}

/** Ids of the transactions of an orphaned block, in its order. @param block index block hash, 0x hex */
export async function transactionIdsOfOrphan(queries: Queries, block: string): Promise<string[]> {
  const sql = 'SELECT tx_id FROM orphaned_txs WHERE block = ? AND place >= 0 ORDER BY place';
  const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'tx_id'>>(sql, [fromHex(block) ?? null]);
  return rows.map(row => toHex(row.tx_id));
}
