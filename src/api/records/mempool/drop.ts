/** Reason and time of a transaction's drop from the mempool (docs/spec/mempool.md#drop). */
import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { isDropped } from '../../../index/mempool/status.ts';
import type { MEMPOOL_TXS } from '../../../index/mempool/tables.ts';
import { STATUS_NAMES } from './record.ts';

type DropRow = RowOf<typeof MEMPOOL_TXS, 'status' | 'dropped_at' | 'replaced_by'>;

/** The drop of a transaction; undefined if it is pending, mined or unknown. @param txId 0x hex */
export async function mempoolDrop(queries: Queries, txId: string) {
  const row = await queries.get<DropRow>('SELECT status, dropped_at, replaced_by FROM mempool_txs WHERE tx_id = ?', [
    fromHex(txId) ?? null,
  ]);
  if (!row || !isDropped(row.status)) return undefined;
  return {
    tx_id: txId,
    status: STATUS_NAMES[row.status],
    time: row.dropped_at,
    replaced_by: row.replaced_by && toHex(row.replaced_by),
  };
}
