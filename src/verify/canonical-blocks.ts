import type { Queries, Row } from '../store/database.ts';
import { rowsOf } from './pages.ts';

/** A block of the canonical chain with its row in known_blocks, whose columns are null where there is none. */
export interface CanonicalRow extends Row {
  readonly seq: number;
  readonly first_tx: number;
  readonly tx_rows: number;
  readonly index_block_hash: Uint8Array | null;
  readonly parent_index_block_hash: Uint8Array | null;
  readonly height: number | null;
  readonly connected: number | null;
  readonly journal_seq: number | null;
  /** Of its burn block; null where that was never announced. */
  readonly burn_canonical: number | null;
}

/** The canonical chain from height 1 upwards. */
export const canonicalBlocks = (index: Queries): AsyncIterable<CanonicalRow> =>
  rowsOf<CanonicalRow>(index, {
    select: `b.seq, b.first_tx, b.tx_rows, k.index_block_hash, k.parent_index_block_hash, k.height, k.connected,
      k.journal_seq, u.canonical AS burn_canonical`,
    from: `blocks b LEFT JOIN known_blocks k ON k.arrival = b.known LEFT JOIN burn_blocks u ON u.hash = k.burn_block_hash`,
    key: ['seq'],
    alias: 'b',
    pageSize: 200,
  });
