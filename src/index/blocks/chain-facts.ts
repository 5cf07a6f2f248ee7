/* Facts about the chain as a whole: rows of the table `facts`, which the blocks projection writes. */

/** Name of the fact that holds the unanchored microblocks on the tip: [[hash, sequence, transactions], ...]. */
export const UNANCHORED = 'unanchored_microblocks';

/** Name of the fact that holds the forced unlock heights of PoX 1 to 4, with the Stacks height at which they became known: [[height, (number | null)[]], ...]. */
export const POX_UNLOCK_HEIGHTS = 'pox_unlock_heights';

/** Name of the fact that holds the highest time of a burn block so far, and the most seconds by which a later one was behind it. */
export const BURN_TIMES = 'burn_times';
export type BurnTimes = readonly [highest: number, greatestLateness: number];

/** Name of the fact that holds the burn block of the newest block, and its number in `blocks`. */
export const NEWEST_BURN_BLOCK = 'newest_burn_block';
export type NewestBurnBlock = readonly [hash: string, number: number];
