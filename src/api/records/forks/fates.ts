/** The states of the transactions of a fork (docs/spec/blocks.md#forks). */
import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import type { ORPHANED_TXS } from '../../../index/transactions/tables.ts';
import { receptionsOf } from '../mempool/queries.ts';
import { transactionsOfIds } from '../transactions/positions-v3.ts';

/** Maximum number of transactions in a response about a fork. */
export const MOST_FORK_TRANSACTIONS = 200;

/** A block of a fork. */
interface LostBlock {
  readonly height: number;
  /** 0x hex. */
  readonly index_hash: string;
  readonly transaction_count: number;
}

type LostRow = RowOf<typeof ORPHANED_TXS, 'tx_id' | 'block' | 'place' | 'record'>;

/** The transactions of these blocks, in their order, with the current state of each. */
export async function fatesOf(queries: Queries, blocks: readonly LostBlock[]) {
  const lost = await lostTransactions(queries, blocks);
  const ids = new Map(lost.map(({ row }) => [toHex(row.tx_id), row.tx_id]));
  const mined = await transactionsOfIds(queries, [...ids.values()]);
  const waiting = new Map((await receptionsOf(queries, [...ids.keys()])).map(({ txId, status }) => [txId, status]));
  return lost.map(({ row, block }) => {
    const txId = toHex(row.tx_id);
    const place = mined.get(txId)?.block;
    return {
      tx_id: txId,
      type: readTransaction(row.record).payload.type,
      lost_in: { height: block.height, index_hash: block.index_hash },
      status: place ? 'mined' : (waiting.get(txId) ?? 'gone'),
      mined_in: place ?? null,
    };
  });
}

/**
 * Reads just enough blocks to fill the result, and at most MOST_FORK_TRANSACTIONS rows of each: a block can have ten
 * thousand.
 */
async function lostTransactions(queries: Queries, blocks: readonly LostBlock[]) {
  let before = 0;
  const read = blocks.filter(({ transaction_count }) => {
    const isWanted = before < MOST_FORK_TRANSACTIONS;
    before += transaction_count;
    return isWanted;
  });
  const rows = await allIn<LostRow>(
    queries,
    list => `SELECT tx_id, block, place, record FROM orphaned_txs
      WHERE block IN ${list} AND place >= 0 AND place < ${MOST_FORK_TRANSACTIONS} ORDER BY block, place`,
    read.map(({ index_hash }) => fromHex(index_hash) ?? null),
  );
  const byBlock = Map.groupBy(rows, ({ block }) => toHex(block));
  return read
    .flatMap(block => (byBlock.get(block.index_hash) ?? []).map(row => ({ row, block })))
    .slice(0, MOST_FORK_TRANSACTIONS);
}
