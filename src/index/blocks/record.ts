import { hexBytes, toHex } from '../../base/lib/hex.ts';
import { isoTime } from '../../base/lib/time.ts';
import type { RowOf } from '../../base/store/table.ts';
import { type BlockFacts, shownTime } from '../../ingest/chain/block-facts.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
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

/** The columns of a block `k` of known_blocks that its record is made of. */
export const RECORD_FIELDS = `k.height, k.block_hash, k.index_block_hash, k.parent_index_block_hash, k.burn_block_hash,
  k.burn_block_height, k.block_time, k.tx_count, k.record`;
export type RecordRow = RowOf<
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
const HASH = 32;

/** What the record of a block has that no other column of known_blocks has: two hashes, then numbers as JSON. */
export function packRecord(block: BlockFacts): Uint8Array {
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

type PackedNumbers = [
  ...[tenureHeight: number, burnBlockTime: number],
  ...[readCount: number, readLength: number, runtime: number, writeCount: number, writeLength: number],
];

/** The record of a block as it looks while it is canonical. */
export function blockRecord(row: RecordRow): BlockRecord {
  const packed = Buffer.from(row.record.buffer, row.record.byteOffset, row.record.byteLength);
  const [tenureHeight, burnBlockTime, ...cost] = JSON.parse(packed.toString('latin1', 2 * HASH)) as PackedNumbers;
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
    parent_block_hash: toHex(packed.subarray(0, HASH)),
    parent_index_block_hash: toHex(row.parent_index_block_hash),
    burn_block_time: burnBlockTime,
    burn_block_time_iso: isoTime(burnBlockTime),
    burn_block_hash: toHex(row.burn_block_hash),
    burn_block_height: row.burn_block_height,
    miner_txid: toHex(packed.subarray(HASH, 2 * HASH)),
    tx_count: row.tx_count,
    ...costFields({ read_count, read_length, runtime, write_count, write_length }),
  };
}
