/** Earned, claimed and claimable rewards of a staker by reward cycle (docs/spec/staking.md#rewards-by-cycle). */
import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { PAST_POX_STACKERS, type POX_STACKERS, ROLES } from '../../../index/pox/tables.ts';
import { accruedBy, earnedBy } from '../../../index/staking/apply.ts';
import { ALONE } from '../../../index/staking/cycle-rewards.ts';
import {
  type BOND_CYCLE_RATES,
  type BOND_SETTLEMENTS,
  type CYCLE_CALCULATIONS,
  type CYCLE_RATES,
  PAST_BOND_CYCLE_RATES,
  PAST_BOND_POSITIONS,
  PAST_BOND_SETTLEMENTS,
  PAST_CYCLE_CALCULATIONS,
  PAST_CYCLE_RATES,
  PAST_STAKER_CLAIMS,
  type STAKER_CLAIMS,
} from '../../../index/staking/tables.ts';
import { heightsOfCycle, type PoxCycles } from '../../../ingest/chain/pox-cycles.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import { inMemoryList } from '../../paging/cursor-page.ts';
import { transactionsAt } from '../transactions/positions-v3.ts';
import { type Rewards, stakingRewardsV3 } from './positions.ts';

/** The rewards of one source in a cycle, in satoshis. */
interface Earned extends Rewards {
  /** The number of a bond, or ALONE. */
  readonly bond: number;
}

interface EarnedAlone extends Earned {
  /** Micro-STX staked alone in the cycle, and their manager; null if only a claim is known. */
  readonly stake: { readonly signer: string; readonly ustx: bigint } | null;
}

/** A cycle with earnings or claims of a staker. */
interface RewardedCycle {
  readonly cycle: number;
  readonly alone: EarnedAlone | undefined;
  /** By number. */
  readonly bonds: readonly Earned[];
  /** The newest claim for the cycle: its position in txs. */
  readonly claimedIn: number | undefined;
}

/** All such cycles, the newest first: there are 26 cycles a year. */
export async function rewardedCycles(queries: Queries, staker: string): Promise<RewardedCycle[]> {
  const claims = await queries.all<RowOf<typeof STAKER_CLAIMS>>(
    `SELECT * FROM ${rowsAsOf(PAST_STAKER_CLAIMS, queries)} c WHERE c.staker = ?`,
    [staker],
  );
  const ofCycle = Map.groupBy(claims, ({ cycle }) => cycle);
  const stakes = await stakesAlone(queries, staker);
  const earned = await earnedInBonds(queries, staker);
  const cycles = new Set([...ofCycle.keys(), ...stakes.keys(), ...earned.keys()]);
  return [...cycles]
    .sort((a, b) => b - a)
    .flatMap(cycle => {
      const claimed = new Map((ofCycle.get(cycle) ?? []).map(claim => [claim.bond_index, BigInt(claim.sats)]));
      const claimedOf = (bond: number) => claimed.get(bond) ?? 0n;
      const stake = stakes.get(cycle);
      const alone = { bond: ALONE, accrued: stake?.accrued ?? 0n, claimed: claimedOf(ALONE), stake: stake ?? null };
      const inBonds = earned.get(cycle) ?? new Map<number, bigint>();
      const bonds = [...new Set([...inBonds.keys(), ...claimed.keys()])]
        .filter(bond => bond !== ALONE)
        .sort((a, b) => a - b)
        .map(bond => ({ bond, accrued: inBonds.get(bond) ?? 0n, claimed: claimedOf(bond) }))
        .filter(isSomething);
      if (bonds.length === 0 && !isSomething(alone)) return [];
      const claimedIn = ofCycle.get(cycle)?.reduce((newest, { tx }) => Math.max(newest, tx), 0);
      return [{ cycle, alone: isSomething(alone) ? alone : undefined, bonds, claimedIn }];
    });
}

const isSomething = ({ accrued, claimed }: Rewards): boolean => accrued > 0n || claimed > 0n;

/** STX staked alone, their manager and their earnings, by cycle with rewards. */
async function stakesAlone(queries: Queries, staker: string) {
  const rows = await queries.all<
    RowOf<typeof CYCLE_RATES, 'cycle' | 'rate'> & RowOf<typeof POX_STACKERS, 'rank' | 'represented_by'>
  >(
    `SELECT c.cycle, c.rate, s.rank, s.represented_by FROM ${rowsAsOf(PAST_CYCLE_RATES, queries)} c
       JOIN ${rowsAsOf(PAST_POX_STACKERS, queries)} s ON s.cycle = c.cycle AND s.role = ? AND s.stacker = ? AND s.in_bond = 0`,
    [ROLES.staker, staker],
  );
  return new Map(
    rows.map(({ cycle, rate, rank, represented_by: signer }) => {
      const ustx = amountOfRank(rank);
      return [cycle, { signer, ustx, accrued: earnedBy(ustx, BigInt(rate)) }];
    }),
  );
}

type Settlement = RowOf<typeof BOND_SETTLEMENTS, 'bond_index' | 'cycle' | 'settled_rate' | 'accrued' | 'sats'>;
type Rate = RowOf<typeof BOND_CYCLE_RATES>;

/** Earnings of the staker's positions by cycle and bond: the difference of their total earnings at the ends of two cycles. */
async function earnedInBonds(queries: Queries, staker: string): Promise<Map<number, Map<number, bigint>>> {
  const bonds = await queries.all<{ bond_index: number }>(
    `SELECT p.bond_index FROM ${rowsAsOf(PAST_BOND_POSITIONS, queries)} p WHERE p.staker = ?`,
    [staker],
  );
  const numbers = bonds.map(({ bond_index }) => bond_index);
  const settlements = await allIn<Settlement>(
    queries,
    list => `SELECT bond_index, cycle, settled_rate, accrued, sats FROM ${rowsAsOf(PAST_BOND_SETTLEMENTS, queries)} s
      WHERE staker = ? AND bond_index IN ${list}`,
    numbers,
    [staker],
  );
  const rates = await allIn<Rate>(
    queries,
    list => `SELECT * FROM ${rowsAsOf(PAST_BOND_CYCLE_RATES, queries)} r WHERE bond_index IN ${list}`,
    numbers,
  );
  const earned = new Map<number, Map<number, bigint>>();
  for (const bond of numbers) {
    const own = settlements.filter(({ bond_index }) => bond_index === bond).sort(byCycle);
    let before = 0n;
    for (const { cycle, rate } of rates.filter(({ bond_index }) => bond_index === bond).sort(byCycle)) {
      const settlement = own.findLast(each => each.cycle <= cycle);
      const until = settlement ? accruedUntil(settlement, BigInt(rate)) : 0n;
      earned.set(cycle, (earned.get(cycle) ?? new Map<number, bigint>()).set(bond, until - before));
      before = until;
    }
  }
  return earned;
}

/** Earnings up to a rate. A distribution without a calculation in its transaction belongs to no cycle, so a settlement may have a higher rate than its cycle. */
const accruedUntil = (settlement: Settlement, rate: bigint): bigint =>
  rate > BigInt(settlement.settled_rate) ? accruedBy(settlement, rate) : BigInt(settlement.accrued);

const byCycle = (a: { readonly cycle: number }, b: { readonly cycle: number }): number => a.cycle - b.cycle;

/** The list of these cycles, and the position of the cursor's cycle. @param from any number; undefined for the first */
export function listOfRewardedCycles(cycles: readonly RewardedCycle[], from: number | undefined) {
  const found = from === undefined ? 0 : cycles.findIndex(({ cycle }) => cycle <= from);
  return { list: inMemoryList(cycles, ({ cycle }) => String(cycle)), first: found < 0 ? cycles.length : found };
}

/** Records of some of these cycles, keys in emitted order. @param lengths undefined if unknown */
export async function rewardedCyclesV3(
  queries: Queries,
  cycles: readonly RewardedCycle[],
  lengths: PoxCycles | undefined,
) {
  const calculations = await allIn<RowOf<typeof CYCLE_CALCULATIONS>>(
    queries,
    list => `SELECT * FROM ${rowsAsOf(PAST_CYCLE_CALCULATIONS, queries)} c WHERE cycle IN ${list}`,
    cycles.map(({ cycle }) => cycle),
  );
  const calculatedIn = new Map(calculations.map(({ cycle, tx }) => [cycle, tx]));
  const claimedIn = cycles.flatMap(cycle => cycle.claimedIn ?? []);
  const transactions = await transactionsAt(queries, new Set([...calculatedIn.values(), ...claimedIn]));
  const transactionAt = (tx: number | undefined) => (tx === undefined ? null : (transactions.get(tx) ?? null));
  return cycles.map(({ cycle, alone, bonds, claimedIn }) => {
    const all = [...(alone ? [alone] : []), ...bonds];
    const sum = (part: keyof Rewards) => all.reduce((total, rewards) => total + rewards[part], 0n);
    return {
      cycle_number: cycle,
      heights: lengths ? heightsOfCycle(lengths, cycle) : null,
      rewards: stakingRewardsV3({ accrued: sum('accrued'), claimed: sum('claimed') }),
      stx: alone
        ? {
            signer: alone.stake?.signer ?? null,
            staked: String(alone.stake?.ustx ?? 0n),
            rewards: stakingRewardsV3(alone),
          }
        : null,
      bonds: bonds.map(rewards => ({ bond_index: rewards.bond, rewards: stakingRewardsV3(rewards) })),
      calculated_in: transactionAt(calculatedIn.get(cycle)),
      claimed_in: transactionAt(claimedIn),
    };
  });
}
