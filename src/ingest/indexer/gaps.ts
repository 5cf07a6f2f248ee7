import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { Gap } from '../chain/unapplied.ts';

/** Maximum number of gaps reported. */
export const MAX_GAPS = 100;

/** Blocks that wait for an undelivered parent, the lowest first. */
export async function readGaps(queries: Queries): Promise<Gap[]> {
  const rows = await queries.all<{ height: number; parent: Uint8Array }>(
    `SELECT k.height, k.parent_index_block_hash AS parent FROM known_blocks k
      WHERE k.connected = 0
        AND NOT EXISTS (
          SELECT 1 FROM known_blocks p
           WHERE p.index_block_hash = k.parent_index_block_hash AND p.height = k.height - 1
        )
      ORDER BY k.height, k.arrival LIMIT ${MAX_GAPS}`,
  );
  return rows.map(({ height, parent }) => ({ height, missingParent: toHex(parent) }));
}

/** Number of blocks that wait, at any distance above an undelivered block. */
export async function countWaitingBlocks(queries: Queries): Promise<number> {
  // Uses the index of that column, which is null for all other blocks.
  const sql = 'SELECT COUNT(*) AS count FROM known_blocks WHERE waits_for IS NOT NULL';
  return Number((await queries.get<{ count: number }>(sql))?.count ?? 0);
}

/** Whether a block was ever delivered, canonical or not. */
export async function isKnownBlock(queries: Queries, indexBlockHash: string): Promise<boolean> {
  const sql = 'SELECT arrival FROM known_blocks WHERE index_block_hash = ? LIMIT 1';
  return (await queries.get(sql, [fromHex(indexBlockHash) ?? null])) !== undefined;
}
