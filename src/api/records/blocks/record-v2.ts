import { toHex } from '../../../base/lib/hex.ts';
import { isoTime } from '../../../base/lib/time.ts';
import { type BlockRecordRow, HASH_BYTES, type PackedNumbers } from '../../../index/blocks/record.ts';
import { type CostFields, costFields } from '../../../index/transactions/cost.ts';
import { shownTime } from '../../../ingest/chain/block-facts.ts';

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

/** The record of a block in its canonical form. */
export function blockRecord(row: BlockRecordRow): BlockRecord {
  const packed = Buffer.from(row.record.buffer, row.record.byteOffset, row.record.byteLength);
  const [tenureHeight, burnBlockTime, ...cost] = JSON.parse(packed.toString('latin1', 2 * HASH_BYTES)) as PackedNumbers;
  const [read_count, read_length, runtime, write_count, write_length] = cost;
  const blockTime = shownTime({ blockTime: row.block_time, burnBlockTime });
  return {
    canonical: true,
    height: row.height,
    hash: toHex(row.block_hash),
    block_time: blockTime,
    block_time_iso: isoTime(blockTime),
    tenure_height: tenureHeight,
    index_block_hash: toHex(row.index_block_hash),
    parent_block_hash: toHex(packed.subarray(0, HASH_BYTES)),
    parent_index_block_hash: toHex(row.parent_index_block_hash),
    burn_block_time: burnBlockTime,
    burn_block_time_iso: isoTime(burnBlockTime),
    burn_block_hash: toHex(row.burn_block_hash),
    burn_block_height: row.burn_block_height,
    miner_txid: toHex(packed.subarray(HASH_BYTES, 2 * HASH_BYTES)),
    tx_count: row.tx_count,
    ...costFields({ read_count, read_length, runtime, write_count, write_length }),
  };
}
