import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  type PoxEventName,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';

const uint = encodeClarityUint;

/** Hand-written prints of the PoX contracts of a testnet, as events of `/new_block` without their place. Tests place them. */
export function poxPrint(
  name: PoxEventName,
  stacker: string,
  data: Readonly<Record<string, Uint8Array>>,
  contract = 'pox-4',
) {
  const value = encodeClarityTuple({
    name: encodeClarityAscii(name),
    stacker: encodeClarityPrincipal(stacker),
    balance: uint(9000),
    locked: uint(0),
    'burnchain-unlock-height': uint(0),
    data: encodeClarityTuple(data),
  });
  return rawPrint(Uint8Array.of(0x07, ...value), contract);
}

/** A print of any bytes. */
export function rawPrint(value: Uint8Array, contract = 'pox-4') {
  const contract_identifier = `ST000000000000000000002AMW42H.${contract}`;
  return { type: 'contract_event', contract_event: { contract_identifier, topic: 'print', raw_value: toHex(value) } };
}

/** The reward cycles from `first` to the one before `end`. */
export const cycles = (first: number, end: number) => ({
  'start-cycle-id': uint(first),
  'end-cycle-id': encodeClaritySome(uint(end)),
});

/** A key of 33 times the same byte, as an event has it; keyText is how the API spells it. */
export const signedBy = (byte: number) => ({ 'signer-key': encodeClarityBuffer(new Uint8Array(33).fill(byte)) });
export const keyText = (byte: number): string => toHex(new Uint8Array(33).fill(byte));

export const lock = {
  'lock-amount': uint(4000),
  'lock-period': uint(1),
  'start-burn-height': uint(90),
  'unlock-burn-height': uint(100),
};
export const extension = { 'extend-count': uint(1), 'unlock-burn-height': uint(120) };
export const increase = { 'increase-by': uint(10), 'total-locked': uint(4010) };
export const commitment = { 'reward-cycle': uint(1), 'amount-ustx': uint(4000) };
export const through = (operator: string) => ({ delegator: encodeClarityPrincipal(operator) });

interface DelegationParts {
  readonly amount?: number;
  /** Burn height; without it the delegation has no end. */
  readonly until?: number | bigint;
  /** Hash of a P2PKH address. */
  readonly poxHash?: Uint8Array;
}

export const delegated = (pool: string, { amount = 4000, until, poxHash }: DelegationParts = {}) => ({
  'amount-ustx': uint(amount),
  'delegate-to': encodeClarityPrincipal(pool),
  'unlock-burn-height': until === undefined ? encodeClarityNone() : encodeClaritySome(uint(until)),
  'pox-addr': poxHash ? encodeClaritySome(poxAddress(poxHash)) : encodeClarityNone(),
});

const poxAddress = (hash: Uint8Array): Uint8Array =>
  encodeClarityTuple({ version: encodeClarityBuffer(Uint8Array.of(0)), hashbytes: encodeClarityBuffer(hash) });

export const revoked = (pool: string) => ({ 'delegate-to': encodeClarityPrincipal(pool) });
