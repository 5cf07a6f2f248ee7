/**
 * What releases after 9.0 have, each with the example of its rule. Batches, mining, faucets and projected times have tests beside their routes and rules.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeClarityBool,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityUint,
} from '../src/base/codec/index.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { onEveryEngine } from './support/engines.ts';
import { databaseWithTables } from './support/reused-database.ts';
import {
  allowedStaker,
  BOND_SET_UP,
  clarityUints,
  registeredStaker,
  stakerOf,
  stakingPrint,
} from './support/staking-prints.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';
import { accountAddress, type BuiltTx } from './support/transaction-builder.ts';

const [ANNE, BEN] = [accountAddress(41), accountAddress(42)];
const MANAGER = `${accountAddress(30)}.manager`;
const OTHER = `${accountAddress(31)}.manager`;
const GOLD = `${accountAddress(9)}.mint::gold`;

const moved = (amount: number, sender: string | null, recipient: string | null) => {
  const type = sender === null ? 'ft_mint_event' : recipient === null ? 'ft_burn_event' : 'ft_transfer_event';
  const parties = { ...(sender && { sender }), ...(recipient && { recipient }) };
  return { type, [type]: { asset_identifier: GOLD, amount: String(amount), ...parties } };
};

const withEvents = (tx: BuiltTx, ...events: Readonly<Record<string, unknown>>[]): BuiltTx => ({
  ...tx,
  events: events.map((event, event_index) => ({ ...event, txid: tx.txId, event_index, committed: true })),
});

/** A claim of rewards for a cycle: of a bond, or of STX that are staked alone. */
const claimed = (bond: number | null) =>
  stakingPrint('claim-staker-rewards-for-signer', {
    'signer-manager': encodeClarityPrincipal(MANAGER),
    staker: encodeClarityPrincipal(ANNE),
    'bond-index': bond === null ? encodeClarityNone() : encodeClaritySome(encodeClarityUint(bond)),
    ...clarityUints({ 'reward-cycle': 7, 'rewards-claimed': 1500 }),
  });

const BOND = { 'bond-index': 1 };

/** Every kind of event of bond 1, and with the last one a claim that is about no bond. */
const OF_BOND = [
  BOND_SET_UP,
  allowedStaker(ANNE, 900),
  registeredStaker(ANNE, MANAGER, 500),
  stakingPrint('update-bond-registration', {
    ...stakerOf(ANNE, OTHER),
    'old-signer': encodeClarityPrincipal(MANAGER),
    'is-l1-lock': encodeClarityBool(false),
    ...clarityUints({ ...BOND, 'amount-ustx': 60, 'amount-sats': 500 }),
  }),
  stakingPrint('announce-l1-early-exit', {
    ...stakerOf(BEN, MANAGER),
    ...clarityUints({ ...BOND, 'amount-sats-released': 40 }),
  }),
  stakingPrint('unstake-sbtc', {
    ...stakerOf(ANNE, OTHER),
    ...clarityUints({ ...BOND, 'amount-withdrawn-sats': 100, 'new-amount-sats': 400 }),
  }),
  stakingPrint(
    'bond-distribution',
    clarityUints({
      ...{ ...BOND, 'target-yield': 10, 'bond-rewards': 20, 'bond-staked-sats': 500 },
      ...{ 'accrued-rewards-per-sat': 3, 'cumulative-rewards-per-sat': 5 },
    }),
  ),
  claimed(1),
];
const CALCULATED = stakingPrint('calculate-rewards', clarityUints({ 'calculation-height': 104, 'stx-cycle': 7 }));

/** A list, read by pages of one. */
async function walked(index: TestIndex, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await index.get(`${path}?limit=1${cursor}`);
    rows.push(...body.results);
    if (body.cursor.next === null) return rows;
    cursor = `&cursor=${body.cursor.next}`;
  }
}

onEveryEngine((engine, openFresh) => {
  test(`transfers of a token have mints and burns, and one to its sender once (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const events = [moved(10, null, ANNE), moved(3, ANNE, ANNE), moved(2, ANNE, BEN), moved(1, ANNE, null)];
    const first = chain.block({ txs: [withEvents(chain.transfer(), ...events)] });
    const second = chain.block({ parent: first, txs: [withEvents(chain.transfer(), moved(1, BEN, ANNE))] });
    await index.deliver(first.delivery, second.delivery);
    const path = `/extended/v3/principals/${ANNE}/transfers/ft/${encodeURIComponent(GOLD)}`;
    const { body } = await index.get(path);
    const rows = body.results.map(({ sender, recipient, amount }: Record<string, unknown>) => [
      sender,
      recipient,
      amount,
    ]);
    assert.deepEqual(rows, [
      [BEN, ANNE, '1'],
      [ANNE, null, '1'],
      [ANNE, BEN, '2'],
      [ANNE, ANNE, '3'],
      [null, ANNE, '10'],
    ]);
    assert.equal(body.total, 5);
    assert.deepEqual(await walked(index, path), body.results);
    const unknown = (await index.get(path.replace('gold', 'tin'))).body;
    assert.deepEqual([unknown.total, unknown.results], [0, []]);
    assert.equal((await index.get(`/extended/v3/principals/${ANNE}/transfers/ft/stx`)).status, 400);
  });

  test(`a bond has its events of all kinds, without claims about no bond, and the same after a fork and its return (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const txs = OF_BOND.map(print => withEvents(chain.transfer(), claimed(null), print, CALCULATED));
    const second = chain.block({ parent: first, txs });
    await index.deliver(first.delivery, second.delivery);
    const path = '/extended/v3/staking/bonds/1/events';
    const { body } = await index.get(path);
    const of = (name: string) => body.results.find((event: { readonly name: string }) => event.name === name)?.data;
    assert.deepEqual(body.results.map(({ name }: { readonly name: string }) => name).reverse(), [
      ...['setup-bond', 'add-to-allowlist', 'register-for-bond', 'update-bond-registration', 'announce-l1-early-exit'],
      ...['unstake-sbtc', 'bond-distribution', 'claim-staker-rewards-for-signer'],
    ]);
    assert.equal(body.total, OF_BOND.length);
    assert.deepEqual(await walked(index, path), body.results);
    assert.deepEqual(of('setup-bond').parameters, {
      target_rate_bps: 500,
      stx_value_ratio: 100,
      minimum_stx_ratio: 1000,
    });
    const parties = { staker: ANNE, signer: OTHER };
    assert.deepEqual(of('update-bond-registration'), {
      ...{ ...parties, old_signer: MANAGER, type: 'l2', balances: { btc: '500', stx: '60' } },
    });
    assert.deepEqual(of('announce-l1-early-exit'), { staker: BEN, signer: MANAGER, released: { btc: '40' } });
    assert.deepEqual(of('unstake-sbtc'), { ...parties, withdrawn: { btc: '100' }, remaining: { btc: '400' } });
    assert.deepEqual(of('bond-distribution'), {
      ...{ calculation: { bitcoin_height: 104, reward_cycle: 7 }, target_yield: '10', rewards: { btc: '20' } },
      ...{ staked: { btc: '500' }, accrued_rewards_per_sat: '3', cumulative_rewards_per_sat: '5' },
    });
    assert.deepEqual(of('claim-staker-rewards-for-signer'), {
      ...{ signer_manager: MANAGER, staker: ANNE, reward_cycle: 7, claimed: { btc: '1500' } },
    });
    const unknown = (await index.get('/extended/v3/staking/bonds/9/events')).body;
    assert.deepEqual([unknown.total, unknown.results, unknown.cursor.current], [0, [], null]);

    const other = chain.block({ parent: first });
    await index.deliver(other.delivery, chain.block({ parent: other }).delivery);
    assert.equal((await index.get(path)).body.total, 0);
    const third = chain.block({ parent: second });
    await index.deliver(third.delivery, chain.block({ parent: third }).delivery);
    assert.deepEqual((await index.get(path)).body.results, body.results);
  });

  test(`a point of a schedule has a time, a projected time, or none where no Stacks block has it (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const second = chain.block({ parent: first });
    await index.deliver(first.delivery, second.delivery);
    const pointsOf = async (cycle: number) => (await index.get(`/extended/v3/staking/cycles/${cycle}`)).body.schedule;
    const none = { time: null, time_iso: null, projected_time: null, projected_time_iso: null };
    assert.deepEqual((await pointsOf(0)).start, { bitcoin_height: 0, ...none }, 'a height of the past');
    const { start, end } = await pointsOf(5);
    const isoOf = (time: number) => new Date(time * 1000).toISOString();
    const { time } = first.burn;
    assert.deepEqual(start, { bitcoin_height: 100, ...none, time, time_iso: isoOf(time) });
    const projected_time = time + 19 * (second.burn.time - time);
    assert.deepEqual(end, { bitcoin_height: 119, ...none, projected_time, projected_time_iso: isoOf(projected_time) });
  });
});
