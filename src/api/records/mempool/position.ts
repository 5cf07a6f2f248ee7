/** The position of a pending transaction among the others (docs/spec/mempool.md#position). */
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { MEMPOOL_TXS, PENDING_TXS } from '../../../index/mempool/tables.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';

type OwnRow = RowOf<typeof PENDING_TXS, 'fee' | 'type' | 'chain_height' | 'receipt_time'> &
  RowOf<typeof MEMPOOL_TXS, 'chain_time'>;

type RankRow = RowOf<typeof PENDING_TXS, 'type'> & { readonly higher: number; readonly total: number };

/** Age in seconds of the chain at which nodes drop a pending transaction, from epoch 3 on. */
const LIFETIME = 2560 * 60;

/**
 * Ranks of a pending transaction by fee, its waiting time and its expiry; undefined if it is not pending. @param txId
 * 0x hex
 */
export async function mempoolPosition(queries: Queries, txId: string) {
  const own = await queries.get<OwnRow>(
    `SELECT p.fee, p.type, p.chain_height, p.receipt_time, m.chain_time
      FROM pending_txs p JOIN mempool_txs m ON m.tx_id = p.tx_id WHERE p.tx_id = ? AND p.streamed = 0`,
    [fromHex(txId) ?? null],
  );
  if (!own) return undefined;
  const ranks = await queries.all<RankRow>(
    `SELECT type, CAST(sum(CASE WHEN fee > ? THEN 1 ELSE 0 END) AS bigint) AS higher, count(*) AS total
      FROM pending_txs WHERE streamed = 0 GROUP BY type`,
    [own.fee],
  );
  const { tip } = await readState(queries);
  return {
    tx_id: txId,
    fee: rankAmong(ranks),
    fee_of_type: rankAmong(ranks.filter(({ type }) => type === own.type)),
    receipt_time: own.receipt_time,
    blocks_waited: Math.max(0, (tip?.height ?? 0) - own.chain_height),
    forgotten_after: own.chain_time + LIFETIME,
  };
}

/** The rank of a fee: 1 is the highest fee, and equal fees share a rank. */
const rankAmong = (rows: readonly RankRow[]) => ({
  rank: rows.reduce((sum, { higher }) => sum + higher, 1),
  total: rows.reduce((sum, { total }) => sum + total, 0),
});
