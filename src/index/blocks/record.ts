import { hexBytes } from '../../base/lib/hex.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';

/** The columns of a block `k` of known_blocks from which its record is made. */
export const RECORD_FIELDS = `k.height, k.block_hash, k.index_block_hash, k.parent_index_block_hash, k.burn_block_hash,
  k.burn_block_height, k.block_time, k.tx_count, k.record`;
export type BlockRecordRow = RowOf<
  typeof KNOWN_BLOCKS,
  | 'height'
  | 'block_hash'
  | 'index_block_hash'
  | 'parent_index_block_hash'
  | 'burn_block_hash'
  | 'burn_block_height'
  | 'block_time'
  | 'tx_count'
  | 'record'
>;

/** Bytes of a hash. */
export const HASH_BYTES = 32;

/** Packs the fields of a block's record that no other column of known_blocks has: two hashes, then numbers as JSON. */
export function packBlockRecord(block: BlockFacts): Uint8Array {
  const { read_count, read_length, runtime, write_count, write_length } = block.cost;
  const numbers: PackedNumbers = [
    block.tenureHeight ?? (block.signerBitvec === null ? block.height : -1),
    block.burnBlockTime,
    ...([read_count, read_length, runtime, write_count, write_length] as const),
  ];
  return Buffer.concat([
    hexBytes(block.parentBlockHash),
    hexBytes(block.minerTxId),
    Buffer.from(JSON.stringify(numbers)),
  ]);
}

export type PackedNumbers = [
  ...[tenureHeight: number, burnBlockTime: number],
  ...[readCount: number, readLength: number, runtime: number, writeCount: number, writeLength: number],
];
