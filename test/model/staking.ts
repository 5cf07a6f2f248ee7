import { member } from './responses/name-values.ts';
import { claimedBond, hex, numberIn, type Print, principalIn, stakingPrints, termsOf } from './staking-prints.ts';
import type { World } from './world.ts';

/** Who takes part in a bond. */
export interface Position {
  /** The newest, and all. */
  registration: Print;
  readonly registrations: Print[];
  readonly staker: string;
  outputs: readonly { readonly tx_id: string; readonly output_index: number }[] | undefined;
  enrolled: bigint;
  signer: string;
  sats: bigint;
  ustx: bigint;
  exited: boolean;
  /** Whether another bond or a stake took over what it locked. */
  rolled: boolean;
  /** Up to the rate of the last settlement. */
  accrued: bigint;
  settledRate: bigint;
  claimed: bigint;
}

export interface Bond {
  readonly setup: Print;
  readonly index: bigint;
  readonly allowed: Map<string, Print>;
  readonly positions: Map<string, Position>;
  rate: bigint;
  /** The sum of its distributions, and of what its satoshis earned in them, times SCALE. */
  distributed: bigint;
  earned: bigint;
}

export const SCALE = 10n ** 18n;

/** What shares earn at a rate. */
export const earned = (shares: bigint, rate: bigint): bigint => (shares * rate) / SCALE;

/** All that a position has earned until now. */
export const accruedOf = ({ accrued, sats, settledRate }: Position, { rate }: Bond): bigint =>
  accrued + earned(sats, rate - settledRate);

/** The bonds as the prints leave them (docs/spec/staking.md#prints). */
export const bondsOf = (world: World): Map<bigint, Bond> => bondsAfter(stakingPrints(world));

/** The same after some of these prints. */
export function bondsAfter(prints: readonly Print[]): Map<bigint, Bond> {
  const bonds = new Map<bigint, Bond>();
  for (const print of prints) tell(bonds, print);
  return bonds;
}

/** Changes the bonds as the next print does. */
export function tell(bonds: Map<bigint, Bond>, print: Print): void {
  const index = numberIn(print, 'bond-index');
  const staker = principalIn(print, 'staker');
  const bond = bonds.get(index);
  if (print.topic === 'setup-bond' && !bond)
    bonds.set(index, {
      setup: print,
      index,
      allowed: new Map(),
      positions: new Map(),
      rate: 0n,
      distributed: 0n,
      earned: 0n,
    });
  if (print.topic === 'claim-staker-rewards-for-signer') claim(bonds, print);
  if (print.topic === 'stake' || (print.topic === 'register-for-bond' && bond)) rollOver(bonds, staker, bond);
  if (!bond) return;
  const position = bond.positions.get(staker);
  switch (print.topic) {
    case 'add-to-allowlist':
      if (!bond.allowed.has(staker)) bond.allowed.set(staker, print);
      break;
    case 'register-for-bond':
      if (position) {
        settle(position, bond);
        const { enrolled, sats, ustx, signer, outputs } = newPosition(print, bond.rate);
        position.registrations.push(print);
        Object.assign(position, { registration: print, enrolled, sats, ustx, signer, outputs });
        Object.assign(position, { exited: false, rolled: false });
      } else bond.positions.set(staker, newPosition(print, bond.rate));
      break;
    case 'bond-distribution': {
      const rate = numberIn(print, 'cumulative-rewards-per-sat');
      const rewards = numberIn(print, 'bond-rewards');
      bond.distributed += rewards < 0n ? 0n : rewards;
      if (rate <= bond.rate) break;
      bond.earned += sum([...bond.positions.values()].map(({ sats }) => sats * (rate - bond.rate)));
      bond.rate = rate;
      break;
    }
    case 'update-bond-registration':
      if (!position || position.rolled) break;
      settle(position, bond);
      position.signer = principalIn(print, 'signer');
      position.sats = numberIn(print, 'amount-sats');
      position.ustx = numberIn(print, 'amount-ustx');
      break;
    case 'announce-l1-early-exit':
    case 'unstake-sbtc':
      if (!position || position.rolled) break;
      settle(position, bond);
      position.sats = print.topic === 'unstake-sbtc' ? numberIn(print, 'new-amount-sats') : 0n;
      if (position.sats === 0n) position.exited = true;
      break;
    default:
      // Other topics change no bond.
      break;
  }
}

/** The staker's positions in other bonds lock nothing from now on. */
function rollOver(bonds: ReadonlyMap<bigint, Bond>, staker: string, into: Bond | undefined): void {
  for (const bond of bonds.values()) {
    const position = bond.positions.get(staker);
    if (!position || (into && bond.index === into.index)) continue;
    settle(position, bond);
    Object.assign(position, { sats: 0n, ustx: 0n, rolled: true });
  }
}

function settle(position: Position, bond: Bond): void {
  position.accrued = accruedOf(position, bond);
  position.settledRate = bond.rate;
}

function claim(bonds: ReadonlyMap<bigint, Bond>, print: Print): void {
  const bond = bonds.get(claimedBond(print) ?? -1n);
  const position = bond?.positions.get(principalIn(print, 'staker'));
  if (!bond || !position) return;
  settle(position, bond);
  position.claimed += numberIn(print, 'rewards-claimed');
}

function newPosition(print: Print, rate: bigint): Position {
  const isL1 = member(print.members, 'is-l1-lock');
  const sats = numberIn(print, 'sats-total');
  return {
    registration: print,
    registrations: [print],
    staker: principalIn(print, 'staker'),
    outputs: isL1?.type === 'bool' && isL1.value ? outputsOf(print) : undefined,
    enrolled: sats,
    signer: principalIn(print, 'signer'),
    sats,
    ustx: numberIn(print, 'amount-ustx'),
    exited: false,
    rolled: false,
    accrued: 0n,
    settledRate: rate,
    claimed: 0n,
  };
}

function outputsOf({ members }: Print) {
  const lockup = member(members, 'btc-lockup');
  const txs = lockup?.type === 'tuple' ? member(lockup, 'txs') : undefined;
  const items = txs?.type === 'some' && txs.value.type === 'list' ? txs.value.items : [];
  return items.flatMap(item => {
    if (item.type !== 'tuple') return [];
    const [id, index] = [member(item, 'txid'), member(item, 'output-index')];
    return id?.type === 'buffer' && index?.type === 'uint'
      ? [{ tx_id: hex(id.value), output_index: Number(index.value) }]
      : [];
  });
}

/** What a staker has staked alone: the newest word of it, unless a registration for a bond came later. */
export interface Stake {
  readonly signer: string;
  readonly ustx: bigint;
  readonly until: number;
}

/** Registrations count where bondsOf counts them: of a bond that was set up before. A new stake ends what is in a bond. */
export function stakesOf(world: World): { readonly alone: Map<string, Stake>; readonly lastBond: Map<string, bigint> } {
  const [alone, lastBond] = [new Map<string, Stake>(), new Map<string, bigint>()];
  const counted = new Set(
    [...bondsOf(world).values()]
      .flatMap(({ positions }) => [...positions.values()])
      .flatMap(({ registrations }) => registrations.map(placeOf)),
  );
  for (const print of stakingPrints(world)) {
    const staker = principalIn(print, 'staker');
    if (['stake', 'stake-update', 'unstake'].includes(print.topic))
      alone.set(staker, {
        signer: principalIn(print, 'signer'),
        ustx: numberIn(print, 'amount-ustx'),
        until: Number(numberIn(print, 'unlock-burn-height')),
      });
    if (print.topic === 'stake') lastBond.delete(staker);
    if (print.topic === 'register-for-bond' && counted.has(`${print.tx.txId} ${print.index}`)) {
      alone.delete(staker);
      lastBond.set(staker, numberIn(print, 'bond-index'));
    }
  }
  return { alone, lastBond };
}

const placeOf = ({ tx, index }: Print): string => `${tx.txId} ${index}`;

/** What a staker has earned with STX that are staked alone: of each cycle with a rate, with the newest term that has it. */
export function accruedAlone(world: World, staker: string): bigint {
  const [rates, amounts] = [new Map<bigint, bigint>(), new Map<bigint, bigint>()];
  for (const print of stakingPrints(world).filter(({ topic }) => topic === 'calculate-rewards')) {
    const [cycle, rate] = [numberIn(print, 'stx-cycle'), numberIn(print, 'cumulative-rewards-per-ustx')];
    if (rate > (rates.get(cycle) ?? 0n)) rates.set(cycle, rate);
  }
  for (const { first, end, amount, isInBond } of termsOf(world).filter(term => term.staker === staker))
    for (let cycle = first; cycle < end; cycle++) amounts.set(cycle, isInBond ? 0n : (amount ?? 0n));
  return [...rates].reduce((sum, [cycle, rate]) => sum + ((amounts.get(cycle) ?? 0n) * rate) / SCALE, 0n);
}

/** By which everything of PoX 5 begins and ends. */
export const burnTip = ({ blocks }: World): number => blocks.at(-1)?.burnHeight ?? 0;
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Burn heights of a bond. */
export const startOf = ({ setup }: Bond): number => Number(numberIn(setup, 'bond-start-height'));
export const endOf = ({ setup }: Bond): number => Number(numberIn(setup, 'unlock-burn-height'));
