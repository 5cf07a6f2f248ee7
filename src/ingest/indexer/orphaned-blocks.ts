import { hexBytes } from '../../base/lib/hex.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { deleteRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';

/**
 * The blocks of the graph that are not canonical: all known blocks whose ancestors are known too, except the boot block. The
 * table is small, so forks are found without a search of the chain. Its rows have no undo: code that moves the tip reports which
 * blocks the chain lost and which it took.
 */
export const ORPHANED_BLOCKS = table({
  name: 'orphaned_blocks',
  columns: {
    height: 'int',
    /** Index block hash. */
    block: 'bytes',
    /** Index block hash of its parent. */
    parent: 'bytes',
    /** Its row in known_blocks. */
    known: 'int',
  },
  key: ['height', 'block'],
});

type Orphan = Pick<KnownBlock, 'height' | 'indexBlockHash' | 'parentIndexBlockHash' | 'arrival'>;

/** Adds blocks that are connected and not canonical. */
export async function keepOrphans(tx: DatabaseTransaction, blocks: readonly Orphan[]): Promise<void> {
  const orphans = blocks.filter(({ height }) => height > 0);
  if (orphans.length > 0) await upsertRows(tx, ORPHANED_BLOCKS, orphans.map(toRow));
}

/** Removes blocks that are canonical now, or not connected any more. */
export async function dropOrphans(tx: DatabaseTransaction, blocks: readonly Orphan[]): Promise<void> {
  if (blocks.length > 0) await deleteRows(tx, ORPHANED_BLOCKS, blocks.map(toRow));
}

const toRow = ({ height, indexBlockHash, parentIndexBlockHash, arrival }: Orphan): RowOf<typeof ORPHANED_BLOCKS> => ({
  height,
  block: hexBytes(indexBlockHash),
  parent: hexBytes(parentIndexBlockHash),
  known: arrival,
});
