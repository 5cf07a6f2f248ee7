import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes } from '../../../test/support/wire-transaction.ts';
import { poxAddressToBitcoin } from './bitcoin-address.ts';
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from './clarity/encode.ts';
import { decodePoxEvent, type PoxEvent } from './pox-event.ts';

const STACKER = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const POOL = `${STACKER}.pool`;
const uint = encodeClarityUint;
const some = encodeClaritySome;
const none = encodeClarityNone();
const key = new Uint8Array(33).fill(2);
const poxAddr = encodeClarityTuple({
  version: encodeClarityBuffer(Uint8Array.of(0)),
  hashbytes: encodeClarityBuffer(new Uint8Array(20).fill(0x5a)),
});
const lock = {
  'lock-amount': uint(4000),
  'lock-period': uint(2),
  'start-burn-height': uint(90),
  'unlock-burn-height': uint(100),
};
const cycles = { 'start-cycle-id': uint(3), 'end-cycle-id': some(uint(5)) };
const CYCLES = { startCycleId: 3n, endCycleId: 5n };

/** State before: 1000 locked until 50, 9000 free. */
function eventBytes(
  name: string,
  data: Record<string, Uint8Array>,
  outer: Record<string, Uint8Array> = {},
): Uint8Array {
  const event = encodeClarityTuple({
    name: encodeClarityAscii(name),
    stacker: encodeClarityPrincipal(STACKER),
    balance: uint(9000),
    locked: uint(1000),
    'burnchain-unlock-height': uint(50),
    data: encodeClarityTuple(data),
    ...outer,
  });
  return bytes(0x07, event);
}

function decoded(wire: Uint8Array): PoxEvent {
  const result = decodePoxEvent(wire, 'mainnet');
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  assert.ok(result.value);
  return result.value;
}

const state = ({ locked, balance, burnchainUnlockHeight }: PoxEvent) => [locked, balance, burnchainUnlockHeight];

test('a lock replaces the locked amount and the unlock height, and takes the amount from the balance', () => {
  const stack = decoded(eventBytes('stack-stx', { ...lock, ...cycles, 'signer-key': encodeClarityBuffer(key) }));
  assert.deepEqual(state(stack), [4000n, 5000n, 100n]);
  assert.ok(stack.name === 'stack-stx');
  const members = { lockAmount: 4000n, lockPeriod: 2n, startBurnHeight: 90n, unlockBurnHeight: 100n, ...CYCLES };
  assert.deepEqual(stack.data, { ...members, signerKey: `0x${'02'.repeat(33)}` });
  const delegator = encodeClarityPrincipal(POOL);
  const delegated = decoded(eventBytes('delegate-stack-stx', { ...lock, ...cycles, delegator }));
  assert.deepEqual(state(delegated), [4000n, 5000n, 100n]);
  assert.deepEqual(delegated.data, { ...members, delegator: POOL });
});

test('an increase moves the difference from balance to locked', () => {
  const data = {
    'increase-by': uint(500),
    'total-locked': uint(1500),
    ...cycles,
    delegator: encodeClarityPrincipal(POOL),
  };
  for (const name of ['stack-increase', 'delegate-stack-increase']) {
    assert.deepEqual(state(decoded(eventBytes(name, data))), [1500n, 8500n, 50n]);
  }
});

test('an extension moves the unlock height only', () => {
  const data = { 'extend-count': uint(1), 'unlock-burn-height': uint(140), delegator: encodeClarityPrincipal(POOL) };
  for (const name of ['stack-extend', 'delegate-stack-extend']) {
    assert.deepEqual(state(decoded(eventBytes(name, data))), [1000n, 9000n, 140n]);
  }
});

test('a delegation moves the unlock height when it has one that is not zero', () => {
  const data = { 'amount-ustx': uint(7), 'delegate-to': encodeClarityPrincipal(POOL) };
  const heights = [none, some(uint(0)), some(uint(140))].map(until => {
    return decoded(eventBytes('delegate-stx', { ...data, 'unlock-burn-height': until })).burnchainUnlockHeight;
  });
  assert.deepEqual(heights, [50n, 50n, 140n]);
});

test('an unlock returns what was locked to the balance', () => {
  const data = { 'first-cycle-locked': uint(1), 'first-unlocked-cycle': uint(2) };
  assert.deepEqual(state(decoded(eventBytes('handle-unlock', data))), [1000n, 10_000n, 50n]);
});

test('aggregations and revocations change no state', () => {
  const aggregation = { 'reward-cycle': uint(8), 'amount-ustx': uint(9) };
  for (const name of ['commit', 'commit-indexed', 'increase']) {
    assert.deepEqual(state(decoded(eventBytes(`stack-aggregation-${name}`, aggregation))), [1000n, 9000n, 50n]);
  }
  const revoke = decoded(eventBytes('revoke-delegate-stx', { 'delegate-to': encodeClarityPrincipal(POOL) }));
  assert.deepEqual(state(revoke), [1000n, 9000n, 50n]);
  assert.deepEqual(revoke.data, { delegateTo: POOL, startCycleId: null, endCycleId: null });
});

test('the reward address may be plain, optional, none, absent or of an unknown version', () => {
  const unknown = encodeClarityTuple({
    version: encodeClarityBuffer(Uint8Array.of(7)),
    hashbytes: encodeClarityBuffer(Uint8Array.of(1)),
  });
  const of = (member: Record<string, Uint8Array>) => {
    const { poxAddr, poxAddrRaw } = decoded(eventBytes('stack-stx', { ...lock, ...member }));
    return [poxAddr, poxAddrRaw];
  };
  const hashbytes = new Uint8Array(20).fill(0x5a);
  const known = [poxAddressToBitcoin({ version: 0, hashbytes }, 'mainnet'), `0x00${'5a'.repeat(20)}`];
  assert.deepEqual(of({ 'pox-addr': poxAddr }), known);
  assert.deepEqual(of({ 'pox-addr': some(poxAddr) }), known);
  assert.deepEqual(of({ 'pox-addr': none }), [null, '']);
  assert.deepEqual(of({}), [null, null]);
  assert.deepEqual(of({ 'pox-addr': unknown }), [null, '0x0701']);
});

test('signer key and cycles are null where an operation has none', () => {
  const { data } = decoded(eventBytes('stack-stx', { ...lock, 'signer-key': none, 'end-cycle-id': none }));
  const members = { lockAmount: 4000n, lockPeriod: 2n, startBurnHeight: 90n, unlockBurnHeight: 100n };
  assert.deepEqual(data, { ...members, signerKey: null, startCycleId: null, endCycleId: null });
});

test('a failed call is no event', () => {
  assert.deepEqual(decodePoxEvent(bytes(0x08, uint(3)), 'mainnet'), { ok: true, value: null });
});

test('other values, unknown operations and missing or mistyped members are error values', () => {
  const wrong = [
    uint(1),
    bytes(0x07, uint(1)),
    new Uint8Array(),
    eventBytes('stack-other', lock),
    eventBytes('toString', lock),
    eventBytes('stack-stx', {}),
    eventBytes('stack-stx', { ...lock, 'lock-amount': none }),
    eventBytes('stack-stx', lock, { stacker: none }),
    eventBytes('stack-stx', lock, { data: none }),
    eventBytes('delegate-stack-stx', lock),
  ];
  for (const wire of wrong) assert.equal(decodePoxEvent(wire, 'mainnet').ok, false);
});
