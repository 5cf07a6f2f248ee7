import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { keyText } from '../../../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import {
  allowedStaker,
  BOND_SET_UP,
  clarityUints,
  registeredStaker,
  signerKey,
  stakerOf,
  stakingPrint,
} from '../../../../../test/support/staking-prints.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../../../test/support/wire-transaction.ts';
import { encodeClarityPrincipal, encodeClaritySome, encodeClarityUint } from '../../../../base/codec/index.ts';

const [ALICE, BOB] = [accountAddress(20), accountAddress(21)];
const MANAGER = `${accountAddress(30)}.manager`;
const SCALE = 10n ** 18n;

const distributed = stakingPrint(
  'bond-distribution',
  clarityUints({ 'bond-index': 1, 'cumulative-rewards-per-sat': 2n * SCALE }),
);
const claimed = stakingPrint('claim-staker-rewards-for-signer', {
  staker: encodeClarityPrincipal(ALICE),
  'bond-index': encodeClaritySome(encodeClarityUint(1)),
  ...clarityUints({ 'rewards-claimed': 1500 }),
});
const rewardSet = {
  cycle_number: 7,
  reward_set: {
    signers: [
      { signing_key: keyText(2).slice(2), weight: 6, stacked_amt: '100' },
      { signing_key: keyText(4).slice(2), weight: 3, stacked_amt: '50' },
    ],
    pox_ustx_threshold: null,
  },
};

onSqliteAtLeast((engine, openFresh) => {
  /** A chain of blocks with one call each, whose events these are. */
  async function indexOf(t: Parameters<typeof databaseWithTables>[1], ...calls: BuiltTx['events'][]) {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('staking');
    let top = chain.block();
    const blocks = [top];
    for (const events of calls) {
      top = chain.block({ parent: top, txs: [printing(chain, events)] });
      blocks.push(top);
    }
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    return { index, chain, blocks };
  }

  test(`every entry of an allowlist that one transaction made is reached by pages of one (${engine})`, async t => {
    const stakers = Array.from({ length: 100 }, (_, i) => accountAddress(40 + i));
    const { index } = await indexOf(t, [BOND_SET_UP, ...stakers.map((staker, i) => allowedStaker(staker, i))]);
    const list = '/extended/v3/staking/bonds/1/allowlist';
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await index.get(`${list}?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(body.results[0].staker);
      cursor = body.cursor.next;
    }
    assert.deepEqual(seen, stakers.toReversed());
    const { body } = await index.get(`${list}?limit=50&cursor=2:0:0`);
    assert.deepEqual([body.total, body.results.length, body.results[0].staker], [100, 50, stakers.at(-1)]);
  });

  test(`rewards of positions follow distributions and claims, and a fork takes them back (${engine})`, async t => {
    const { index, chain, blocks } = await indexOf(
      t,
      [BOND_SET_UP, registeredStaker(ALICE, MANAGER, 1000), registeredStaker(BOB, MANAGER, 4000)],
      [distributed],
      [claimed],
    );
    const rewards = async (staker: string) =>
      (await index.get(`/extended/v3/principals/${staker}/staking/bonds`)).body.results[0].rewards.btc;
    assert.deepEqual(await rewards(ALICE), { accrued: '2000', claimed: '1500', claimable: '500' });
    assert.deepEqual(await rewards(BOB), { accrued: '8000', claimed: '0', claimable: '8000' });
    const [, , distribution] = blocks;
    assert.ok(distribution);
    assert.equal((await index.get('/extended/v3/staking/bonds/1')).body.balances.rewards.btc.claimed, '1500');
    let other = chain.block({ parent: distribution });
    await index.deliver(other.delivery);
    for (let i = 0; i < 2; i++) {
      other = chain.block({ parent: other });
      await index.deliver(other.delivery);
    }
    assert.deepEqual(await rewards(ALICE), { accrued: '2000', claimed: '0', claimable: '2000' });
    assert.equal((await index.get('/extended/v3/staking/bonds/1')).body.balances.rewards.btc.claimed, '0');
  });

  test(`a key that is registered at the reward set or later is pending, unless it is the same (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('keys');
    const first = chain.block({ txs: [printing(chain, [signerKey(MANAGER, 2)])] });
    const anchor = chain.block({ parent: first, fields: rewardSet, txs: [printing(chain, [signerKey(MANAGER, 3)])] });
    const again = chain.block({ parent: anchor, txs: [printing(chain, [signerKey(MANAGER, 2)])] });
    await index.deliver(first.delivery, anchor.delivery);
    const manager = async () =>
      (await index.get('/extended/v3/staking/cycles/7/signers')).body.results[0].signer_managers[0];
    assert.equal((await manager()).signer_manager, MANAGER);
    const { signer_key, effective_cycle } = (await manager()).pending_key_update;
    assert.deepEqual([signer_key, effective_cycle], [keyText(3), 8]);
    await index.deliver(again.delivery);
    assert.equal((await manager()).pending_key_update, null);
    const [, third] = (await index.get('/extended/v3/staking/cycles/7/signers')).body.results;
    assert.equal(third.weight.percent, 33.33333333333333, 'rounded as in version 2');
    assert.equal(
      (await index.get('/extended/v2/pox/cycles/7/signers')).body.results[1].weight_percent,
      third.weight.percent,
    );
    assert.equal((await index.get('/extended/v3/staking/cycles/8/signers')).status, 404);
    assert.equal((await index.get('/extended/v3/staking/cycles/now/signers')).status, 400);
  });

  test(`rewards by cycle are what a staker earned and claimed in each, with a fork undone (${engine})`, async t => {
    const distribution = (cycle: number, rate: number) => [
      stakingPrint(
        'bond-distribution',
        clarityUints({ 'bond-index': 1, 'cumulative-rewards-per-sat': BigInt(rate) * SCALE }),
      ),
      stakingPrint(
        'calculate-rewards',
        clarityUints({ 'stx-cycle': cycle, 'cumulative-rewards-per-ustx': BigInt(rate) * SCALE }),
      ),
    ];
    const left = stakingPrint('unstake-sbtc', {
      ...stakerOf(ALICE, MANAGER),
      ...clarityUints({ 'bond-index': 1, 'new-amount-sats': 600 }),
    });
    const claim = stakingPrint('claim-staker-rewards-for-signer', {
      staker: encodeClarityPrincipal(ALICE),
      'bond-index': encodeClaritySome(encodeClarityUint(1)),
      ...clarityUints({ 'rewards-claimed': 1500, 'reward-cycle': 7 }),
    });
    const { index, chain, blocks } = await indexOf(
      t,
      [BOND_SET_UP, registeredStaker(ALICE, MANAGER, 1000), staked(BOB, MANAGER, 60, 8)],
      distribution(7, 2),
      [left, claim],
      distribution(8, 3),
    );
    const url = (staker: string) => `/extended/v3/principals/${staker}/staking/rewards`;
    const rewards = async (staker: string) =>
      (await index.get(url(staker))).body.results.map((row: { cycle_number: number; rewards: { btc: unknown } }) => [
        row.cycle_number,
        row.rewards.btc,
      ]);
    const ofSeven = { accrued: '2000', claimed: '1500', claimable: '500' };
    assert.deepEqual(await rewards(ALICE), [
      [8, { accrued: '600', claimed: '0', claimable: '600' }],
      [7, ofSeven],
    ]);
    const [bob] = (await index.get(url(BOB))).body.results;
    const { stx, bonds, calculated_in, claimed_in } = bob;
    assert.deepEqual([bob.cycle_number, stx.signer, stx.staked, bonds, claimed_in], [8, MANAGER, '60', [], null]);
    assert.deepEqual(stx.rewards.btc, { accrued: '180', claimed: '0', claimable: '180' });
    assert.equal(calculated_in.block.height, 5);
    const [seven] = (await index.get(`${url(ALICE)}?cursor=7`)).body.results;
    assert.equal(seven.claimed_in.block.height, 4);
    assert.deepEqual((await index.get(url(MANAGER))).body.results, [], 'never staked');
    assert.equal((await index.get(`${url(ALICE)}?cursor=7:1`)).status, 400);
    const [, , first] = blocks;
    assert.ok(first);
    let other = first;
    for (let i = 0; i < 3; i++) {
      other = chain.block({ parent: other });
      await index.deliver(other.delivery);
    }
    assert.deepEqual(await rewards(ALICE), [[7, { accrued: '2000', claimed: '0', claimable: '2000' }]]);
    assert.deepEqual(await rewards(BOB), []);
  });

  test(`stakers of a manager are those of the cycle, also when they left later (${engine})`, async t => {
    const OTHER = `${accountAddress(30)}.other`;
    const { index, chain, blocks } = await indexOf(
      t,
      [BOND_SET_UP, staked(ALICE, MANAGER, 60, 3), registeredStaker(BOB, MANAGER, 4000)],
      [staked(ALICE, OTHER, 80, 5)],
    );
    const url = (cycle: number, manager: string) => `/extended/v3/staking/cycles/${cycle}/signers/${manager}/stakers`;
    const stakers = async (cycle: number, manager = MANAGER) => (await index.get(url(cycle, manager))).body.results;
    const alice = (amount: string) => ({ staker: ALICE, types: ['stx'], staked_stx: { amount } });
    const bob = { staker: BOB, types: ['btc'], staked_stx: { amount: '50' } };
    assert.deepEqual(await stakers(4), [alice('60')], 'before the stake that replaces it');
    assert.deepEqual([await stakers(5), await stakers(5, OTHER)], [[], [alice('80')]]);
    assert.deepEqual([await stakers(7), await stakers(19)], [[bob], []]);
    assert.deepEqual(await stakers(7, `${MANAGER}-none`), []);
    const [, first] = blocks;
    assert.ok(first);
    let other = first;
    for (let i = 0; i < 3; i++) {
      other = chain.block({ parent: other });
      await index.deliver(other.delivery);
    }
    assert.deepEqual([await stakers(7), await stakers(7, OTHER)], [[alice('60'), bob], []], 'after a fork');
    const page = (await index.get(`${url(7, MANAGER)}?limit=1&cursor=59:${ALICE}`)).body;
    assert.deepEqual([page.total, page.results, page.cursor.previous], [2, [bob], `60:${ALICE}`]);
    assert.equal((await index.get(`${url(7, MANAGER)}?cursor=x`)).status, 400);
  });
});

/** The staker stakes alone from a cycle on, for 12 cycles. */
const staked = (staker: string, manager: string, ustx: number, first: number) =>
  stakingPrint('stake', {
    ...stakerOf(staker, manager),
    ...clarityUints({ 'amount-ustx': ustx, 'num-cycles': 12, 'first-reward-cycle': first, 'unlock-cycle': first + 12 }),
    ...clarityUints({ 'unlock-burn-height': 2_000_000 }),
  });

const printing = (chain: ChainBuilder, events: BuiltTx['events']) => chain.tx(bytes(0x04, filled(32, 1)), { events });
