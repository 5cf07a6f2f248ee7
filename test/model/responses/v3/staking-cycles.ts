import { failed, ok, type Route } from '../../route.ts';
import { type Bond, bondsAfter, bondsOf, burnTip, sum } from '../../staking.ts';
import { calculationsOf, cycleClaimsOf, numberIn, type Print, stakingPrints, termsOf } from '../../staking-prints.ts';
import type { World } from '../../world.ts';
import { timesAt } from './staking-bonds.ts';

/** Cycles of the test index; those of mainnet begin far above any random chain. */
const CYCLES = {
  testnet: { first: 0, length: 20, prepare: 4 },
  mainnet: { first: 666_050, length: 2100, prepare: 100 },
};

export function heightsOf({ network }: World, cycle: number) {
  const { first, length, prepare } = CYCLES[network];
  const start = first + cycle * length;
  return { start_height: start, prepare_height: start + length - prepare, end_height: start + length - 1 };
}

/** The height of Bitcoin, also where no Stacks block stands on it yet. */
const bitcoinTip = (world: World): number => Math.max(world.burnBlocks.at(-1)?.height ?? 0, burnTip(world));

/** The number of a cycle that a path names. */
export function selected(world: World, name: string): number | undefined {
  if (/^\d+$/.test(name)) return Number(name);
  const { first, length } = CYCLES[world.network];
  if (bitcoinTip(world) < first) return undefined;
  const current = Math.floor((bitcoinTip(world) - first) / length);
  const number = name === 'previous' ? current - 1 : name === 'next' ? current + 1 : current;
  return number < 0 ? undefined : number;
}

/** The stakers of a cycle, by the newest term of each that has it. */
function stakersIn(world: World, cycle: number) {
  const newest = new Map<string, ReturnType<typeof termsOf>[number]>();
  for (const term of termsOf(world))
    if (term.first <= BigInt(cycle) && BigInt(cycle) < term.end) newest.set(term.staker, term);
  return [...newest.values()].filter(({ amount }) => amount !== null);
}

interface Locks {
  readonly native: bigint;
  readonly sbtc: bigint;
}

const locksOf = (bond: Bond | undefined): Locks => {
  const positions = [...(bond?.positions.values() ?? [])];
  return {
    native: sum(positions.map(({ outputs, sats }) => (outputs ? sats : 0n))),
    sbtc: sum(positions.map(({ outputs, sats }) => (outputs ? 0n : sats))),
  };
};

/** The locks of a bond at its last distribution in a cycle: that of the first calculation of the same transaction. */
function locksAtDistribution(world: World, index: bigint, cycle: bigint): Locks {
  const prints = stakingPrints(world);
  let found: Locks = { native: 0n, sbtc: 0n };
  prints.forEach((print, i) => {
    if (print.topic !== 'bond-distribution' || numberIn(print, 'bond-index') !== index) return;
    const calculated = prints.findIndex(({ topic, tx }) => topic === 'calculate-rewards' && tx === print.tx);
    const calculation = prints[calculated];
    if (calculation === undefined || numberIn(calculation, 'stx-cycle') !== cycle) return;
    found = locksOf(bondsAfter(prints.slice(0, Math.max(i, calculated) + 1)).get(index));
  });
  return found;
}

/** The prints of the blocks before the first one above a Bitcoin height. */
function printsUpTo(world: World, burnHeight: number): Print[] {
  const [next] = world.blocks
    .filter(block => block.burnHeight > burnHeight)
    .sort((a, b) => a.burnHeight - b.burnHeight || a.height - b.height);
  return stakingPrints(world).filter(({ tx }) => next === undefined || tx.block.height < next.height);
}

/** getStakingCycleV3. */
export const stakingCycle: Route['respond'] = (world, params) => {
  const number = selected(world, params.cycle ?? '');
  if (number === undefined) return failed(404);
  const tip = bitcoinTip(world);
  const { start_height: start, prepare_height: prepare, end_height: end } = heightsOf(world, number);
  const status = tip < start ? 'upcoming' : tip > end ? 'finished' : tip < prepare ? 'reward_phase' : 'prepare_phase';
  const stakers = stakersIn(world, number);
  const ustx = (inBond: boolean) =>
    sum(stakers.filter(({ isInBond }) => isInBond === inBond).map(({ amount }) => amount ?? 0n));
  const count = (inBond: boolean) => stakers.filter(({ isInBond }) => isInBond === inBond).length;
  const calculations = calculationsOf(world).filter(print => numberIn(print, 'stx-cycle') === BigInt(number));
  const last = calculations.at(-1);
  const isEmpty = status === 'finished' && !last;
  const alone = last && status !== 'upcoming' ? numberIn(last, 'cycle-staked-ustx') : isEmpty ? 0n : ustx(false);
  const bonds = [...bondsOf(world).values()]
    .filter(
      ({ setup }) =>
        numberIn(setup, 'first-reward-cycle') <= BigInt(number) && numberIn(setup, 'unlock-cycle') > BigInt(number),
    )
    .sort((a, b) => Number(a.index - b.index));
  const before = bondsAfter(printsUpTo(world, end));
  const locks = bonds.map(bond => {
    if (status !== 'finished') return locksOf(bond);
    return last ? locksAtDistribution(world, bond.index, BigInt(number)) : locksOf(before.get(bond.index));
  });
  const [native, sbtc] = [sum(locks.map(lock => lock.native)), sum(locks.map(lock => lock.sbtc))];
  const total = (member: string) => String(sum(calculations.map(print => numberIn(print, member))));
  const set = world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === number);
  return ok({
    number,
    status,
    schedule: {
      start: { bitcoin_height: start, ...timesAt(world, start) },
      prepare_phase_start: { bitcoin_height: prepare, ...timesAt(world, prepare) },
      end: { bitcoin_height: end, ...timesAt(world, end) },
    },
    locked: {
      stx: { stx_only: String(alone), bonds: String(ustx(true)), total: String(alone + ustx(true)) },
      btc: { total: String(native + sbtc), native: String(native), sbtc: String(sbtc) },
    },
    participants: {
      stakers: { stx_only: isEmpty ? 0 : count(false), bonds: count(true) },
      signers: set ? (set.payload.reward_set.signers ?? []).length : null,
    },
    bonds: { total: bonds.length, indexes: bonds.map(({ index }) => Number(index)) },
    rewards: {
      btc: {
        total: total('gross-accrued-rewards'),
        waterfall: {
          bonds: total('total-bond-rewards'),
          stx_only: total('total-stx-staker-rewards'),
          reserve_deposit: total('reserve-deposit'),
        },
        claimed: String(
          sum(
            cycleClaimsOf(world)
              .filter(print => numberIn(print, 'reward-cycle') === BigInt(number))
              .map(print => numberIn(print, 'total-rewards')),
          ),
        ),
      },
    },
  });
};
