import { type BlockFacts, shownTime } from './block-facts.ts';

/**
 * The time of the chain's tip, from which the age of a pending transaction is computed. So a replay of the journal makes the same
 * mempool as live delivery, whenever it runs.
 */
export interface ChainClock {
  /** Unix seconds of the tip. */
  readonly time: number;
  readonly height: number;
  /** Blocks of epoch 3 carry the signers' vote; age is counted in blocks before, in minutes since. */
  readonly nakamoto: boolean;
}

/** When a transaction was received, on the chain's clock. */
export interface ChainMoment {
  readonly chainTime: number;
  readonly chainHeight: number;
}

const MAX_AGE_BLOCKS = 256;
const MAX_AGE_SECONDS = 2560 * 60;

export const clockOf = (block: BlockFacts): ChainClock => ({
  time: shownTime(block),
  height: block.height,
  nakamoto: block.signerBitvec !== null,
});

/** Whether a transaction has waited longer than nodes keep one (docs/spec/mempool.md#life-of-a-pending-transaction). */
export function hasAged({ chainTime, chainHeight }: ChainMoment, clock: ChainClock | null): boolean {
  if (clock === null) return false;
  return clock.nakamoto ? chainTime < oldestTime(clock) : chainHeight <= newestAgedHeight(clock);
}

const oldestTime = (clock: ChainClock): number => clock.time - MAX_AGE_SECONDS;
const newestAgedHeight = (clock: ChainClock): number => clock.height - MAX_AGE_BLOCKS;

/** The same rule as conditions on the columns chain_time and chain_height. */
export function agedCondition(clock: ChainClock): { aged: string; fresh: string; bound: number } {
  return clock.nakamoto
    ? { aged: 'chain_time < ?', fresh: 'chain_time >= ?', bound: oldestTime(clock) }
    : { aged: 'chain_height <= ?', fresh: 'chain_height > ?', bound: newestAgedHeight(clock) };
}
