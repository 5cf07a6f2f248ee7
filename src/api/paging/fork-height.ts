import { fromHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';

/** Most blocks of a branch to follow; a deeper branch counts as unknown. */
const DEEPEST = 5000;

/**
 * The height up to which the canonical chain and the branch of a block are the same (docs/spec/cursors.md#forks), that is,
 * the height of its highest canonical ancestor; 0 for an unknown block. Undefined for a canonical block.
 * @param indexBlockHash 0x hex
 */
export async function forkHeight(queries: Queries, indexBlockHash: string): Promise<number | undefined> {
  const isCanonical = 'EXISTS (SELECT 1 FROM blocks b WHERE b.seq = branch.height - 1 AND b.known = branch.arrival)';
  const row = await queries.get<{ height: number; depth: number }>(
    `WITH RECURSIVE branch (arrival, height, parent, depth) AS (
       SELECT arrival, height, parent_index_block_hash, CAST(0 AS bigint) FROM known_blocks WHERE index_block_hash = ?
       UNION ALL
       SELECT k.arrival, k.height, k.parent_index_block_hash, branch.depth + 1
         FROM branch JOIN known_blocks k ON k.index_block_hash = branch.parent
        WHERE branch.depth < ${DEEPEST} AND NOT ${isCanonical}
     )
     SELECT height, depth FROM branch WHERE ${isCanonical} ORDER BY depth LIMIT 1`,
    [fromHex(indexBlockHash) ?? null],
  );
  if (!row) return 0;
  return row.depth === 0 ? undefined : row.height;
}
