import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { PAST_POX_STACKERS, type POX_STACKERS, ROLES } from '../../../index/pox/tables.ts';
import { earnedBy } from '../../../index/staking/apply.ts';
import {
  type CYCLE_RATES,
  PAST_CYCLE_RATES,
  PAST_STAKERS,
  PAST_STAKING_BONDS,
  type STAKED_STX,
  type STAKING_BONDS,
} from '../../../index/staking/tables.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { findRow, rowsAsOf, rowsWith } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { requirePrints } from '../pox/signer-queries.ts';
import { bondPositionsOf, stakingRewardsOf, stakingRewardsV3 } from './positions.ts';

const sumOf = (amounts: readonly (string | bigint)[]): bigint =>
  amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n);

/** The totals of everything staked now (docs/spec/staking.md#overview). @param burnHeight of the tip @param budget reads as of a block read all stakers from it */
export async function stakingOverview(queries: Queries, burnHeight: number, budget: RowBudget) {
  await requirePrints(queries, budget);
  const alone = await stakedAlone(queries, burnHeight, budget);
  const bonds = await queries.all<RowOf<typeof STAKING_BONDS, 'sats' | 'ustx'>>(
    `SELECT b.sats, b.ustx FROM ${rowsAsOf(PAST_STAKING_BONDS, queries)} b WHERE b.unlock_height > ?`,
    [burnHeight],
  );
  const individual = sumOf(alone.map(({ ustx }) => ustx));
  const bonded = sumOf(bonds.map(({ ustx }) => ustx));
  return {
    locked: {
      stx: {
        individual_staked_amount: String(individual),
        bond_staked_amount: String(bonded),
        total_amount: String(individual + bonded),
      },
      btc: { bond_staked_amount: String(sumOf(bonds.map(({ sats }) => sats))) },
    },
  };
}

/** Amounts staked outside bonds until a burn height or longer: as sums of several rows, or one by one. */
async function stakedAlone(
  queries: Queries,
  burnHeight: number,
  budget: RowBudget,
): Promise<readonly RowOf<typeof STAKED_STX, 'ustx'>[]> {
  if (horizonOf(queries)) {
    const all = await rowsWith(queries, PAST_STAKERS, { values: {}, order: ['staker'] }, budget);
    return all.filter(({ unlock_height }) => unlock_height >= burnHeight);
  }
  return queries.all('SELECT ustx FROM staked_stx WHERE unlock_height >= ?', [burnHeight]);
}

/**
 * The stakes and earnings of a principal; zeros for one that never staked
 * (docs/spec/staking.md#staking-of-a-principal).
 */
export async function stakingSummaryV3(queries: Queries, staker: string, burnHeight: number) {
  const alone = await findRow(queries, PAST_STAKERS, { staker });
  const positions = await bondPositionsOf(queries, staker);
  const rewards = positions.map(stakingRewardsOf);
  return {
    stx: {
      locked: alone && alone.unlock_height >= burnHeight ? alone.ustx : '0',
      rewards: stakingRewardsV3({ accrued: await accruedAlone(queries, staker), claimed: BigInt(alone?.claimed ?? 0) }),
    },
    bonds: {
      count: positions.length,
      locked: {
        btc: String(sumOf(positions.map(({ sats }) => sats))),
        stx: String(sumOf(positions.map(({ ustx }) => ustx))),
      },
      rewards: stakingRewardsV3({
        accrued: sumOf(rewards.map(({ accrued }) => accrued)),
        claimed: sumOf(rewards.map(({ claimed }) => claimed)),
      }),
    },
  };
}

/** The staked amounts of every cycle that has a rate. A cycle takes two weeks, so there are a few hundred. */
async function accruedAlone(queries: Queries, staker: string): Promise<bigint> {
  const rows = await queries.all<RowOf<typeof CYCLE_RATES, 'rate'> & OuterRowOf<typeof POX_STACKERS, 'rank'>>(
    `SELECT c.rate, (SELECT s.rank FROM ${rowsAsOf(PAST_POX_STACKERS, queries)} s
                      WHERE s.cycle = c.cycle AND s.role = ? AND s.stacker = ? AND s.in_bond = 0) AS rank
       FROM ${rowsAsOf(PAST_CYCLE_RATES, queries)} c`,
    [ROLES.staker, staker],
  );
  return sumOf(rows.map(({ rate, rank }) => (rank === null ? 0n : earnedBy(amountOfRank(rank), BigInt(rate)))));
}
