import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../base/codec/index.ts';
import { stakingEvent } from './facts.ts';

const MANAGER = encodeClarityPrincipal('SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7.manager');
/** By name, where it is no `uint`. */
const VALUES: Readonly<Record<string, Uint8Array>> = {
  staker: encodeClarityPrincipal('SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'),
  signer: MANAGER,
  'signer-manager': MANAGER,
  'signer-key': encodeClarityBuffer(new Uint8Array(33)),
  'is-l1-lock': encodeClarityBool(true),
  'btc-lockup': encodeClarityTuple({ type: encodeClarityAscii('l1'), txs: encodeClarityNone() }),
};

const words = (text: string): string[] => [...text.matchAll(/`([a-z0-9-]+)`/g)].flatMap(([, word]) => word ?? []);
const membersOf = (topic: string, text: string) =>
  words(text).filter(name => name !== 'auth-id' || topic === 'grant-signer-key');

/** The topics of the specification, each with the members that count; `auth-id` only of a grant. */
const topics = [
  ...readFileSync(join(import.meta.dirname, '../../../docs/spec/staking.md'), 'utf8').matchAll(
    /^\| (`[^|]+) \| (`[^|]+) \| [^|]+ \|$/gm,
  ),
].flatMap(([, names = '', members = '']) => words(names).map(topic => ({ topic, members: membersOf(topic, members) })));

const validValue = (topic: string, name: string): Uint8Array => {
  if (topic === 'claim-staker-rewards-for-signer' && name === 'bond-index')
    return encodeClaritySome(encodeClarityUint(1));
  return VALUES[name] ?? encodeClarityUint(1);
};
const read = (topic: string, members: Readonly<Record<string, Uint8Array>>) =>
  stakingEvent(encodeClarityTuple({ topic: encodeClarityAscii(topic), ...members }));

test('a print tells something if it has all members that the specification names', () => {
  assert.equal(topics.length, 16);
  for (const { topic, members } of topics) {
    const whole = Object.fromEntries(members.map(name => [name, validValue(topic, name)]));
    assert.notEqual(read(topic, whole), undefined, topic);
    assert.notEqual(read(topic, { ...whole, 'something-else': encodeClarityNone() }), undefined, topic);
  }
});

test('a print that lacks one of them, or has one of another type, tells nothing', () => {
  for (const { topic, members } of topics) {
    const whole = Object.fromEntries(members.map(name => [name, validValue(topic, name)]));
    for (const name of members) {
      const { [name]: _, ...others } = whole;
      assert.equal(read(topic, others), undefined, `${topic} without ${name}`);
      for (const odd of [encodeClarityAscii('odd'), encodeClaritySome(encodeClarityBool(true))])
        assert.equal(read(topic, { ...others, [name]: odd }), undefined, `${topic} with an odd ${name}`);
    }
  }
});

test('the number of a bond or a cycle that is not exact is none, and heights end at the largest that is stored', () => {
  const number = (name: string) => ({ [name]: encodeClarityUint(2n ** 53n) });
  const rate = {
    'cumulative-rewards-per-sat': encodeClarityUint(1),
    'cumulative-rewards-per-ustx': encodeClarityUint(1),
  };
  assert.equal(read('bond-distribution', { ...rate, ...number('bond-index') }), undefined);
  assert.equal(read('calculate-rewards', { ...rate, ...number('stx-cycle') }), undefined);
  const stake = read('stake', {
    ...Object.fromEntries(['staker', 'signer'].map(name => [name, validValue('stake', name)])),
    ...{ 'amount-ustx': encodeClarityUint(1), ...number('unlock-burn-height') },
  });
  assert.equal(stake?.kind === 'stake' && stake.unlockHeight, Number.MAX_SAFE_INTEGER);
});
