/** The cycles of version 3 (docs/spec/staking.md#cycles). Here they have 100 Bitcoin blocks from height 0 on, of which 10 are the prepare phase. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { keyText } from '../../../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { clarityUints, signerKey, stakerOf, stakingPrint } from '../../../../../test/support/staking-prints.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../../../test/support/wire-transaction.ts';
import {
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
} from '../../../../base/codec/index.ts';

const poxCycles = { first: 0, length: 100, prepare: 10 };
const CYCLES = '/extended/v3/staking/cycles';
const [A, B, C, D, E] = [20, 21, 22, 23, 24].map(account => accountAddress(account)) as [
  string,
  string,
  string,
  string,
  string,
];
const MANAGER = `${accountAddress(30)}.manager`;
type Events = BuiltTx['events'];

/** @param first cycle @param end the cycle after the last one */
const staked = (staker: string, ustx: number, first: number, end: number) =>
  stakingPrint('stake', {
    ...stakerOf(staker, MANAGER),
    ...clarityUints({ 'amount-ustx': ustx, 'first-reward-cycle': first, 'unlock-cycle': end }),
    ...clarityUints({ 'unlock-burn-height': 100 * end }),
  });

const bondOf = (bond: number, first: number) =>
  stakingPrint('setup-bond', {
    ...clarityUints({ 'bond-index': bond, 'target-rate': 500, 'stx-value-ratio': 100, 'min-ustx-ratio': 1000 }),
    ...clarityUints({ 'first-reward-cycle': first, 'bond-start-height': 100 * first, 'unlock-cycle': first + 12 }),
    ...clarityUints({ 'unlock-burn-height': 100 * (first + 12) }),
  });

interface Registered {
  readonly bond: number;
  readonly ustx: number;
  readonly sats: number;
  readonly isNative: boolean;
  readonly first: number;
}
const registered = (staker: string, { bond, ustx, sats, isNative, first }: Registered) =>
  stakingPrint('register-for-bond', {
    ...stakerOf(staker, MANAGER),
    ...clarityUints({ 'bond-index': bond, 'amount-ustx': ustx, 'sats-total': sats, 'first-reward-cycle': first }),
    ...clarityUints({ 'unlock-cycle': first + 12, 'unlock-burn-height': 100 * (first + 12) }),
    'is-l1-lock': encodeClarityBool(isNative),
    'btc-lockup': encodeClarityTuple({
      type: encodeClarityAscii(isNative ? 'l1' : 'l2'),
      txs: isNative ? encodeClaritySome(encodeClarityList([])) : encodeClarityNone(),
    }),
  });

const withdrawn = (staker: string, left: number) =>
  stakingPrint('unstake-sbtc', {
    staker: encodeClarityPrincipal(staker),
    ...clarityUints({ 'bond-index': 0, 'new-amount-sats': left }),
  });

/** A calculation for cycle 9, with the distribution of bond 0. */
const calculated = (bonds: number, stxOnly: number, reserve: number, ustx: number): Events => [
  stakingPrint('bond-distribution', clarityUints({ 'bond-index': 0, 'cumulative-rewards-per-sat': bonds })),
  stakingPrint('calculate-rewards', {
    ...clarityUints({ 'stx-cycle': 9, 'cumulative-rewards-per-ustx': stxOnly, 'cycle-staked-ustx': ustx }),
    ...clarityUints({ 'gross-accrued-rewards': bonds + stxOnly + reserve, 'total-bond-rewards': bonds }),
    ...clarityUints({ 'total-stx-staker-rewards': stxOnly, 'reserve-deposit': reserve }),
  }),
];
const claimed = stakingPrint('claim-rewards', clarityUints({ 'reward-cycle': 9, 'total-rewards': 600 }));

onSqliteAtLeast((engine, openFresh) => {
  /** A chain of blocks at these Bitcoin heights, with a call each whose events these are. */
  async function indexOf(t: Parameters<typeof databaseWithTables>[1], calls: readonly (readonly [number, Events])[]) {
    const index = await openTestIndex(await databaseWithTables(openFresh, t), { poxCycles });
    const chain = new ChainBuilder('cycles');
    let top = chain.block({ fields: { burn_block_height: calls[0]?.[0] ?? 1 } });
    const blocks = [top];
    for (const [burn_block_height, events] of calls) {
      const txs = [chain.tx(bytes(0x04, filled(32, 1)), { events })];
      top = chain.block({ parent: top, fields: { burn_block_height }, txs });
      blocks.push(top);
    }
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    return {
      index,
      chain,
      blocks,
      cycle: async (name: number | string) => (await index.get(`${CYCLES}/${name}`)).body,
    };
  }

  test(`cycles show what was locked in them, and what they paid (${engine})`, async t => {
    const { index, cycle } = await indexOf(t, [
      [700, [bondOf(0, 8), bondOf(1, 11)]],
      [750, [registered(C, { bond: 0, ustx: 10_000_000, sats: 1000, isNative: false, first: 8 })]],
      [760, [registered(D, { bond: 0, ustx: 20_000_000, sats: 2000, isNative: true, first: 8 })]],
      [900, [withdrawn(C, 600)]],
      [950, [staked(A, 50_000_000, 10, 15), staked(B, 30_000_000, 10, 10)]],
      [960, calculated(400, 500, 100, 40_000_000)],
      [1010, calculated(800, 1000, 200, 45_000_000)],
      [1020, [claimed]],
      [1050, [registered(E, { bond: 1, ustx: 5_000_000, sats: 500, isNative: false, first: 11 })]],
    ]);
    const [previous, current, next] = [await cycle('previous'), await cycle('current'), await cycle('next')];
    assert.deepEqual(
      [previous, current, next, await cycle(8)].map(({ number, status }) => [number, status]),
      [
        [9, 'finished'],
        [10, 'reward_phase'],
        [11, 'upcoming'],
        [8, 'finished'],
      ],
    );
    const heightsOf = ({ schedule }: typeof current) =>
      Object.values<{ bitcoin_height: number }>(schedule).map(({ bitcoin_height }) => bitcoin_height);
    assert.deepEqual(heightsOf(current), [1000, 1090, 1099]);
    const stxOf = ({ locked: { stx } }: typeof current) => [stx.stx_only, stx.bonds, stx.total];
    assert.deepEqual(stxOf(previous), ['45000000', '30000000', '75000000']);
    assert.deepEqual(stxOf(current), ['50000000', '30000000', '80000000']);
    assert.deepEqual(stxOf(next), ['50000000', '35000000', '85000000']);
    assert.deepEqual(stxOf(await cycle(8)), ['0', '30000000', '30000000']);
    const btcOf = ({ locked: { btc } }: typeof current) => [btc.total, btc.native, btc.sbtc];
    assert.deepEqual(btcOf(previous), ['2600', '2000', '600']);
    assert.deepEqual(btcOf(current), ['2600', '2000', '600']);
    assert.deepEqual(btcOf(next), ['3100', '2000', '1100']);
    assert.deepEqual(btcOf(await cycle(8)), ['3000', '2000', '1000'], 'as at its end, where no calculation was made');
    assert.deepEqual(previous.rewards.btc, {
      total: '3000',
      waterfall: { bonds: '1200', stx_only: '1500', reserve_deposit: '300' },
      claimed: '600',
    });
    assert.equal(current.rewards.btc.total, '0');
    assert.deepEqual(next.bonds, { total: 2, indexes: [0, 1] });
    assert.deepEqual(current.participants, { stakers: { stx_only: 1, bonds: 2 }, signers: null });
    assert.deepEqual([(await cycle('0009')).number, (await cycle(999_999_999)).status], [9, 'upcoming']);
    for (const name of ['latest', '-1', '1.5', '2147483648'])
      assert.equal((await index.get(`${CYCLES}/${name}`)).status, 400, name);
  });

  test(`a stake or more of it counts from the next cycle on, a bond does not end the running one, and forks come back (${engine})`, async t => {
    const { index, chain, blocks, cycle } = await indexOf(t, [
      [700, [bondOf(0, 11)]],
      [950, [staked(A, 40, 10, 15)]],
      [1010, [staked(A, 50, 11, 15), staked(B, 7, 11, 15)]],
      [1020, [registered(A, { bond: 0, ustx: 90, sats: 10, isNative: false, first: 11 })]],
    ]);
    const stakes = async (name: number) => {
      const { stx } = (await cycle(name)).locked;
      return [stx.stx_only, stx.bonds];
    };
    assert.deepEqual(
      [await stakes(10), await stakes(11)],
      [
        ['40', '0'],
        ['7', '90'],
      ],
    );
    const [, , staking] = blocks;
    assert.ok(staking);
    let other = staking;
    const branch = Array.from({ length: 4 }, () => {
      other = chain.block({ parent: other, fields: { burn_block_height: 1030 } });
      return other;
    });
    await index.deliver(...branch.map(({ delivery }) => delivery));
    assert.deepEqual(
      [await stakes(10), await stakes(11)],
      [
        ['40', '0'],
        ['40', '0'],
      ],
    );
    let back = blocks.at(-1);
    const returned = Array.from({ length: 4 }, () => {
      back = chain.block({ ...(back && { parent: back }), fields: { burn_block_height: 1040 } });
      return back;
    });
    await index.deliver(...returned.map(({ delivery }) => delivery));
    assert.deepEqual(
      [await stakes(10), await stakes(11)],
      [
        ['40', '0'],
        ['7', '90'],
      ],
    );
  });

  test(`names stand for no cycle below the first one, and before cycle 0 (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t), {
      poxCycles: { ...poxCycles, first: 500 },
    });
    const chain = new ChainBuilder('early');
    const first = chain.block({ fields: { burn_block_height: 499 } });
    await index.deliver(first.delivery);
    const statuses = () =>
      Promise.all(
        ['previous', 'current', 'next', '0'].map(async name => (await index.get(`${CYCLES}/${name}`)).status),
      );
    assert.deepEqual(await statuses(), [404, 404, 404, 200]);
    await index.deliver(chain.block({ parent: first, fields: { burn_block_height: 500 } }).delivery);
    assert.deepEqual(await statuses(), [404, 200, 200, 200]);
  });

  test(`the current cycle is that of the Bitcoin tip, also in a prepare phase, and its managers are those up to the next set (${engine})`, async t => {
    const set = (cycle_number: number) => ({
      cycle_number,
      reward_set: {
        signers: [{ signing_key: keyText(2).slice(2), weight: 3, stacked_amt: '100' }],
        pox_ustx_threshold: null,
      },
    });
    const index = await openTestIndex(await databaseWithTables(openFresh, t), { poxCycles });
    const chain = new ChainBuilder('names');
    const registering = (byte: number) => [
      chain.tx(bytes(0x04, filled(32, byte)), { events: [signerKey(MANAGER, byte)] }),
    ];
    const first = chain.block({ fields: { burn_block_height: 880 }, txs: registering(2) });
    const nine = chain.block({ parent: first, fields: { burn_block_height: 890, ...set(9) } });
    const ten = chain.block({ parent: nine, fields: { burn_block_height: 990, ...set(10) } });
    const later = chain.block({ parent: ten, fields: { burn_block_height: 991 }, txs: registering(3) });
    await index.deliver(...[first, nine, ten, later].map(({ delivery }) => delivery));
    assert.equal((await index.get(`${CYCLES}/current`)).body.number, 9);
    const pending = async (name: string) =>
      (await index.get(`${CYCLES}/${name}/signers`)).body.results[0].signer_managers[0].pending_key_update;
    assert.equal(await pending('current'), null, 'what came after the set of cycle 10 is no update of cycle 9');
    assert.equal((await pending('next')).signer_key, keyText(3));
    const { status, body } = await index.get(`${CYCLES}/11/signers`);
    assert.deepEqual([status, body.message], [404, 'No reward set for this PoX cycle']);
  });
});
