import type { ClarityTuple, ClarityValue } from '../../src/base/codec/index.ts';
import { member, tupleOf } from './responses/name-values.ts';
import type { Tx, World } from './world.ts';

/** A print of PoX 5, its members as a test can compare them: numbers as bigints, keys as 0x hex. */
export interface Print {
  readonly tx: Tx;
  /** Among the events of its transaction. */
  readonly index: number;
  readonly topic: string;
  readonly members: ClarityTuple;
}

/** All prints of the contract that have a topic, in chain order. */
export const allPrints = (world: World): Print[] =>
  world.txs.flatMap(tx =>
    tx.events.flatMap(({ contract_event: log }, index) => {
      if (log?.topic !== 'print' || !/^S[PT]0{12,}.*\.pox-5$/.test(log.contract_identifier)) return [];
      const members = tupleOf(log.raw_value);
      const topic = member(members, 'topic');
      return members && topic?.type === 'string-ascii' ? [{ tx, index, topic: topic.value, members }] : [];
    }),
  );

type Members = Readonly<Record<string, readonly ClarityValue['type'][]>>;
const each = (names: string, ...types: ClarityValue['type'][]): Members =>
  Object.fromEntries(names.split(' ').map(name => [name, types]));
const POSITION = { ...each('bond-index', 'uint'), ...each('staker', 'principal') };
const STAKE = { ...each('staker signer', 'principal'), ...each('amount-ustx unlock-burn-height', 'uint') };
const GRANT = { ...each('signer-manager', 'principal'), ...each('signer-key', 'buffer') };

/** The members that a print of each topic must have to count (docs/spec/staking.md#prints). */
const MEMBERS: Readonly<Record<string, Members>> = {
  'setup-bond': {
    ...each('bond-index target-rate stx-value-ratio min-ustx-ratio first-reward-cycle bond-start-height', 'uint'),
    ...each('unlock-cycle unlock-burn-height', 'uint'),
  },
  'add-to-allowlist': { ...POSITION, ...each('max-sats', 'uint') },
  'register-for-bond': {
    ...{ ...POSITION, ...each('signer', 'principal'), ...each('amount-ustx sats-total', 'uint') },
    ...{ ...each('is-l1-lock', 'bool'), ...each('btc-lockup', 'tuple') },
  },
  'update-bond-registration': {
    ...POSITION,
    ...each('signer', 'principal'),
    ...each('amount-ustx amount-sats', 'uint'),
  },
  'announce-l1-early-exit': POSITION,
  'unstake-sbtc': { ...POSITION, ...each('new-amount-sats', 'uint') },
  stake: STAKE,
  'stake-update': STAKE,
  unstake: STAKE,
  'bond-distribution': each('bond-index cumulative-rewards-per-sat', 'uint'),
  'calculate-rewards': each('stx-cycle cumulative-rewards-per-ustx', 'uint'),
  'claim-staker-rewards-for-signer': {
    ...{ ...each('staker', 'principal'), ...each('bond-index', 'some', 'none'), ...each('rewards-claimed', 'uint') },
  },
  'register-signer': { ...each('signer', 'principal'), ...each('signer-key', 'buffer') },
  'grant-signer-key': { ...GRANT, ...each('auth-id', 'uint') },
  'revoke-signer-grant': GRANT,
};

const isWhole = ({ members }: Print, needed: Members | undefined): boolean =>
  needed !== undefined &&
  Object.entries(needed).every(([name, types]) => types.some(type => member(members, name)?.type === type));

/** What a calculation of rewards must have besides for its totals to count, and the claim of a manager. */
const CALCULATION = {
  ...each('stx-cycle cumulative-rewards-per-ustx cycle-staked-ustx gross-accrued-rewards reserve-deposit', 'uint'),
  ...each('total-bond-rewards total-stx-staker-rewards', 'uint'),
};
const CYCLE_CLAIM = each('reward-cycle total-rewards', 'uint');

export const calculationsOf = (world: World): Print[] =>
  allPrints(world).filter(print => print.topic === 'calculate-rewards' && isWhole(print, CALCULATION));
export const cycleClaimsOf = (world: World): Print[] =>
  allPrints(world).filter(print => print.topic === 'claim-rewards' && isWhole(print, CYCLE_CLAIM));

/** Prints about bonds, stakes, rewards or keys, in chain order. */
export const stakingPrints = (world: World): Print[] =>
  allPrints(world).filter(print => isWhole(print, MEMBERS[print.topic]));

const TERM = { ...each('staker signer', 'principal'), ...each('amount-ustx', 'uint') };
/** The same of prints that set the cycles of a staker (docs/spec/pox.md#stakers-of-pox-5). */
const TERM_MEMBERS: Readonly<Record<string, Members>> = {
  stake: { ...TERM, ...each('first-reward-cycle unlock-cycle', 'uint') },
  'register-for-bond': { ...TERM, ...each('first-reward-cycle unlock-cycle', 'uint') },
  'stake-update': { ...TERM, ...each('unlock-cycle num-cycles', 'uint') },
  'update-bond-registration': { ...TERM, ...each('first-reward-cycle num-cycles', 'uint') },
  unstake: { ...each('staker', 'principal'), ...each('unlock-cycle', 'uint') },
};
const LONGEST_TERM = 96n;

/** The cycles of a staker from this print on: from the first to the one before the end. */
export interface Term {
  readonly print: Print;
  readonly staker: string;
  readonly manager: string;
  readonly first: bigint;
  readonly end: bigint;
  /** Null where the staker stakes no more. */
  readonly amount: bigint | null;
  readonly isInBond: boolean;
}

/** All of them in chain order; the newest that has a cycle decides about it. */
export const termsOf = (world: World): Term[] =>
  allPrints(world)
    .filter(print => isWhole(print, TERM_MEMBERS[print.topic]))
    .map(termOf)
    .filter(({ first, end }) => first >= 0n && end - first <= LONGEST_TERM);

function termOf(print: Print): Term {
  const number = (name: string): bigint => numberIn(print, name);
  const [first, end] = [number('first-reward-cycle'), number('unlock-cycle')];
  const isInBond = /bond/.test(print.topic);
  const parties = { print, staker: principalIn(print, 'staker'), manager: principalIn(print, 'signer'), isInBond };
  const amount = number('amount-ustx');
  switch (print.topic) {
    case 'unstake':
      return { ...parties, first: end, end: end + LONGEST_TERM, amount: null };
    case 'stake-update':
      return { ...parties, first: end - number('num-cycles'), end, amount };
    case 'update-bond-registration':
      return { ...parties, first, end: first + number('num-cycles'), amount };
    default:
      return { ...parties, first, end, amount };
  }
}

export function numberIn({ members }: Print, name: string): bigint {
  const value = member(members, name);
  return value?.type === 'uint' ? value.value : -1n;
}

export function principalIn({ members }: Print, name: string): string {
  const value = member(members, name);
  return value?.type === 'principal' ? value.value : '';
}

export function keyIn({ members }: Print, name: string): string {
  const value = member(members, name);
  return value?.type === 'buffer' ? hex(value.value) : '';
}

export const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** Undefined for a claim of what is staked alone. */
export function claimedBond({ members }: Print): bigint | undefined {
  const value = member(members, 'bond-index');
  return value?.type === 'some' && value.value.type === 'uint' ? value.value.value : undefined;
}
