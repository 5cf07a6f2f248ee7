import { isoTime } from '../../../src/base/lib/time.ts';
import { sequenceOf } from '../transactions.ts';
import type { Block, Payload, Tx, World } from '../world.ts';

/** A block as getBlockV2 and getBlocksV2 show it (docs/spec/blocks.md#block-record). */
export const blockRecord = (block: Block): Record<string, unknown> => ({
  canonical: true,
  ...head(block),
  parent_index_block_hash: block.parentIndexHash,
  ...burn(block),
  tx_count: block.payload.transactions.length,
  ...blockCosts(block.payload),
});

/**
 * A block as getBlockByBurnBlockHashV1 and searchByIdV1 show it (docs/spec/blocks.md#block-by-burn-block). Microblocks are those of
 * the canonical chain, also beside and below an orphaned block.
 */
export function blockV1Record(world: World, block: Block): Record<string, unknown> {
  const canonical = world.blocks.includes(block);
  const { parent_microblock, parent_microblock_sequence } = block.payload;
  const hasStream = !/^0x0{64}$/.test(parent_microblock);
  const accepted = microblocksOn(
    world.blocks.flatMap(({ txs }) => txs),
    block.parentIndexHash,
  );
  return {
    canonical,
    ...head(block),
    ...burn(block),
    ...(storedTime(block) === 0 && block.burnTime === 0 && { block_time_iso: EPOCH }),
    ...(block.burnTime === 0 && { burn_block_time_iso: EPOCH }),
    ...blockCosts(block.payload),
    txs: (canonical ? txsOf(world, block) : block.txs.map(({ txId }) => txId)).reverse(),
    parent_microblock_hash: hasStream ? parent_microblock : '',
    parent_microblock_sequence: hasStream ? parent_microblock_sequence : -1,
    microblocks_accepted: [...accepted.keys()],
    microblocks_streamed: [...microblocksOn(world.txs, block.indexHash).keys()],
    microblock_tx_count: Object.fromEntries(accepted),
  };
}

/** The ISO form of the time 0, which a boot block can have. */
const EPOCH = '1970-01-01T00:00:00.000Z';

/** The execution costs in the five fields of every record. */
export const costs = (cost: Payload) => ({
  execution_cost_read_count: cost.read_count,
  execution_cost_read_length: cost.read_length,
  execution_cost_runtime: cost.runtime,
  execution_cost_write_count: cost.write_count,
  execution_cost_write_length: cost.write_length,
});

/** The time of a block as it is stored: that of its burn block before Nakamoto. */
export const storedTime = ({ payload, burnTime }: Block): number => payload.block_time ?? burnTime;

function head(block: Block) {
  const time = storedTime(block) || block.burnTime;
  return {
    height: block.height,
    hash: block.hash,
    block_time: time,
    block_time_iso: isoTime(time),
    tenure_height: block.payload.tenure_height ?? (block.payload.signer_bitvec ? -1 : block.height),
    index_block_hash: block.indexHash,
    parent_block_hash: block.payload.parent_block_hash,
  };
}

const burn = (block: Block) => ({
  burn_block_time: block.burnTime,
  burn_block_time_iso: isoTime(block.burnTime),
  burn_block_hash: block.burnHash,
  burn_block_height: block.burnHeight,
  miner_txid: block.payload.miner_txid,
});

/** The costs that the node sends with the block. Old nodes send none: then the sums over its transactions. */
function blockCosts({ anchored_cost, transactions }: Payload) {
  if (anchored_cost) return costs(anchored_cost);
  const sum = (name: string): number =>
    transactions.reduce((total: number, { execution_cost }: Payload) => total + execution_cost[name], 0);
  const names = ['read_count', 'read_length', 'runtime', 'write_count', 'write_length'];
  return costs(Object.fromEntries(names.map(name => [name, sum(name)])));
}

const txsOf = (world: World, { height }: Block): string[] =>
  world.txs.filter(tx => tx.block.height === height).map(({ txId }) => txId);

/** The microblocks of these transactions that stand on a block, by sequence, with the number of their transactions. */
function microblocksOn(txs: readonly Tx[], indexHash: string): Map<string, number> {
  const counts = new Map<string, number>();
  const standing = txs.filter(tx => tx.microblock && tx.block.parentIndexHash === indexHash);
  for (const { microblock } of standing.sort((a, b) => sequenceOf(a) - sequenceOf(b)))
    if (microblock) counts.set(microblock.hash, (counts.get(microblock.hash) ?? 0) + 1);
  return counts;
}
