import type { Gap } from '../chain/gap.ts';
import { toHex } from '../lib/hex.ts';
import { POX_UNLOCK_HEIGHTS } from '../resources/blocks/projection.ts';
import type { Queries } from '../store/database.ts';

const MAX_GAPS = 100;

/** Blocks that wait for a parent nobody has delivered, the lowest first. */
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

/** Burn heights at which the locks of PoX 1, 2 and 3 end by force, null while not known. */
export async function readPoxUnlockHeights(queries: Queries): Promise<[number | null, number | null, number | null]> {
  const row = await queries.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', [POX_UNLOCK_HEIGHTS]);
  const heights: (number | null)[] = row ? JSON.parse(row.value) : [];
  return [heights[0] ?? null, heights[1] ?? null, heights[2] ?? null];
}
