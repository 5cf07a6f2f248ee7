/** The data for drawings of blocks (docs/spec/blocks.md#cells). */
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { StoredTransaction } from '../../../index/transactions/stored.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { COST_LIMITS } from '../../../ingest/chain/cost-limits.ts';
import { newestTransactions } from '../transactions/queries.ts';
import { blocksDownFrom, type CanonicalBlock } from './queries.ts';

/** A block and earlier ones, the newest first, with the newest of their transactions up to the limit. */
export async function cellsOf(
  queries: Queries,
  top: CanonicalBlock,
  { blocks: most, limit }: { readonly blocks: number; readonly limit: number },
) {
  const blocks = await blocksDownFrom(queries, top.height - 1, most);
  const end = top.firstTx + top.txRows;
  const wanted = Math.min(limit, end - (blocks.at(-1)?.firstTx ?? end));
  const newest = await newestTransactions(wanted, (passed, rows) =>
    queries.all<RowOf<typeof TXS, 'record'>>('SELECT record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq DESC', [
      end - passed - rows,
      end - passed,
    ]),
  );
  const transactions = newest.reverse();
  const first = end - transactions.length;
  return blocks.map(({ firstTx, txRows, record, indexBlockHash, height }) => {
    const own = transactions.slice(Math.max(0, firstTx - first), Math.max(0, firstTx + txRows - first));
    return {
      height,
      hash: record.hash,
      index_hash: indexBlockHash,
      bitcoin_height: record.burn_block_height,
      transaction_count: txRows,
      type: own.map(tx => tx.payload.type),
      status: own.map(tx => tx.status),
      fee_rate: own.map(tx => tx.fee),
      cost_share_ppm: own.map(largestShare),
    };
  });
}

/** The largest share of a limit that a transaction used, in millionths. Computed in integers, as a node may report any number. */
function largestShare(tx: StoredTransaction): number {
  const shares = COSTS.map(cost => (BigInt(tx.cost[cost]) * 1_000_000n) / BigInt(COST_LIMITS[cost]));
  return shares.reduce((most, share) => Math.max(most, Number(share)), 0);
}

const COSTS = ['runtime', 'read_count', 'read_length', 'write_count', 'write_length'] as const;
