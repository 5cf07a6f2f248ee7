import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { cycles, keyText, lock, poxPrint, signedBy } from '../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { stakerOf, stakingPrint } from '../../../test/support/staking-prints.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../test/support/wire-transaction.ts';
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityUint,
} from '../../base/codec/index.ts';

const [A, B, C] = [20, 21, 22].map(accountAddress) as [string, string, string];
const [FIRST, SECOND] = [`${accountAddress(30)}.first`, `${accountAddress(30)}.second`];

const uints = (members: Readonly<Record<string, number | bigint>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, encodeClarityUint(value)]));

const registered = (manager: string, key: number) =>
  stakingPrint('register-signer', {
    signer: encodeClarityPrincipal(manager),
    'signer-key': encodeClarityBuffer(filled(33, key)),
  });
/** A stake for the cycles from the first to the one before the end. */
const staked = (
  staker: string,
  manager: string,
  amount: number | bigint,
  first: number | bigint,
  end: number | bigint,
) =>
  stakingPrint('stake', {
    ...stakerOf(staker, manager),
    ...uints({ 'amount-ustx': amount, 'first-reward-cycle': first, 'unlock-cycle': end, 'num-cycles': 1 }),
  });
const bonded = (staker: string, manager: string, amount: number, first: number, end: number) =>
  stakingPrint('register-for-bond', {
    ...stakerOf(staker, manager),
    ...uints({ 'amount-ustx': amount, 'first-reward-cycle': first, 'unlock-cycle': end, 'bond-index': 1 }),
  });
const updated = (staker: string, manager: string, amount: number, cyclesLeft: number, end: number) =>
  stakingPrint('stake-update', {
    ...stakerOf(staker, manager),
    ...uints({ 'amount-ustx': amount, 'num-cycles': cyclesLeft, 'unlock-cycle': end }),
  });
const bondUpdated = (staker: string, manager: string, amount: number, first: number, length: number) =>
  stakingPrint('update-bond-registration', {
    ...stakerOf(staker, manager),
    ...uints({ 'amount-ustx': amount, 'first-reward-cycle': first, 'num-cycles': length }),
  });
const unstaked = (staker: string, manager: string, amount: number, first: number, end: number) =>
  stakingPrint('unstake', {
    ...stakerOf(staker, manager),
    ...uints({ 'amount-ustx': amount, 'first-reward-cycle': first, 'unlock-cycle': end }),
  });

/** The reward set of a cycle of PoX 5 with the keys 2 and 3. */
const rewardSet = (cycle: number) => ({
  cycle_number: cycle,
  reward_set: {
    signers: [2, 3].map(key => ({ signing_key: keyText(key).slice(2), weight: key, stacked_amt: '100' })),
    pox_ustx_threshold: null,
  },
});

/** Blocks on top of each other: one for each list of prints, then one for the reward set of each cycle. */
async function deliver(
  index: TestIndex,
  chain: ChainBuilder,
  prints: readonly BuiltTx['events'][],
  cyclesOfSets: readonly number[],
  on?: BuiltBlock,
): Promise<BuiltBlock> {
  let top = on ?? chain.block();
  const blocks = [top];
  for (const events of prints) {
    top = chain.block({ parent: top, txs: [chain.tx(bytes(0x04, filled(32, 1)), { events })] });
    blocks.push(top);
  }
  for (const cycle of cyclesOfSets) {
    top = chain.block({ parent: top, fields: rewardSet(cycle) });
    blocks.push(top);
  }
  await index.deliver(...blocks.map(block => block.delivery));
  return top;
}

/** Of each key of a cycle the stakers with their amounts; the counts must be those of the lists. */
async function stakers(index: TestIndex, cycle: number): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const key of [2, 3]) {
    const path = `/extended/v2/pox/cycles/${cycle}/signers/${keyText(key)}`;
    const signer = (await index.get(path)).body;
    const { total, results } = (await index.get(`${path}/stackers`)).body;
    assert.deepEqual([signer.solo_stacker_count, signer.pooled_stacker_count], [total, 0], path);
    found[key] = results.map((stacker: Record<string, string | null>) => {
      assert.deepEqual([stacker.pox_address, stacker.stacker_type], ['', 'solo']);
      return `${stacker.stacker_address} ${stacker.stacked_amount}`;
    });
  }
  return found;
}

onSqliteAtLeast((_engine, openFresh) => {
  test('stakers of PoX 5 count for the key of their manager, in the cycles of their term', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      new ChainBuilder(),
      [
        [registered(FIRST, 2), registered(SECOND, 3)],
        [staked(A, FIRST, 50, 140, 142), staked(B, FIRST, 70, 141, 143), bonded(C, SECOND, 60, 141, 147)],
      ],
      [140, 141, 142, 143],
    );
    assert.deepEqual(await stakers(index, 140), { 2: [`${A} 50`], 3: [] });
    assert.deepEqual(await stakers(index, 141), { 2: [`${B} 70`, `${A} 50`], 3: [`${C} 60`] });
    assert.deepEqual(await stakers(index, 142), { 2: [`${B} 70`], 3: [`${C} 60`] });
    assert.deepEqual(await stakers(index, 143), { 2: [], 3: [`${C} 60`] });
  });

  test('an update changes manager, amount and end from its first cycle on; unstaking ends a term', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      new ChainBuilder(),
      [
        [registered(FIRST, 2), registered(SECOND, 3)],
        [staked(A, FIRST, 50, 140, 144), staked(B, FIRST, 70, 140, 144), bonded(C, FIRST, 60, 141, 143)],
        // In cycle 140: the cycles that remain end where the term ends.
        [updated(A, SECOND, 55, 4, 145), unstaked(B, FIRST, 70, 140, 142), bondUpdated(C, SECOND, 65, 142, 1)],
      ],
      [140, 141, 142, 144],
    );
    assert.deepEqual(await stakers(index, 140), { 2: [`${B} 70`, `${A} 50`], 3: [] });
    assert.deepEqual(await stakers(index, 141), { 2: [`${B} 70`, `${C} 60`], 3: [`${A} 55`] });
    assert.deepEqual(await stakers(index, 142), { 2: [], 3: [`${C} 65`, `${A} 55`] });
    assert.deepEqual(await stakers(index, 144), { 2: [], 3: [`${A} 55`] });
  });

  test('a manager has the key that it had registered below the block of the reward set', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const top = await deliver(
      index,
      chain,
      [[staked(A, FIRST, 50, 140, 150), staked(B, SECOND, 5, 140, 150)], [registered(FIRST, 2)]],
      [140],
    );
    const next = await deliver(index, chain, [[registered(FIRST, 9), registered(FIRST, 3)]], [141], top);
    const late = chain.block({
      parent: next,
      txs: [chain.tx(bytes(0x04, filled(32, 1)), { events: [registered(SECOND, 2)] })],
      fields: rewardSet(142),
    });
    await index.deliver(late.delivery);
    assert.deepEqual(await stakers(index, 140), { 2: [`${A} 50`], 3: [] });
    assert.deepEqual(await stakers(index, 141), { 2: [], 3: [`${A} 50`] });
    assert.deepEqual(await stakers(index, 142), { 2: [], 3: [`${A} 50`] });
  });

  test('a fork takes terms, ends and keys back', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = await deliver(
      index,
      chain,
      [[registered(FIRST, 2), staked(A, FIRST, 50, 140, 142), staked(B, FIRST, 60, 140, 142)]],
      [],
    );
    const events = [registered(FIRST, 3), unstaked(A, FIRST, 50, 140, 140), updated(B, FIRST, 61, 2, 142)];
    await deliver(index, chain, [events], [140], base);
    assert.deepEqual(await stakers(index, 140), { 2: [], 3: [`${B} 61`] });
    await deliver(index, chain, [[], [], []], [140], base);
    assert.deepEqual(await stakers(index, 140), { 2: [`${B} 60`, `${A} 50`], 3: [] });
  });

  test('stackers of pox-4 do not count in cycles of PoX 5, nor stakers in others; what is malformed counts nowhere', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const top = await deliver(
      index,
      chain,
      [
        [registered(FIRST, 2), poxPrint('stack-stx', A, { ...lock, ...cycles(140, 142), ...signedBy(2) })],
        [
          staked(B, FIRST, 50, 140, 142),
          staked(C, FIRST, 50, 140, 140 + 97), // longer than the contract holds
          staked(C, FIRST, 50, 142, 140),
          staked(C, FIRST, 50, (1n << 128n) - 2n, (1n << 128n) - 1n),
          stakingPrint('stake', stakerOf(C, FIRST)),
          stakingPrint('register-signer', { signer: encodeClarityPrincipal(SECOND) }),
          stakingPrint('stake', { ...stakerOf(C, FIRST), 'amount-ustx': encodeClarityAscii('1') }),
        ],
      ],
      [140],
    );
    assert.deepEqual(await stakers(index, 140), { 2: [`${B} 50`], 3: [] });
    const set = rewardSet(141);
    const fields = { ...set, reward_set: { ...set.reward_set, pox_ustx_threshold: '50' } };
    await index.deliver(chain.block({ parent: top, fields }).delivery);
    const { results } = (await index.get(`/extended/v2/pox/cycles/141/signers/${keyText(2)}/stackers`)).body;
    assert.deepEqual(
      results.map(({ stacker_address }: { stacker_address: string }) => stacker_address),
      [A],
    );
  });
});
