import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { nameArguments } from '../../../index/transactions/record.ts';
import { readTransaction, type StoredTransaction } from '../../../index/transactions/stored.ts';
import type { ORPHANED_TXS } from '../../../index/transactions/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { functionsOfContractsNow } from '../contracts/queries.ts';
import { idsInTurns } from './queries.ts';

/** Whether a block that was not canonical at the time has had this transaction. */
export async function isOrphaned(queries: Queries, txId: string): Promise<boolean> {
  if (horizonOf(queries)) return false; // reads as of a block see only its chain
  const sql = 'SELECT tx_id FROM orphaned_txs WHERE tx_id = ? LIMIT 1';
  return (await queries.get(sql, [fromHex(txId) ?? null])) !== undefined;
}

/** A transaction in an orphaned block, with the names that its call has now. @param block index block hash, 0x hex */
export async function orphanedTransaction(
  queries: Queries,
  txId: string,
  block: string,
): Promise<StoredTransaction | undefined> {
  const sql = 'SELECT record FROM orphaned_txs WHERE tx_id = ? AND block = ?';
  const row = await queries.get<RowOf<typeof ORPHANED_TXS, 'record'>>(sql, [
    fromHex(txId) ?? null,
    fromHex(block) ?? null,
  ]);
  if (!row) return undefined;
  const tx = { ...readTransaction(row.record), canonical: false };
  const { payload } = tx;
  if (payload.type !== 'contract_call') return tx;
  return { ...tx, payload: nameArguments(payload, await functionsOfContractsNow(queries, [payload.contractId])) };
}

/** Ids of the transactions of an orphaned block, in its order. @param block index block hash, 0x hex */
export const transactionIdsOfOrphan = (queries: Queries, block: string): Promise<string[]> =>
  idsInTurns(async (passed, most) => {
    const sql = 'SELECT tx_id FROM orphaned_txs WHERE block = ? AND place >= 0 ORDER BY place LIMIT ? OFFSET ?';
    const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'tx_id'>>(sql, [fromHex(block) ?? null, most, passed]);
    return rows.map(row => toHex(row.tx_id));
  });
