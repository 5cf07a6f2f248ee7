/** Reward cycles with their place in the burn chain, and the cycles of a signer (docs/spec/staking.md#cycles). */
import { hexBytes } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredRewardSet, readStoredSigner, type StoredRewardSet } from '../../../index/pox/stored.ts';
import { type POX_CYCLES, type POX_SIGNERS, SIGNERS_OF_CYCLE } from '../../../index/pox/tables.ts';
import {
  type CycleHeights,
  type CyclePhase,
  cycleOfHeight,
  heightsOfCycle,
  type PoxCycles,
  phaseOfCycle,
} from '../../../ingest/chain/pox-cycles.ts';
import { inMemoryList } from '../../paging/cursor-page.ts';
import { findCycleRecord } from '../pox/signer-queries.ts';
import { burnHeightOfTip } from './bonds.ts';
import { newestCycle, percentOf } from './cycle-signers.ts';

/**
 * A cycle that has a reward set, is running or past, or comes next; undefined for others. @param number undefined: the
 * highest that has a reward set @param cycles undefined: not known, then only cycles with a reward set are found
 */
export async function stakingCycle(queries: Queries, number: number | undefined, cycles: PoxCycles | undefined) {
  const cycle = number ?? (await newestCycle(queries));
  if (cycle === undefined) return undefined;
  const record = await findCycleRecord(queries, cycle);
  const burnHeight = await burnHeightOfTip(queries);
  const isNear = cycles !== undefined && cycle <= cycleOfHeight(cycles, burnHeight) + 1;
  if (record === undefined && !isNear) return undefined;
  return {
    cycle_number: cycle,
    bitcoin_height: burnHeight,
    ...heightsAndPhaseOf(cycle, cycles, burnHeight),
    reward_set: record === undefined ? null : rewardSet(readStoredRewardSet(record)),
  };
}

function heightsAndPhaseOf(
  cycle: number,
  cycles: PoxCycles | undefined,
  burnHeight: number,
): { readonly heights: CycleHeights | null; readonly phase: CyclePhase | null } {
  if (cycles === undefined) return { heights: null, phase: null };
  const heights = heightsOfCycle(cycles, cycle);
  return { heights, phase: phaseOfCycle(heights, burnHeight) };
}

const rewardSet = ({
  block_height,
  index_block_hash,
  total_weight,
  total_stacked_amount,
  total_signers,
}: StoredRewardSet) => ({ block_height, index_block_hash, total_weight, total_stacked_amount, total_signers });

/** A cycle that has a signer: totals of the reward set, and the signer in it, as JSON. */
interface SignedCycle {
  readonly cycle: number;
  readonly totals: string;
  readonly signer: string;
}

/**
 * The cycles whose reward set has a signer with this key, the newest first: all of them, as there are 26 a year.
 * @param key 0x hex
 */
export async function cyclesOfSigner(queries: Queries, key: string): Promise<SignedCycle[]> {
  const cycles = await queries.all<
    RowOf<typeof POX_CYCLES, 'cycle' | 'first_signer' | 'signers' | 'record'> & { readonly list: number }
  >(
    `SELECT c.cycle, c.first_signer, c.signers, c.record, l.id AS list
      FROM pox_cycles c JOIN lists l ON l.kind = ? AND l.name = CAST(c.cycle AS text) ORDER BY c.cycle DESC`,
    [SIGNERS_OF_CYCLE.code],
  );
  const named = await allIn<RowOf<typeof POX_SIGNERS, 'list' | 'seq' | 'record'>>(
    queries,
    list => `SELECT list, seq, record FROM pox_signers WHERE signing_key = ? AND list IN ${list}`,
    cycles.map(({ list }) => list),
    [hexBytes(key)],
  );
  // A set is a range of the list of its cycle. Of a signer that it names twice, the heavier entry counts, which is the first.
  return cycles.flatMap(({ cycle, record: totals, list, first_signer: first, signers }) => {
    const [signer] = named
      .filter(entry => entry.list === list && entry.seq >= first && entry.seq < first + signers)
      .sort((one, other) => one.seq - other.seq);
    return signer ? [{ cycle, totals, signer: signer.record }] : [];
  });
}

/** The list of these cycles, and the position of the cursor's cycle. @param from any number; undefined for the first */
export function listOfCycles(cycles: readonly SignedCycle[], from: number | undefined) {
  const found = from === undefined ? 0 : cycles.findIndex(({ cycle }) => cycle <= from);
  return { list: inMemoryList(cycles, ({ cycle }) => String(cycle)), first: found < 0 ? cycles.length : found };
}

/** One of them as it is served. */
export function signedCycleV3({ cycle, totals, signer }: SignedCycle, cycles: PoxCycles | undefined) {
  const { weight, stacked_amount } = readStoredSigner(signer);
  const { total_weight, total_stacked_amount } = readStoredRewardSet(totals);
  return {
    cycle_number: cycle,
    heights: cycles ? heightsOfCycle(cycles, cycle) : null,
    weight: { amount: weight, percent: percentOf(weight, total_weight) },
    staked_stx: {
      amount: stacked_amount,
      percent: percentOf(Number(stacked_amount), Number(total_stacked_amount)),
    },
  };
}
