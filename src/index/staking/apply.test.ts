import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryRows } from '../../../test/support/memory-rows.ts';
import { accruedBy, accruedByBond, applyStakingEvent } from './apply.ts';
import type { StakingEvent } from './facts.ts';
import { BOND_POSITIONS, SIGNER_STAKER_COUNTS, SIGNER_STAKERS, STAKED_STX, STAKERS, STAKING_BONDS } from './tables.ts';

const PLACE = { tx: 1, txId: `0x${'01'.repeat(32)}`, eventIndex: 0 };
const SCALE = 10n ** 18n;
const BOND: StakingEvent = {
  kind: 'bond',
  bond: 3,
  targetRate: 500n,
  stxValueRatio: 100n,
  minUstxRatio: 1000n,
  firstCycle: 7,
  startHeight: 100,
  unlockCycle: 19,
  unlockHeight: 200,
};

const registration = (staker: string, sats: bigint, signer = 'm'): StakingEvent => ({
  kind: 'registration',
  bond: 3,
  staker,
  signer,
  ustx: 50n,
  sats,
  outputs: null,
});
const rate = (scaled: bigint): StakingEvent => ({ kind: 'bond rate', bond: 3, rate: scaled, rewards: 7n });
const stake = (signer: string, ustx: bigint, unlockHeight: number): StakingEvent => ({
  kind: 'stake',
  staker: 'a',
  signer,
  ustx,
  unlockHeight,
  isNew: true,
});

async function after(...events: StakingEvent[]) {
  const rows = memoryRows();
  for (const event of events) await applyStakingEvent(rows, event, PLACE);
  return {
    rows,
    bond: await rows.get(STAKING_BONDS, { bond_index: 3 }),
    position: (staker: string) => rows.get(BOND_POSITIONS, { bond_index: 3, staker }),
    async accrued(staker: string) {
      const position = await rows.get(BOND_POSITIONS, { bond_index: 3, staker });
      const bond = await rows.get(STAKING_BONDS, { bond_index: 3 });
      return position && bond && accruedBy(position, BigInt(bond.rate));
    },
  };
}

test('a distribution gives every position its satoshis times the rate', async () => {
  const { accrued } = await after(BOND, registration('a', 1000n), registration('b', 4000n), rate(2n * SCALE));
  assert.deepEqual([await accrued('a'), await accrued('b')], [2000n, 8000n]);
});

test('a position earns from its registration on, and with the satoshis that it has at the time', async () => {
  const withdrawal: StakingEvent = { kind: 'withdrawal', bond: 3, staker: 'a', left: 400n };
  const events = [BOND, rate(5n * SCALE), registration('a', 1000n), rate(6n * SCALE), withdrawal, rate(8n * SCALE)];
  const { accrued, bond } = await after(...events);
  assert.equal(await accrued('a'), 1000n + 2n * 400n);
  assert.equal(bond?.sats, '400');
});

test('after an early exit nothing is earned, and the STX stay', async () => {
  const exit: StakingEvent = { kind: 'exit', bond: 3, staker: 'a' };
  const { accrued, bond, position } = await after(BOND, registration('a', 1000n), rate(SCALE), exit, rate(9n * SCALE));
  assert.equal(await accrued('a'), 1000n);
  assert.deepEqual([bond?.sats, bond?.ustx, (await position('a'))?.exited], ['0', '50', 1]);
});

test('fractions of a satoshi are not lost between distributions', async () => {
  const { accrued } = await after(BOND, registration('a', 1n), rate(SCALE / 2n), rate(SCALE));
  assert.equal(await accrued('a'), 1n);
});

test('what is claimed is settled, and counts for the bond', async () => {
  const claim: StakingEvent = { kind: 'claim', staker: 'a', bond: 3, cycle: 7, sats: 1500n };
  const { position, bond, accrued } = await after(BOND, registration('a', 1000n), rate(2n * SCALE), claim);
  assert.deepEqual([(await position('a'))?.claimed, bond?.paid, await accrued('a')], ['1500', '1500', 2000n]);
});

test('the first setup of a bond counts; who registers again has one position, of the newest registration, with its rewards', async () => {
  const again = { ...BOND, startHeight: 1 } as StakingEvent;
  const events = [BOND, again, registration('a', 1000n), rate(SCALE), registration('a', 7n), rate(2n * SCALE)];
  const { bond, position, accrued } = await after(...events);
  assert.deepEqual([bond?.start_height, bond?.registered, bond?.sats, bond?.ustx], [100, 1, '7', '50']);
  assert.deepEqual([(await position('a'))?.enrolled_sats, await accrued('a')], ['7', 1007n]);
});

test('a registration for another bond, or a new stake, takes over what a position locks; its rewards stay', async () => {
  const other: StakingEvent = { ...BOND, bond: 4 };
  const into4 = { ...registration('a', 5n), bond: 4 } as StakingEvent;
  for (const over of [into4, stake('m', 9n, 300)]) {
    const { bond, position, accrued } = await after(
      BOND,
      other,
      registration('a', 1000n),
      rate(SCALE),
      over,
      rate(9n * SCALE),
    );
    const rolled = await position('a');
    assert.deepEqual([rolled?.rolled, rolled?.exited, rolled?.sats, rolled?.ustx], [1, 0, '0', '0']);
    assert.deepEqual([bond?.sats, bond?.ustx, bond?.registered, await accrued('a')], ['0', '0', 1, 1000n]);
  }
});

test('a stake that changes, or ends, leaves the position of a bond; later prints leave one that was rolled over', async () => {
  const change = { ...stake('m', 9n, 300), isNew: false } as StakingEvent;
  const kept = await after(BOND, registration('a', 1000n), change);
  assert.deepEqual([(await kept.position('a'))?.rolled, kept.bond?.sats], [0, '1000']);
  const withdrawal: StakingEvent = { kind: 'withdrawal', bond: 3, staker: 'a', left: 400n };
  const rolled = await after(BOND, registration('a', 1000n), stake('m', 9n, 300), withdrawal);
  assert.deepEqual([(await rolled.position('a'))?.sats, rolled.bond?.sats], ['0', '0']);
});

test('a bond knows what was distributed, and what all its satoshis have earned', async () => {
  const events = [BOND, registration('a', 3n), registration('b', 4n), rate(SCALE / 2n), rate(SCALE)];
  const { bond } = await after(...events);
  assert.equal(bond?.distributed, '14');
  assert.equal(bond && accruedByBond(bond), 7n);
});

test('a stake that changes its manager leaves the old one', async () => {
  const { rows } = await after(stake('m', 10n, 300), stake('n', 20n, 250));
  const with_ = (signer: string) => rows.get(SIGNER_STAKERS, { signer, staker: 'a' });
  assert.deepEqual([await with_('m'), (await with_('n'))?.stx_until], [null, 250]);
  assert.equal(await rows.get(SIGNER_STAKER_COUNTS, { signer: 'm', until: 300 }), null);
  assert.equal((await rows.get(SIGNER_STAKER_COUNTS, { signer: 'n', until: 250 }))?.stakers, 1);
  assert.equal(await rows.get(STAKED_STX, { unlock_height: 300 }), null);
  assert.equal((await rows.get(STAKED_STX, { unlock_height: 250 }))?.ustx, '20');
});

test('a registration for a bond ends what was staked alone', async () => {
  const { rows } = await after(BOND, stake('n', 20n, 300), registration('a', 5n));
  assert.deepEqual(await rows.get(STAKERS, { staker: 'a' }), {
    staker: 'a',
    signer: null,
    ustx: '0',
    unlock_height: 0,
    claimed: '0',
    bond_index: 3,
  });
  assert.equal(await rows.get(SIGNER_STAKERS, { signer: 'n', staker: 'a' }), null);
  assert.equal((await rows.get(SIGNER_STAKERS, { signer: 'm', staker: 'a' }))?.btc_until, 199);
});
