import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { type POX_STACKERS, ROLES } from '../../../index/pox/tables.ts';
import { earnedBy } from '../../../index/staking/apply.ts';
import type { CYCLE_RATES, STAKED_STX, STAKERS, STAKING_BONDS } from '../../../index/staking/tables.ts';
import { bondPositionsOf, stakingRewardsOf, stakingRewardsV3 } from './positions.ts';

const sumOf = (amounts: readonly (string | bigint)[]): bigint =>
  amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n);

/** All that is staked now (docs/spec/staking.md#overview). @param burnHeight of the tip */
export async function stakingOverview(queries: Queries, burnHeight: number) {
  const alone = await queries.all<RowOf<typeof STAKED_STX, 'ustx'>>(
    'SELECT ustx FROM staked_stx WHERE unlock_height >= ?',
    [burnHeight],
  );
  const bonds = await queries.all<RowOf<typeof STAKING_BONDS, 'sats' | 'ustx'>>(
    'SELECT sats, ustx FROM staking_bonds WHERE unlock_height > ?',
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

/**
 * The stakes and earnings of a principal; zeros for one that never staked
 * (docs/spec/staking.md#staking-of-a-principal).
 */
export async function stakingSummaryV3(queries: Queries, staker: string, burnHeight: number) {
  const alone = await queries.get<RowOf<typeof STAKERS, 'ustx' | 'unlock_height' | 'claimed'>>(
    'SELECT ustx, unlock_height, claimed FROM stakers WHERE staker = ?',
    [staker],
  );
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
    `SELECT c.rate, (SELECT s.rank FROM pox_stackers s
                      WHERE s.cycle = c.cycle AND s.role = ? AND s.stacker = ? AND s.in_bond = 0) AS rank
       FROM staking_cycle_rates c`,
    [ROLES.staker, staker],
  );
  return sumOf(rows.map(({ rate, rank }) => (rank === null ? 0n : earnedBy(amountOfRank(rank), BigInt(rate)))));
}
