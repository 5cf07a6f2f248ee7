import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { FACTS } from '../../ingest/indexer/tables.ts';

/* What is known of the chain as a whole: rows of the table `facts`, which the blocks projection writes. */

/** Name of the fact that holds the unanchored microblocks on the tip: [[hash, sequence, transactions], ...]. */
export const UNANCHORED = 'unanchored_microblocks';
export type UnanchoredMicroblock = readonly [hash: string, sequence: number, transactions: number];

/** Name of the fact that holds the forced unlock heights of PoX 1 to 4: (number | null)[]. */
export const POX_UNLOCK_HEIGHTS = 'pox_unlock_heights';

/** Name of the fact that holds the highest time of a burn block so far, and how far behind it a later one was at most, in seconds. */
export const BURN_TIMES = 'burn_times';
export type BurnTimes = readonly [highest: number, greatestLateness: number];

/** Name of the fact that holds the burn block of the newest block, and its number in `blocks`. */
export const NEWEST_BURN_BLOCK = 'newest_burn_block';
export type NewestBurnBlock = readonly [hash: string, number: number];

/** How far the time of a burn block was behind an earlier one at most, in seconds. */
export async function greatestLateness(queries: Queries): Promise<number> {
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [BURN_TIMES]);
  const [, lateness]: BurnTimes = row ? JSON.parse(row.value) : [0, 0];
  return lateness;
}

/** Burn heights at which the locks of PoX 1, 2, 3 and 4 end by force, null while not known. */
export async function forcedUnlockHeights(queries: Queries): Promise<(number | null)[]> {
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [
    POX_UNLOCK_HEIGHTS,
  ]);
  return row ? JSON.parse(row.value) : [];
}

/** As forcedUnlockHeights, those of PoX 1, 2 and 3 alone. */
export async function readPoxUnlockHeights(queries: Queries): Promise<[number | null, number | null, number | null]> {
  const [v1, v2, v3] = await forcedUnlockHeights(queries);
  return [v1 ?? null, v2 ?? null, v3 ?? null];
}

/** The microblocks streamed on the tip, in order. */
export async function unanchoredMicroblocks(queries: Queries): Promise<readonly UnanchoredMicroblock[]> {
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [UNANCHORED]);
  return row ? JSON.parse(row.value) : [];
}
