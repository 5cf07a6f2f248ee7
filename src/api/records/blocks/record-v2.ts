import { toHex } from '../../../base/lib/hex.ts';
import { isoTime } from '../../../base/lib/time.ts';
import type { BlockRecordRow } from '../../../index/blocks/record.ts';
import { readStoredBlock } from '../../../index/blocks/stored.ts';
import { costFields } from '../../../index/transactions/stored.ts';
import { shownTime } from '../../../ingest/chain/block-facts.ts';

/** A block as getBlockV2 and getBlocksV2 serve it, in emitted order (docs/spec/blocks.md#block-record). */
export interface BlockV2 extends ReturnType<typeof costFields> {
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

/** The record of a block in its canonical form. */
export function blockV2(row: BlockRecordRow): BlockV2 {
  const { parentBlockHash, minerTxId, tenureHeight, burnBlockTime, cost } = readStoredBlock(row.record);
  const blockTime = shownTime({ blockTime: row.block_time, burnBlockTime });
  return {
    canonical: true,
    height: row.height,
    hash: toHex(row.block_hash),
    block_time: blockTime,
    block_time_iso: isoTime(blockTime),
    tenure_height: tenureHeight,
    index_block_hash: toHex(row.index_block_hash),
    parent_block_hash: parentBlockHash,
    parent_index_block_hash: toHex(row.parent_index_block_hash),
    burn_block_time: burnBlockTime,
    burn_block_time_iso: isoTime(burnBlockTime),
    burn_block_hash: toHex(row.burn_block_hash),
    burn_block_height: row.burn_block_height,
    miner_txid: minerTxId,
    tx_count: row.tx_count,
    ...costFields(cost),
  };
}
