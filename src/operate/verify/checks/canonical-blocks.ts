import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { pagedRows } from '../pages.ts';

/** A block of the canonical chain with its row in known_blocks, whose columns are null if that row is missing. */
export type CanonicalRow = RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows'> &
  OuterRowOf<
    typeof KNOWN_BLOCKS,
    'index_block_hash' | 'parent_index_block_hash' | 'height' | 'connected' | 'journal_seq'
  > & {
    /** Of its burn block; null where that was never announced. */
    readonly burn_canonical: number | null;
  };

/** The canonical chain from height 1 upwards. */
export const canonicalBlocks = (index: Queries): AsyncIterable<CanonicalRow> =>
  pagedRows<CanonicalRow>(index, {
    sql: `SELECT b.seq, b.first_tx, b.tx_rows, k.index_block_hash, k.parent_index_block_hash, k.height, k.connected,
      k.journal_seq, u.canonical AS burn_canonical
      FROM blocks b
        LEFT JOIN known_blocks k ON k.arrival = b.known
        LEFT JOIN burn_blocks u ON u.hash = k.burn_block_hash`,
    key: ['seq'],
    alias: 'b',
    pageSize: 200,
  });
