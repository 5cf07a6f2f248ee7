import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { rawPrint } from './pox-prints.ts';
import { filled } from './wire-transaction.ts';

export const POX5 = 'ST000000000000000000002AMW42H.pox-5';

/** A print of PoX 5 on a testnet, as an event of `/new_block` without its place. */
export const stakingPrint = (topic: string, members: Readonly<Record<string, Uint8Array>>) =>
  rawPrint(encodeClarityTuple({ topic: encodeClarityAscii(topic), ...members }), 'pox-5');

/**
 * A print that now and then, as `n` says, lacks a member or has one of a type that no member is of: the contract makes none, and such a
 * print tells nothing.
 */
export function sometimesDamaged(n: number, topic: string, members: Readonly<Record<string, Uint8Array>>) {
  const names = Object.keys(members);
  const damaged = names[Math.floor(n / 9) % names.length];
  if (n % 9 !== 0 || damaged === undefined) return stakingPrint(topic, members);
  const { [damaged]: _, ...others } = members;
  return stakingPrint(topic, n % 2 === 0 ? others : { ...others, [damaged]: encodeClarityAscii('odd') });
}

/** The members that name a staker and a signer manager. */
export const stakerOf = (staker: string, manager: string) => ({
  staker: encodeClarityPrincipal(staker),
  signer: encodeClarityPrincipal(manager),
});

export const clarityUints = (members: Readonly<Record<string, number | bigint>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, encodeClarityUint(value)]));

/** Bond 1 is set up. */
export const BOND_SET_UP = stakingPrint(
  'setup-bond',
  clarityUints({
    'bond-index': 1,
    'target-rate': 500,
    'stx-value-ratio': 100,
    'min-ustx-ratio': 1000,
    'first-reward-cycle': 7,
    'bond-start-height': 1_000_000,
    'unlock-cycle': 19,
    'unlock-burn-height': 2_000_000,
  }),
);

/** A staker may take part in a bond. */
export const allowedStaker = (staker: string, sats: number, bond = 1) =>
  stakingPrint('add-to-allowlist', {
    ...clarityUints({ 'bond-index': bond, 'max-sats': sats }),
    staker: encodeClarityPrincipal(staker),
  });

/** A staker takes part in bond 1. */
export const registeredStaker = (staker: string, manager: string, sats: number) =>
  stakingPrint('register-for-bond', {
    ...stakerOf(staker, manager),
    ...clarityUints({ 'bond-index': 1, 'amount-ustx': 50, 'sats-total': sats }),
    ...clarityUints({ 'first-reward-cycle': 7, 'unlock-cycle': 19, 'unlock-burn-height': 2_000_000 }),
    'is-l1-lock': encodeClarityBool(false),
    'btc-lockup': encodeClarityTuple({ type: encodeClarityAscii('l2'), txs: encodeClarityNone() }),
  });

/** A signer manager has a key of so many equal bytes. */
export const signerKey = (manager: string, byte: number) =>
  stakingPrint('register-signer', {
    signer: encodeClarityPrincipal(manager),
    'signer-key': encodeClarityBuffer(filled(33, byte)),
  });

/** A lock event, by default of PoX 5; the contract null: of a node before 2.1. */
export const lockEvent = (address: string, amount: number, until: number, contract: string | null = POX5) => ({
  type: 'stx_lock_event',
  stx_lock_event: {
    locked_address: address,
    locked_amount: String(amount),
    unlock_height: String(until),
    ...(contract !== null && { contract_identifier: contract }),
  },
});
