import { rawHex, toHex } from '../lib/hex.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { type BitcoinNetwork, poxAddressToBitcoin } from './bitcoin-address.ts';
import type { DecodeError } from './byte-cursor.ts';
import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from './clarity/decode.ts';

interface Cycles {
  /** First reward cycle of the operation; null before pox-4. */
  readonly startCycleId: bigint | null;
  /** The cycle after the last; null when open-ended or before pox-4. */
  readonly endCycleId: bigint | null;
}
interface Signed {
  /** 33-byte public key in hex; null when the operation names none. */
  readonly signerKey: string | null;
}
interface Delegated {
  readonly delegator: string;
}
interface Lock {
  readonly lockAmount: bigint;
  readonly lockPeriod: bigint;
  readonly startBurnHeight: bigint;
  readonly unlockBurnHeight: bigint;
}
interface Increase {
  readonly increaseBy: bigint;
  readonly totalLocked: bigint;
}
interface Extension {
  readonly extendCount: bigint;
  readonly unlockBurnHeight: bigint;
}
interface Aggregation {
  readonly rewardCycle: bigint;
  readonly amountUstx: bigint;
}

/** The members of each operation (docs/spec/pox.md#prints). */
interface PoxEventData {
  readonly 'handle-unlock': { readonly firstCycleLocked: bigint; readonly firstUnlockedCycle: bigint };
  readonly 'stack-stx': Lock & Signed & Cycles;
  readonly 'stack-increase': Increase & Signed & Cycles;
  readonly 'stack-extend': Extension & Signed & Cycles;
  readonly 'delegate-stx': {
    readonly amountUstx: bigint;
    readonly delegateTo: string;
    readonly unlockBurnHeight: bigint | null;
  } & Cycles;
  readonly 'delegate-stack-stx': Lock & Delegated & Cycles;
  readonly 'delegate-stack-increase': Increase & Delegated & Cycles;
  readonly 'delegate-stack-extend': Extension & Delegated & Cycles;
  readonly 'stack-aggregation-commit': Aggregation & Signed & Cycles;
  readonly 'stack-aggregation-commit-indexed': Aggregation & Signed & Cycles;
  readonly 'stack-aggregation-increase': Aggregation & Cycles;
  readonly 'revoke-delegate-stx': { readonly delegateTo: string } & Cycles;
}

export type PoxEventName = keyof PoxEventData;

interface PoxEventState {
  /** The owner of the STX; in aggregations, the pool operator. */
  readonly stacker: string;
  /** Micro-STX locked and free, and the burn height of the unlock, as they are after the operation. */
  readonly locked: bigint;
  readonly balance: bigint;
  readonly burnchainUnlockHeight: bigint;
  /** Bitcoin address of the rewards; null if it is absent or has no known form. */
  readonly poxAddr: string | null;
  /** Version byte and hash in hex; '' for `none` in the event, null if the event lacks the field. */
  readonly poxAddrRaw: string | null;
}

/** One stacking operation of pox-2, pox-3 or pox-4. */
export type PoxEvent = { [Name in PoxEventName]: PoxEventOf<Name> }[PoxEventName];
export type PoxEventOf<Name extends PoxEventName> = PoxEventState & {
  readonly name: Name;
  readonly data: PoxEventData[Name];
};

/**
 * Decodes the serialised value of a print that nodes synthesise for a pox-2, pox-3 or pox-4 call. The value holds the state
 * before the call; the result holds the state after it (docs/spec/pox.md#state-after-a-call). `(err ...)` is a call without
 * effect: null. Anything else is an error value.
 */
export function decodePoxEvent(
  rawValueBytes: Uint8Array,
  network: BitcoinNetwork,
): Result<PoxEvent | null, DecodeError> {
  const decoded = decodeClarityValue(rawValueBytes);
  if (!decoded.ok) return decoded;
  if (decoded.value.type === 'err') return ok(null);
  if (decoded.value.type !== 'ok' || decoded.value.value.type !== 'tuple') return malformed('not (ok (tuple ...))');
  try {
    return ok(readEvent(decoded.value.value, network));
  } catch (failure) {
    if (failure instanceof MissingMember) return malformed(`no usable ${failure.member}`);
    throw failure;
  }
}

function malformed(message: string): Result<never, DecodeError> {
  return fail({ code: 'invalid_field', message: `PoX event: ${message}`, offset: 0 });
}

/** Thrown when a member is absent or of another type. decodePoxEvent catches it. */
class MissingMember {
  readonly member: string;
  constructor(member: string) {
    this.member = member;
  }
}

function readEvent(event: ClarityTuple, network: BitcoinNetwork): PoxEvent {
  const data = tupleMember(event, 'data');
  if (data?.type !== 'tuple') throw new MissingMember('data');
  const before: PoxEventState = {
    stacker: principal(event, 'stacker'),
    locked: uint(event, 'locked'),
    balance: uint(event, 'balance'),
    burnchainUnlockHeight: uint(event, 'burnchain-unlock-height'),
    ...readPoxAddress(tupleMember(data, 'pox-addr'), network),
  };
  return afterOperation(before, ascii(event, 'name'), data);
}

/** Reads the members of the operation and applies its effect to the state before it (docs/spec/pox.md#state-after-a-call). */
function afterOperation(before: PoxEventState, name: string, data: ClarityTuple): PoxEvent {
  switch (name) {
    case 'handle-unlock': {
      const firstCycleLocked = uint(data, 'first-cycle-locked');
      const firstUnlockedCycle = uint(data, 'first-unlocked-cycle');
      const balance = before.balance + before.locked;
      return { ...before, balance, name, data: { firstCycleLocked, firstUnlockedCycle } };
    }
    case 'stack-stx': {
      const lock = readLock(data);
      return { ...afterLock(before, lock), name, data: { ...lock, ...readSigned(data), ...readCycles(data) } };
    }
    case 'delegate-stack-stx': {
      const lock = readLock(data);
      return { ...afterLock(before, lock), name, data: { ...lock, ...readDelegated(data), ...readCycles(data) } };
    }
    case 'stack-increase': {
      const increase = readIncrease(data);
      const members = { ...increase, ...readSigned(data), ...readCycles(data) };
      return { ...afterIncrease(before, increase), name, data: members };
    }
    case 'delegate-stack-increase': {
      const increase = readIncrease(data);
      const members = { ...increase, ...readDelegated(data), ...readCycles(data) };
      return { ...afterIncrease(before, increase), name, data: members };
    }
    case 'stack-extend': {
      const extension = readExtension(data);
      const members = { ...extension, ...readSigned(data), ...readCycles(data) };
      return { ...before, burnchainUnlockHeight: extension.unlockBurnHeight, name, data: members };
    }
    case 'delegate-stack-extend': {
      const extension = readExtension(data);
      const members = { ...extension, ...readDelegated(data), ...readCycles(data) };
      return { ...before, burnchainUnlockHeight: extension.unlockBurnHeight, name, data: members };
    }
    case 'delegate-stx': {
      const amountUstx = uint(data, 'amount-ustx');
      const delegateTo = principal(data, 'delegate-to');
      const unlockBurnHeight = optionalUint(data, 'unlock-burn-height');
      const burnchainUnlockHeight = unlockBurnHeight || before.burnchainUnlockHeight; // neither none nor zero
      const members = { amountUstx, delegateTo, unlockBurnHeight, ...readCycles(data) };
      return { ...before, burnchainUnlockHeight, name, data: members };
    }
    case 'stack-aggregation-commit':
    case 'stack-aggregation-commit-indexed':
      return { ...before, name, data: { ...readAggregation(data), ...readSigned(data), ...readCycles(data) } };
    case 'stack-aggregation-increase':
      return { ...before, name, data: { ...readAggregation(data), ...readCycles(data) } };
    case 'revoke-delegate-stx':
      return { ...before, name, data: { delegateTo: principal(data, 'delegate-to'), ...readCycles(data) } };
    default:
      throw new MissingMember(`operation named ${JSON.stringify(name)}`);
  }
}

function afterLock(before: PoxEventState, lock: Lock): PoxEventState {
  return {
    ...before,
    locked: lock.lockAmount,
    balance: before.balance - lock.lockAmount,
    burnchainUnlockHeight: lock.unlockBurnHeight,
  };
}

function afterIncrease(before: PoxEventState, { increaseBy }: Increase): PoxEventState {
  return { ...before, locked: before.locked + increaseBy, balance: before.balance - increaseBy };
}

function readLock(data: ClarityTuple): Lock {
  return {
    lockAmount: uint(data, 'lock-amount'),
    lockPeriod: uint(data, 'lock-period'),
    startBurnHeight: uint(data, 'start-burn-height'),
    unlockBurnHeight: uint(data, 'unlock-burn-height'),
  };
}

function readIncrease(data: ClarityTuple): Increase {
  return { increaseBy: uint(data, 'increase-by'), totalLocked: uint(data, 'total-locked') };
}

function readExtension(data: ClarityTuple): Extension {
  return { extendCount: uint(data, 'extend-count'), unlockBurnHeight: uint(data, 'unlock-burn-height') };
}

function readAggregation(data: ClarityTuple): Aggregation {
  return { rewardCycle: uint(data, 'reward-cycle'), amountUstx: uint(data, 'amount-ustx') };
}

function readDelegated(data: ClarityTuple): Delegated {
  return { delegator: principal(data, 'delegator') };
}

function readSigned(data: ClarityTuple): Signed {
  const key = unwrapped(tupleMember(data, 'signer-key'));
  return { signerKey: key?.type === 'buffer' ? toHex(key.value) : null };
}

function readCycles(data: ClarityTuple): Cycles {
  return { startCycleId: optionalUint(data, 'start-cycle-id'), endCycleId: optionalUint(data, 'end-cycle-id') };
}

/** Present as a tuple, as an optional tuple, or not at all (docs/spec/pox.md#optional-members). */
function readPoxAddress(
  member: ClarityValue | undefined,
  network: BitcoinNetwork,
): Pick<PoxEventState, 'poxAddr' | 'poxAddrRaw'> {
  if (member?.type === 'none') return { poxAddr: null, poxAddrRaw: '' };
  const address = unwrapped(member);
  if (address?.type !== 'tuple') return { poxAddr: null, poxAddrRaw: null };
  const version = tupleMember(address, 'version');
  const hashbytes = tupleMember(address, 'hashbytes');
  if (version?.type !== 'buffer' || hashbytes?.type !== 'buffer') return { poxAddr: null, poxAddrRaw: null };
  const [versionByte] = version.value;
  const known = versionByte !== undefined && version.value.length === 1;
  const text = known ? poxAddressToBitcoin({ version: versionByte, hashbytes: hashbytes.value }, network) : undefined;
  return { poxAddr: text ?? null, poxAddrRaw: toHex(version.value) + rawHex(hashbytes.value) };
}

function uint(tuple: ClarityTuple, name: string): bigint {
  const value = tupleMember(tuple, name);
  if (value?.type !== 'uint') throw new MissingMember(name);
  return value.value;
}

/** A uint, plain or wrapped in `some`; null for `none`, absent or another type. */
function optionalUint(tuple: ClarityTuple, name: string): bigint | null {
  const value = unwrapped(tupleMember(tuple, name));
  return value?.type === 'uint' ? value.value : null;
}

function principal(tuple: ClarityTuple, name: string): string {
  const value = tupleMember(tuple, name);
  if (value?.type !== 'principal') throw new MissingMember(name);
  return value.value;
}

function ascii(tuple: ClarityTuple, name: string): string {
  const value = tupleMember(tuple, name);
  if (value?.type !== 'string-ascii') throw new MissingMember(name);
  return value.value;
}

function unwrapped(value: ClarityValue | undefined): ClarityValue | undefined {
  return value?.type === 'some' ? value.value : value;
}
