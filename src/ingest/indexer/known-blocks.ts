import { toHex } from '../../base/lib/hex.ts';
import { type RowOf, table } from '../../base/store/table.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';

/** Every Stacks block ever delivered, canonical or not, in order of arrival, except those that were set aside. */
export const KNOWN_BLOCKS = table({
  name: 'known_blocks',
  columns: {
    arrival: 'int',
    index_block_hash: 'bytes',
    parent_index_block_hash: 'bytes',
    block_hash: 'bytes',
    height: 'int',
    burn_block_hash: 'bytes',
    burn_block_height: 'int',
    /** Consensus hash that the newest tenure change at or below it names; null without one, or while the parent is missing. */
    burn_view: 'bytes?',
    journal_seq: 'int',
    /** 1 when all ancestors down to height 1 are known. */
    connected: 'int',
    /** The parent of a block that is not connected, by which it is found when the parent arrives. Null for all others. */
    waits_for: 'bytes?',
    /** Raw time of the block, for averages over a burn block (getBurnBlockV2). */
    block_time: 'int',
    tx_count: 'int',
    /** The microblock it builds on, as JSON [hash, sequence]; null without. */
    parent_microblock: 'text?',
    /** Fields that getBlockV2 serves and no other column has (index/blocks/record.ts). */
    record: 'bytes',
  },
  key: ['arrival'],
  indexes: [
    ['index_block_hash'],
    ['block_hash'],
    ['waits_for'],
    ['burn_block_hash'],
    ['burn_block_height'],
    ['burn_view'],
    ['connected', 'height', 'arrival'],
  ],
});

const FIELDS = [
  'arrival',
  'index_block_hash',
  'parent_index_block_hash',
  'block_hash',
  'height',
  'burn_block_hash',
  'burn_block_height',
  'burn_view',
  'journal_seq',
  'connected',
] as const;
/** The columns that a query of known blocks selects. */
export const SELECTED = FIELDS.join(', ');
/** The same for a table with the alias `k`. */
export const SELECTED_OF_K = FIELDS.map(name => `k.${name}`).join(', ');
export type KnownBlockRow = RowOf<typeof KNOWN_BLOCKS, (typeof FIELDS)[number]>;

export function toKnownBlock(row: KnownBlockRow): KnownBlock {
  return {
    indexBlockHash: toHex(row.index_block_hash),
    parentIndexBlockHash: toHex(row.parent_index_block_hash),
    blockHash: toHex(row.block_hash),
    height: row.height,
    burnBlockHash: toHex(row.burn_block_hash),
    burnBlockHeight: row.burn_block_height,
    burnView: row.burn_view && toHex(row.burn_view),
    arrival: row.arrival,
    journalSeq: row.journal_seq,
  };
}
