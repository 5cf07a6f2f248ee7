import type { Network } from './network.ts';

/** How a chain divides the burn chain into reward cycles, in burn blocks. */
export interface PoxCycles {
  /** Height at which cycle 0 begins. */
  readonly first: number;
  readonly length: number;
  /** The last blocks of a cycle, which pay no rewards and determine the signers of the next cycle. */
  readonly prepare: number;
}

/** The cycles of mainnet never change. Other networks choose theirs, and events of nodes do not contain them. */
export const poxCyclesOf = (network: Network): PoxCycles | undefined =>
  network === 'mainnet' ? { first: 666_050, length: 2100, prepare: 100 } : undefined;

/**
 * Burn blocks in a reward cycle, as far as the network determines them; regtests differ
 * (docs/spec/ingestion.md#operations-from-bitcoin, rule 4).
 */
export const rewardCycleLength = (network: Network): number => poxCyclesOf(network)?.length ?? 50;

/** Burn heights of a cycle: its first block, the first of its prepare phase, its last. */
export interface CycleHeights {
  readonly start_height: number;
  readonly prepare_height: number;
  readonly end_height: number;
}

export function heightsOfCycle({ first, length, prepare }: PoxCycles, cycle: number): CycleHeights {
  const next = first + (cycle + 1) * length;
  return { start_height: next - length, prepare_height: next - prepare, end_height: next - 1 };
}

/** The cycle of a burn height; negative before the first. */
export const cycleOfHeight = ({ first, length }: PoxCycles, height: number): number =>
  Math.floor((height - first) / length);

/** Where a cycle is at a burn height. */
export type CyclePhase = 'upcoming' | 'reward' | 'prepare' | 'ended';

export function phaseOfCycle({ start_height, prepare_height, end_height }: CycleHeights, height: number): CyclePhase {
  if (height < start_height) return 'upcoming';
  if (height < prepare_height) return 'reward';
  return height <= end_height ? 'prepare' : 'ended';
}
