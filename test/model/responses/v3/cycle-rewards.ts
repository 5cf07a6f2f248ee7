import { principalOf } from '../../principals.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { type Bond, earned, type Position, sum, tell } from '../../staking.ts';
import { claimedBond, numberIn, type Print, principalIn, stakingPrints, termsOf } from '../../staking-prints.ts';
import type { World } from '../../world.ts';
import { cursorPage, firstOf } from './page.ts';
import { rewards } from './staking.ts';
import { transactionOf } from './staking-bonds.ts';
import { heightsOf } from './staking-cycles.ts';

interface Claims {
  /** By bond, -1 for what is staked alone. */
  readonly sats: Map<bigint, bigint>;
  newest: Print;
}

/** getPrincipalStakingRewardsV3. */
const cycleRewards: Route['respond'] = (world, params, query) => {
  const staker = principalOf(params.principal ?? '');
  if (staker === undefined) return failed(400);
  const { inBonds, claims } = historyOf(world, staker);
  const alone = stakesAlone(world, staker);
  const calculations = stakingPrints(world).filter(({ topic }) => topic === 'calculate-rewards');
  const numbers = [...new Set([...inBonds.keys(), ...claims.keys(), ...alone.keys()])].sort((a, b) => (a < b ? 1 : -1));
  const all = numbers.flatMap(cycle => {
    const claim = claims.get(cycle);
    const stake = alone.get(cycle);
    const source = (bond: bigint, accrued: bigint) => ({ bond, accrued, claimed: claim?.sats.get(bond) ?? 0n });
    const indexes = new Set([...(inBonds.get(cycle)?.keys() ?? []), ...(claim?.sats.keys() ?? [])]);
    const bonds = [...indexes]
      .filter(bond => bond >= 0n)
      .sort((a, b) => (a < b ? -1 : 1))
      .map(bond => source(bond, inBonds.get(cycle)?.get(bond) ?? 0n))
      .filter(isSomething);
    const ofStx = [source(-1n, stake?.accrued ?? 0n)].filter(isSomething);
    if (ofStx.length + bonds.length === 0) return [];
    const sources = [...ofStx, ...bonds];
    const calculation = calculations.findLast(print => numberIn(print, 'stx-cycle') === cycle);
    return [
      {
        cycle_number: Number(cycle),
        heights: heightsOf(world, Number(cycle)),
        rewards: rewards(sum(sources.map(({ accrued }) => accrued)), sum(sources.map(({ claimed }) => claimed))),
        stx:
          ofStx.map(({ accrued, claimed }) => ({
            signer: stake?.signer ?? null,
            staked: String(stake?.ustx ?? 0n),
            rewards: rewards(accrued, claimed),
          }))[0] ?? null,
        bonds: bonds.map(({ bond, accrued, claimed }) => ({
          bond_index: Number(bond),
          rewards: rewards(accrued, claimed),
        })),
        calculated_in: calculation ? transactionOf(calculation.tx) : null,
        claimed_in: claim ? transactionOf(claim.newest.tx) : null,
      },
    ];
  });
  const cursors = all.map(({ cycle_number }) => String(cycle_number));
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : firstOf(all, ({ cycle_number }) => cycle_number <= Number(cursor));
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 20), record => record));
};

const isSomething = ({ accrued, claimed }: { readonly accrued: bigint; readonly claimed: bigint }): boolean =>
  accrued > 0n || claimed > 0n;

/** What is staked alone in each cycle that has a rate, and what it earned there. */
function stakesAlone(world: World, staker: string) {
  const rates = new Map<bigint, bigint>();
  for (const print of stakingPrints(world).filter(({ topic }) => topic === 'calculate-rewards')) {
    const [cycle, rate] = [numberIn(print, 'stx-cycle'), numberIn(print, 'cumulative-rewards-per-ustx')];
    if (rate > (rates.get(cycle) ?? 0n)) rates.set(cycle, rate);
  }
  const stakes = new Map<bigint, { signer: string; ustx: bigint; accrued: bigint }>();
  const terms = termsOf(world).filter(term => term.staker === staker);
  for (const [cycle, rate] of rates) {
    const term = terms.findLast(({ first, end }) => first <= cycle && cycle < end);
    if (!term || term.isInBond || term.amount === null) continue;
    stakes.set(cycle, { signer: term.manager, ustx: term.amount, accrued: earned(term.amount, rate) });
  }
  return stakes;
}

type Kept = Pick<Position, 'accrued' | 'sats' | 'settledRate'>;

/** The positions of a staker, print by print: what they earned in each cycle, and the claims (docs/spec/staking.md#rewards-by-cycle). */
function historyOf(world: World, staker: string) {
  const bonds = new Map<bigint, Bond>();
  const claims = new Map<bigint, Claims>();
  const newest = new Map<bigint, bigint>();
  const rates = new Map<bigint, Map<bigint, bigint>>();
  const settled = new Map<bigint, Map<bigint, Kept>>();
  let [tx, cycle, waiting]: [Print['tx'] | undefined, bigint | undefined, bigint[]] = [undefined, undefined, []];
  for (const print of stakingPrints(world)) {
    if (print.tx !== tx) [tx, cycle, waiting] = [print.tx, undefined, []];
    tell(bonds, print);
    if (print.topic === 'claim-staker-rewards-for-signer' && principalIn(print, 'staker') === staker)
      addClaim(claims, bonds, print);
    if (print.topic === 'bond-distribution') waiting.push(numberIn(print, 'bond-index'));
    if (print.topic === 'calculate-rewards') cycle ??= numberIn(print, 'stx-cycle');
    for (const [index, { positions }] of bonds) {
      const position = positions.get(staker);
      if (!position) continue;
      const ofBond = settled.get(index) ?? new Map<bigint, Kept>();
      settled.set(index, ofBond);
      const last = [...ofBond].sort(([a], [b]) => (a < b ? -1 : 1)).at(-1)?.[1];
      if (last && isSame(last, position)) continue;
      ofBond.set(newest.get(index) ?? -1n, { ...position });
    }
    if (cycle === undefined) continue;
    for (const index of waiting.splice(0)) {
      const bond = bonds.get(index);
      if (!bond || cycle < (newest.get(index) ?? 0n)) continue;
      newest.set(index, cycle);
      rates.set(index, (rates.get(index) ?? new Map<bigint, bigint>()).set(cycle, bond.rate));
    }
  }
  const inBonds = new Map<bigint, Map<bigint, bigint>>();
  for (const [index, ofBond] of settled) {
    let before = 0n;
    for (const [number, rate] of [...(rates.get(index) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const last = [...ofBond]
        .filter(([of]) => of <= number)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .at(-1)?.[1];
      const more = last && rate > last.settledRate ? earned(last.sats, rate - last.settledRate) : 0n;
      const until = (last?.accrued ?? 0n) + more;
      inBonds.set(number, (inBonds.get(number) ?? new Map<bigint, bigint>()).set(index, until - before));
      before = until;
    }
  }
  return { inBonds, claims };
}

const isSame = (a: Kept, b: Kept): boolean =>
  a.accrued === b.accrued && a.sats === b.sats && a.settledRate === b.settledRate;

function addClaim(claims: Map<bigint, Claims>, bonds: ReadonlyMap<bigint, Bond>, print: Print): void {
  const [cycle, bond] = [numberIn(print, 'reward-cycle'), claimedBond(print) ?? -1n];
  if (cycle < 0n) return;
  if (bond >= 0n && !bonds.get(bond)?.positions.has(principalIn(print, 'staker'))) return;
  const claim = claims.get(cycle) ?? { sats: new Map<bigint, bigint>(), newest: print };
  claims.set(cycle, claim);
  claim.sats.set(bond, (claim.sats.get(bond) ?? 0n) + numberIn(print, 'rewards-claimed'));
  claim.newest = print;
}

export const cycleRewardRoutes: readonly Route[] = [
  { template: '/extended/v3/principals/{principal}/staking/rewards', respond: cycleRewards },
];
