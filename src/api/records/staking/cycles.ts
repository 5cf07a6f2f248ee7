/** Reward cycles with their place in the burn chain, and the cycles of a signer (docs/spec/staking.md#cycles). */
import { hexBytes } from '../../../base/lib/hex.ts';
import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { readStoredRewardSet, readStoredSigner } from '../../../index/pox/stored.ts';
import {
  PAST_POX_STACKERS,
  type POX_CYCLE_STAKES,
  type POX_CYCLES,
  type POX_SIGNERS,
  type POX_STACKERS,
  ROLES,
  SIGNERS_OF_CYCLE,
} from '../../../index/pox/tables.ts';
import {
  type CYCLE_BOND_LOCKS,
  PAST_CYCLE_BOND_LOCKS,
  PAST_CYCLE_TOTALS,
  PAST_STAKING_BONDS,
  type STAKING_BONDS,
} from '../../../index/staking/tables.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import {
  type CycleHeights,
  type CyclePhase,
  cycleOfHeight,
  heightsOfCycle,
  type PoxCycles,
  phaseOfCycle,
} from '../../../ingest/chain/pox-cycles.ts';
import { endOfBlocks, endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { findRow, rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { inMemoryList } from '../../paging/cursor-page.ts';
import { findCycleRecord, IS_LAST_SET, requireStackers } from '../pox/signer-queries.ts';
import { burnTimesOf } from './burn-times.ts';
import { newestCycle, percentOf } from './cycle-signers.ts';
import type { ScheduledChain } from './schedule.ts';

/** The cycle in a path: a number, or the name of the cycle at the Bitcoin tip, of the one before it, or of the one after it. */
export type CycleSelector = number | keyof typeof ALIASES;

const ALIASES = { previous: -1, current: 0, next: 1 } as const;

/** The height of the last known Bitcoin block; it may not have a Stacks block yet. */
async function bitcoinHeight(queries: Queries): Promise<number> {
  const horizon = horizonOf(queries);
  if (horizon) return horizon.burnHeight;
  const { tip, burnHeight } = await readState(queries);
  return Math.max(burnHeight, tip?.burnBlockHeight ?? 0);
}

/**
 * The number of a cycle (docs/spec/staking.md#cycles); undefined for the cycle before cycle 0, or if the name is of a cycle before the first one.
 * @param cycles undefined: the lengths of cycles are unknown; then the highest cycle with a reward set counts as the current one
 */
export async function selectCycle(
  queries: Queries,
  selector: CycleSelector,
  cycles: PoxCycles | undefined,
): Promise<number | undefined> {
  if (typeof selector === 'number') return selector;
  const current = cycles ? cycleOfHeight(cycles, await bitcoinHeight(queries)) : await newestCycle(queries);
  const number = current === undefined || current < 0 ? -1 : current + ALIASES[selector];
  return number < 0 ? undefined : number;
}

/** The points of a cycle (docs/spec/staking.md#times): its first block, the first of the prepare phase, its last. */
async function scheduleOf(queries: Queries, network: Network, heights: CycleHeights) {
  const { start_height, prepare_height, end_height } = heights;
  const timesAt = await burnTimesOf(queries, network, [start_height, prepare_height, end_height]);
  const point = (bitcoin_height: number) => ({ bitcoin_height, ...timesAt(bitcoin_height) });
  return { start: point(start_height), prepare_phase_start: point(prepare_height), end: point(end_height) };
}

/** A cycle: its Bitcoin blocks, the locked amounts, the numbers of participants, and the rewards. Every number has a cycle, so this always gives one. */
export async function stakingCycleV3(
  queries: Queries,
  number: number,
  { network, poxCycles: cycles }: ScheduledChain,
  budget: RowBudget,
) {
  await requireStackers(queries, number, budget);
  const heights = cycles && heightsOfCycle(cycles, number);
  const phase = heights && phaseOfCycle(heights, await bitcoinHeight(queries));
  const totals = await findRow(queries, PAST_CYCLE_TOTALS, { cycle: number });
  const { alone, bonded } = await stakesOf(queries, number);
  const bonds = await bondsOf(queries, number);
  const isCalculated = totals !== undefined && totals.calculations > 0;
  const hasEnded = phase === 'ended';
  const stxOnly = isCalculated && phase !== 'upcoming' ? BigInt(totals.ustx) : hasEnded ? 0n : BigInt(alone.ustx);
  const locks = await locksOf(queries, bonds, {
    cycle: hasEnded && isCalculated ? number : undefined,
    end: hasEnded && !isCalculated ? heights?.end_height : undefined,
  });
  const record = await findCycleRecord(queries, number);
  return {
    number,
    status: phase ? STATUS[phase] : null,
    schedule: heights ? await scheduleOf(queries, network, heights) : null,
    locked: {
      stx: {
        stx_only: String(stxOnly),
        bonds: bonded.ustx,
        total: String(stxOnly + BigInt(bonded.ustx)),
      },
      btc: { total: String(locks.native + locks.sbtc), native: String(locks.native), sbtc: String(locks.sbtc) },
    },
    participants: {
      stakers: { stx_only: hasEnded && !isCalculated ? 0 : alone.stakers, bonds: bonded.stakers },
      signers: record === undefined ? null : readStoredRewardSet(record).total_signers,
    },
    bonds: { total: bonds.length, indexes: bonds },
    rewards: {
      btc: {
        total: totals?.accrued ?? '0',
        waterfall: {
          bonds: totals?.bonds ?? '0',
          stx_only: totals?.stx_only ?? '0',
          reserve_deposit: totals?.reserve ?? '0',
        },
        claimed: totals?.claimed ?? '0',
      },
    },
  };
}

const STATUS = {
  upcoming: 'upcoming',
  reward: 'reward_phase',
  prepare: 'prepare_phase',
  ended: 'finished',
} as const satisfies Readonly<Record<CyclePhase, string>>;

/** The stakers of PoX 5 in a cycle: with STX alone, and in bonds. */
async function stakesOf(queries: Queries, cycle: number) {
  if (horizonOf(queries)) return stakesThen(queries, cycle);
  const rows = await queries.all<RowOf<typeof POX_CYCLE_STAKES, 'in_bond' | 'stakers' | 'ustx'>>(
    'SELECT in_bond, stakers, ustx FROM pox_cycle_stakes WHERE cycle = ?',
    [cycle],
  );
  const of = (inBond: 0 | 1) => rows.find(({ in_bond }) => in_bond === inBond) ?? { stakers: 0, ustx: '0' };
  return { alone: of(0), bonded: of(1) };
}

async function stakesThen(queries: Queries, cycle: number) {
  const all = await queries.all<RowOf<typeof POX_STACKERS, 'in_bond' | 'rank'>>(
    `SELECT s.in_bond, s.rank FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s WHERE s.cycle = ? AND s.role = ?`,
    [cycle, ROLES.staker],
  );
  const of = (inBond: 0 | 1) => {
    const ranks = all.flatMap(({ in_bond, rank }) => (in_bond === inBond ? [rank] : []));
    const ustx = ranks.reduce((sum, rank) => sum + amountOfRank(rank), 0n);
    return { stakers: ranks.length, ustx: String(ustx) };
  };
  return { alone: of(0), bonded: of(1) };
}

/** The bonds that cover a cycle, ascending. Only every few cycles a bond begins, so a cycle has few of them. */
async function bondsOf(queries: Queries, cycle: number): Promise<number[]> {
  const rows = await queries.all<RowOf<typeof STAKING_BONDS, 'bond_index'>>(
    `SELECT b.bond_index FROM ${rowsAsOf(PAST_STAKING_BONDS, queries)} b
      WHERE b.first_cycle <= ? AND b.unlock_cycle > ? ORDER BY b.bond_index`,
    [cycle, cycle],
  );
  return rows.map(({ bond_index }) => bond_index);
}

type Locks = RowOf<typeof CYCLE_BOND_LOCKS, 'bond_index' | 'native' | 'sbtc'>;

/**
 * The sum of the satoshis in these bonds: now, or at an earlier time.
 * @param at cycle: at the last distribution of each bond in this cycle; end: in the last block up to this Bitcoin height
 */
async function locksOf(
  queries: Queries,
  bonds: readonly number[],
  at: { readonly cycle: number | undefined; readonly end: number | undefined },
): Promise<{ readonly native: bigint; readonly sbtc: bigint }> {
  const rows = await locksAt(queries, bonds, at);
  const sum = (kind: 'native' | 'sbtc') => rows.reduce((total, row) => total + BigInt(row[kind]), 0n);
  return { native: sum('native'), sbtc: sum('sbtc') };
}

async function locksAt(
  queries: Queries,
  bonds: readonly number[],
  { cycle, end }: { readonly cycle: number | undefined; readonly end: number | undefined },
): Promise<readonly Locks[]> {
  if (cycle !== undefined)
    return allIn<Locks>(
      queries,
      list => `SELECT bond_index, native, sbtc FROM ${rowsAsOf(PAST_CYCLE_BOND_LOCKS, queries)} l
        WHERE cycle = ${cycle} AND bond_index IN ${list}`,
      bonds,
    );
  const after = end === undefined ? undefined : await firstTransactionAfter(queries, end);
  const before = Math.min(after ?? Number.MAX_SAFE_INTEGER, endOfTransactions(queries));
  if (before === Number.MAX_SAFE_INTEGER)
    return allIn<Locks>(
      queries,
      list => `SELECT bond_index, native, sbtc FROM bond_locks WHERE bond_index IN ${list}`,
      bonds,
    );
  return allIn<Locks>(
    queries,
    list => `SELECT c.bond_index, c.native, c.sbtc FROM bond_lock_changes c
      WHERE c.bond_index IN ${list} AND c.tx = (SELECT max(o.tx) FROM bond_lock_changes o
        WHERE o.bond_index = c.bond_index AND o.tx < ${before})`,
    bonds,
  );
}

/** The position in txs of the first transaction in a block above a Bitcoin height; undefined while no block is above it. */
async function firstTransactionAfter(queries: Queries, burnHeight: number): Promise<number | undefined> {
  const next = await queries.get<RowOf<typeof BLOCKS, 'burn_number'>>(
    `SELECT b.burn_number FROM ${CANONICAL} AND b.seq = k.height - 1
      WHERE k.burn_block_height > ? ORDER BY k.burn_block_height LIMIT 1`,
    [burnHeight],
  );
  if (!next) return undefined;
  const first = await queries.get<RowOf<typeof BLOCKS, 'first_tx'>>(
    'SELECT first_tx FROM blocks WHERE burn_number = ? ORDER BY seq LIMIT 1',
    [next.burn_number],
  );
  return first?.first_tx;
}

/** A cycle that has a signer: totals of the reward set, and the signer in it, as JSON. */
interface SignedCycle {
  readonly cycle: number;
  readonly totals: string;
  readonly signer: string;
}

/**
 * The cycles whose reward set has a signer with this key, the newest first. All are read at once, as a year has only 26 cycles.
 * @param key 0x hex
 */
export async function cyclesOfSigner(queries: Queries, key: string): Promise<SignedCycle[]> {
  const cycles = await queries.all<
    RowOf<typeof POX_CYCLES, 'cycle' | 'first_signer' | 'signers' | 'record'> & { readonly list: number }
  >(
    `SELECT c.cycle, c.first_signer, c.signers, c.record, l.id AS list
      FROM pox_cycles c JOIN lists l ON l.kind = ? AND l.name = CAST(c.cycle AS text)
      WHERE ${IS_LAST_SET} ORDER BY c.cycle DESC`,
    [SIGNERS_OF_CYCLE.code, endOfBlocks(queries)],
  );
  const named = await allIn<RowOf<typeof POX_SIGNERS, 'list' | 'seq' | 'record'>>(
    queries,
    list => `SELECT list, seq, record FROM pox_signers WHERE signing_key = ? AND list IN ${list}`,
    cycles.map(({ list }) => list),
    [hexBytes(key)],
  );
  // A set is a range of the list of its cycle. If it has a signer twice, the entry with more weight counts: the first of the two.
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

/** A cycle with its signer, as version 3 serves it. */
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
