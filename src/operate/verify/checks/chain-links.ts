import { toHex } from '../../../base/lib/hex.ts';
import { unanchoredMicroblocks } from '../../../index/blocks/canonical-chain.ts';
import { CANONICAL_BLOCKS } from '../../../index/blocks/tables.ts';
import { type Check, wrong } from '../check.ts';
import { canonicalBlocks } from './canonical-blocks.ts';

export const chainLinksCheck: Check = {
  name: 'canonical chain',
  proves:
    'every block has the one below it as its parent, and a canonical burn block; their transactions follow each other',
  recounts: [CANONICAL_BLOCKS],

  async *run({ index }) {
    let parent: string | undefined;
    let nextTx = 0;
    for await (const block of canonicalBlocks(index)) {
      const height = block.seq + 1;
      const { index_block_hash: hash, parent_index_block_hash: parentHash } = block;
      if (!hash || !parentHash) {
        yield wrong(`blocks: the block of height ${height} is not among the known ones`);
        parent = undefined;
        continue;
      }
      if (block.height !== height) yield wrong(`blocks: the block at height ${height} has height ${block.height}`);
      if (block.connected !== 1) yield wrong(`blocks: the block of height ${height} is not connected`);
      if (block.burn_canonical === 0) yield wrong(`blocks: the burn block of height ${height} is not canonical`);
      if (parent !== undefined && toHex(parentHash) !== parent)
        yield wrong(`blocks: the block of height ${height} is not a child of the one below it`);
      if (block.first_tx !== nextTx)
        yield wrong(`blocks: the transactions of height ${height} begin at ${block.first_tx}, not ${nextTx}`);
      parent = toHex(hash);
      nextTx = block.first_tx + block.tx_rows;
    }
    const unanchored = await unanchoredMicroblocks(index);
    const end = unanchored.reduce((sum, [, , count]) => sum + count, nextTx);
    const txs = await index.get<{ count: number }>('SELECT count(*) AS count FROM txs');
    if (txs?.count !== end) yield wrong(`txs: there are ${txs?.count} transactions, but the chain has ${end}`);
  },
};
