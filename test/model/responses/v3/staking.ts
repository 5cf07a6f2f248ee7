import { principalOf } from '../../principals.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import {
  accruedAlone,
  accruedOf,
  type Bond,
  bondsOf,
  burnTip,
  endOf,
  type Position,
  stakesOf,
  startOf,
  sum,
} from '../../staking.ts';
import { claimedBond, numberIn, principalIn, stakingPrints } from '../../staking-prints.ts';
import type { World } from '../../world.ts';
import { cursorPage, firstOf } from './page.ts';

export const rewards = (accrued: bigint, claimed: bigint) => ({
  btc: {
    accrued: String(accrued),
    claimed: String(claimed),
    claimable: String(accrued > claimed ? accrued - claimed : 0n),
  },
});

/** The positions of a principal with their bonds, by bond. */
const positionsOf = (world: World, principal: string): { bond: Bond; position: Position }[] =>
  [...bondsOf(world).values()]
    .flatMap(bond => [...bond.positions.values()].map(position => ({ bond, position })))
    .filter(({ position }) => position.staker === principal)
    .sort((a, b) => Number(a.bond.index - b.bond.index));

/** getPrincipalBondPositionsV3. */
const positions: Route['respond'] = (world, params, query) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const cursor = query.get('cursor');
  const tip = burnTip(world);
  const held = positionsOf(world, principal);
  const cursors = held.map(({ bond }) => String(bond.index));
  const first = cursor === null ? 0 : firstOf(held, ({ bond }) => bond.index >= BigInt(cursor));
  return ok(
    cursorPage(held, cursors, first, numberOf(query, 'limit', 20), ({ bond, position }) => ({
      bond_index: Number(bond.index),
      status: position.rolled
        ? 'rolled_over'
        : position.exited
          ? 'early_exit'
          : tip < startOf(bond)
            ? 'enrolled'
            : tip < endOf(bond)
              ? 'running'
              : 'unlocked',
      active: !position.rolled && !position.exited && tip < endOf(bond),
      enrollment: { tx_id: position.registration.tx.txId, btc_lockup: { amount: String(position.enrolled) } },
      locked: { btc: String(position.sats), stx: String(position.ustx) },
      rewards: rewards(accruedOf(position, bond), position.claimed),
    })),
  );
};

/** getPrincipalStakingSummaryV3. */
const summary: Route['respond'] = (world, params) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const alone = stakesOf(world).alone.get(principal);
  const held = positionsOf(world, principal);
  const claims = stakingPrints(world).filter(
    print => print.topic === 'claim-staker-rewards-for-signer' && principalIn(print, 'staker') === principal,
  );
  const claimedAlone = sum(
    claims.filter(print => claimedBond(print) === undefined).map(print => numberIn(print, 'rewards-claimed')),
  );
  return ok({
    stx: {
      locked: alone && alone.until >= burnTip(world) ? String(alone.ustx) : '0',
      rewards: rewards(accruedAlone(world, principal), claimedAlone),
    },
    bonds: {
      count: held.length,
      locked: {
        btc: String(sum(held.map(({ position }) => position.sats))),
        stx: String(sum(held.map(({ position }) => position.ustx))),
      },
      rewards: rewards(
        sum(held.map(({ bond, position }) => accruedOf(position, bond))),
        sum(held.map(({ position }) => position.claimed)),
      ),
    },
  });
};

/** getStakingOverviewV3. */
const overview: Route['respond'] = world => {
  const tip = burnTip(world);
  const alone = sum([...stakesOf(world).alone.values()].filter(({ until }) => until >= tip).map(({ ustx }) => ustx));
  const inBonds = [...bondsOf(world).values()]
    .filter(bond => endOf(bond) > tip)
    .flatMap(bond => [...bond.positions.values()]);
  const bonded = sum(inBonds.map(({ ustx }) => ustx));
  return ok({
    locked: {
      stx: {
        individual_staked_amount: String(alone),
        bond_staked_amount: String(bonded),
        total_amount: String(alone + bonded),
      },
      btc: { bond_staked_amount: String(sum(inBonds.map(({ sats }) => sats))) },
    },
  });
};

/** getStakingRewardsV3: what miners paid and burnt. */
const minerTotals: Route['respond'] = ({ burnBlocks }) => {
  const paid = sum(
    burnBlocks.flatMap(({ payload }) => payload.reward_recipients).map(({ amt }: { amt: number }) => BigInt(amt)),
  );
  const burnt = sum(burnBlocks.map(({ payload }) => BigInt(payload.burn_amount)));
  return ok({ btc: { reward_amount: String(paid), burn_amount: String(burnt), total_amount: String(paid + burnt) } });
};

export const stakingRoutes: readonly Route[] = [
  { template: '/extended/v3/staking', respond: overview },
  { template: '/extended/v3/staking/rewards', respond: minerTotals },
  { template: '/extended/v3/principals/{principal}/staking', respond: summary },
  { template: '/extended/v3/principals/{principal}/staking/bonds', respond: positions },
];
