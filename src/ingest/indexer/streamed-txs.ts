import { fromHex, hexBytes, toHex } from '../../base/lib/hex.ts';
import { type RowOf, table } from '../../base/store/table.ts';
import { type BlockFacts, inChainOrder } from '../chain/block-facts.ts';
import type { StreamedMicroblock } from '../chain/microblocks.ts';
import type { IndexTransaction } from './projection.ts';

/**
 * The number of each streamed transaction in its microblock. A transaction keeps it in the first block that accepts the microblock,
 * although blocks number their transactions through (docs/spec/ingestion.md#order-of-transactions). In a competing block that
 * accepts the same microblock, it has the number from that block (as recorded).
 */
export const STREAMED_TXS = table({
  name: 'streamed_txs',
  columns: { microblock: 'bytes', tx_id: 'bytes', tx_index: 'int', accepted_by: 'bytes?' },
  key: ['microblock', 'tx_id'],
});

/** A microblock that is streamed again, as after a fork below it, keeps the note of the block that accepted it first. */
export async function keepStreamedIndexes(session: IndexTransaction, microblock: StreamedMicroblock): Promise<void> {
  const hash = hexBytes(microblock.hash);
  const known = await session.tx.get('SELECT 1 AS known FROM streamed_txs WHERE microblock = ? LIMIT 1', [hash]);
  if (known) return;
  for (const tx of microblock.txs) {
    session.workspace.keep(STREAMED_TXS, {
      microblock: hash,
      tx_id: hexBytes(tx.txId),
      tx_index: tx.txIndex,
      accepted_by: null,
    });
  }
}

/** The block with its microblock transactions numbered as they were streamed, if it is the first to accept them. */
export async function withStreamedIndexes(session: IndexTransaction, facts: BlockFacts): Promise<BlockFacts> {
  await session.workspace.flush();
  const indexes = new Map<string, number>();
  const block = fromHex(facts.indexBlockHash) ?? null;
  for (const { hash } of facts.microblocks) {
    const microblock = fromHex(hash) ?? null;
    await session.tx.run('UPDATE streamed_txs SET accepted_by = ? WHERE microblock = ? AND accepted_by IS NULL', [
      block,
      microblock,
    ]);
    const rows = await session.tx.all<RowOf<typeof STREAMED_TXS, 'tx_id' | 'tx_index'>>(
      'SELECT tx_id, tx_index FROM streamed_txs WHERE microblock = ? AND accepted_by = ?',
      [microblock, block],
    );
    for (const row of rows) indexes.set(`${hash} ${toHex(row.tx_id)}`, row.tx_index);
  }
  const txs = facts.txs.map(tx => ({ ...tx, txIndex: indexes.get(`${tx.microblock?.hash} ${tx.txId}`) ?? tx.txIndex }));
  return { ...facts, txs: txs.sort(inChainOrder) };
}
