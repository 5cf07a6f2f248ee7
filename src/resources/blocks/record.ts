import { type BlockFacts, shownTime } from '../../chain/block-facts.ts';
import { isoTime } from '../../lib/time.ts';
import { type CostFields, costFields } from '../transactions/cost.ts';

/** A block as getBlock and getBlocks serve it, in emitted order (docs/spec/blocks.md#block-record). */
export interface BlockRecord extends CostFields {
  readonly canonical: boolean;
  readonly height: number;
  readonly hash: string;
  readonly block_time: number;
  readonly block_time_iso: string;
  readonly tenure_height: number;
  readonly index_block_hash: string;
  readonly parent_block_hash: string;
  readonly parent_index_block_hash: string;
  readonly burn_block_time: number;
  readonly burn_block_time_iso: string;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly miner_txid: string;
  readonly tx_count: number;
}

/** The record of a block as it looks while it is canonical. */
export function blockRecord(block: BlockFacts): BlockRecord {
  return {
    canonical: true,
    height: block.height,
    hash: block.blockHash,
    block_time: shownTime(block),
    block_time_iso: isoTime(shownTime(block)),
    tenure_height: block.tenureHeight ?? (block.signerBitvec === null ? block.height : -1),
    index_block_hash: block.indexBlockHash,
    parent_block_hash: block.parentBlockHash,
    parent_index_block_hash: block.parentIndexBlockHash,
    burn_block_time: block.burnBlockTime,
    burn_block_time_iso: isoTime(block.burnBlockTime),
    burn_block_hash: block.burnBlockHash,
    burn_block_height: block.burnBlockHeight,
    miner_txid: block.minerTxId,
    tx_count: block.txCount,
    ...costFields(block.cost),
  };
}
