import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deliver,
  eventsOf,
  ids,
  PAYEE,
  PAYER,
  STRANGER,
  transactions,
} from '../../../../test/support/address-pages.ts';
import { BOOT_INDEX_HASH, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { lockEvent } from '../../../../test/support/staking-prints.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import type { BuiltTx } from '../../../../test/support/transaction-builder.ts';
import type { Queries } from '../../../base/store/database.ts';
import { now } from '../blocks/moment.ts';
import { addressBalance, isKnownAddress } from './balance.ts';

const balanceNow = async (queries: Queries, principal: string) =>
  addressBalance(queries, principal, await now(queries));

const reward = (recipient: string, amount: string) => ({
  from_index_consensus_hash: BOOT_INDEX_HASH,
  from_stacks_block_hash: BOOT_INDEX_HASH,
  recipient,
  coinbase_amount: amount,
  tx_fees_anchored: '20',
  tx_fees_streamed_confirmed: '3',
  tx_fees_streamed_produced: '0',
});

onSqliteAtLeast((_engine, openFresh) => {
  test('a failed transfer is listed and costs its fee; it has no events', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const tx = chain.transfer({ amount: 500, fee: 30, status: 'abort_by_post_condition' });
    await deliver(index, [chain.block({ txs: [tx] })]);
    const [entry] = (await transactions(index, PAYER)).results;
    assert.deepEqual([entry.stx_sent, entry.stx_received, entry.events.stx.transfer], ['30', '0', 0]);
    assert.deepEqual(await ids(index, PAYEE), [tx.txId]);
    assert.equal((await eventsOf(index, PAYEE, tx.txId)).body.total, 0);
    const balance = await database.read(queries => balanceNow(queries, PAYER));
    assert.deepEqual([balance.balance, balance.total_fees_sent, balance.total_sent], ['-30', '30', '0']);
  });

  test('what only a losing branch has is gone, and back when that branch wins', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const [root] = chain.chain(1);
    assert.ok(root);
    const common = { parent: root };
    const paid = chain.transfer({ to: 42, amount: 500, fee: 0 });
    const rewards = { matured_miner_rewards: [reward(STRANGER, '1000')] };
    const left = chain.block({ ...common, txs: [paid], fields: rewards });
    const right = chain.chain(2, root);
    const balance = async () => (await database.read(queries => balanceNow(queries, STRANGER))).balance;
    const known = () => database.read(queries => isKnownAddress(queries, STRANGER));

    await deliver(index, [root]);
    assert.equal((await eventsOf(index, STRANGER, paid.txId)).status, 404);
    assert.equal(await known(), false);
    await deliver(index, [left]);
    assert.equal(await balance(), '1523');
    assert.deepEqual(await ids(index, STRANGER), [paid.txId]);

    await deliver(index, right);
    assert.equal(await balance(), '0');
    assert.deepEqual(await ids(index, STRANGER), []);
    const orphaned = await eventsOf(index, STRANGER, paid.txId);
    assert.deepEqual([orphaned.status, orphaned.body.total], [200, 0]);
    assert.equal(await known(), true);
    for (const row of (await index.dump()).accounts ?? []) assert.notEqual(row.principal, STRANGER);

    await deliver(index, chain.chain(2, left));
    assert.equal(await balance(), '1523');
    assert.deepEqual(await ids(index, STRANGER), [paid.txId]);
    assert.equal((await eventsOf(index, STRANGER, paid.txId)).body.total, 1);
  });

  test('an address that only a branch that never won names is known to a search', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const main = chain.chain(3);
    const lost = chain.transfer({ to: 42 });
    await deliver(index, [...main, chain.block({ ...(main[0] && { parent: main[0] }), txs: [lost] })]);
    assert.equal(await database.read(queries => isKnownAddress(queries, STRANGER)), true);
    assert.equal((await eventsOf(index, STRANGER, lost.txId)).body.total, 0);
    assert.deepEqual(await ids(index, STRANGER), []);
  });

  test('transactions of microblocks on the tip count at once, and no longer when no block accepts them', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const [root] = chain.chain(1);
    assert.ok(root);
    const paid = chain.transfer({ to: 42, amount: 500 });
    const microblocks = chain.microblocks(root, [[paid]]);
    const balance = async () => (await database.read(queries => balanceNow(queries, STRANGER))).balance;
    await index.deliver(root.delivery, chain.stream(root, microblocks));
    const [entry] = (await transactions(index, STRANGER)).results;
    assert.deepEqual([entry.tx.tx_id, entry.tx.is_unanchored, entry.stx_received], [paid.txId, true, '500']);
    assert.equal(await balance(), '500');
    await deliver(index, [chain.block({ parent: root })]);
    assert.deepEqual([await ids(index, STRANGER), await balance()], [[], '0']);
    assert.equal((await eventsOf(index, STRANGER, paid.txId)).status, 200);
  });

  test('a reward counts from the block that carries it; it is not received, nor does it make an address known', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const rewards = { matured_miner_rewards: [reward(STRANGER, '340282366920938463463374607431768211455')] };
    await deliver(index, [new ChainBuilder().block({ fields: rewards })]);
    const balance = await database.read(queries => balanceNow(queries, STRANGER));
    assert.equal(balance.total_miner_rewards_received, '340282366920938463463374607431768211478');
    assert.deepEqual([balance.balance, balance.total_received], [balance.total_miner_rewards_received, '0']);
    assert.equal(await database.read(queries => isKnownAddress(queries, STRANGER)), false);
  });

  test('a lock is told with the heights of its block, and ends with PoX 1 where its forced end is known', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const transfer = chain.transfer({ from: 42 });
    const lockEvent = { locked_amount: '77', unlock_height: '5000', locked_address: STRANGER };
    const lock = { txid: transfer.txId, committed: true, type: 'stx_lock_event', stx_lock_event: lockEvent };
    const block = chain.block({ txs: [{ ...transfer, events: [...transfer.events, lock] }] });
    await deliver(index, [block]);
    const locked = async () => {
      const lockOf = (rest: Record<string, unknown>) =>
        ['lock_tx_id', 'locked', 'lock_height', 'burnchain_lock_height', 'burnchain_unlock_height'].map(
          key => rest[key],
        );
      const lock = lockOf({ ...(await database.read(queries => balanceNow(queries, STRANGER))) });
      assert.deepEqual(lockOf((await index.get(`/extended/v2/addresses/${STRANGER}/balances/stx`)).body), lock);
      return lock;
    };
    assert.deepEqual(await locked(), [transfer.txId, '77', 1, block.burn.height, 5000]);
    await deliver(index, [chain.block({ parent: block, fields: { pox_v1_unlock_height: block.burn.height } })]);
    assert.deepEqual(await locked(), ['', '0', 0, 0, 0]);
  });

  test('the newest lock event of PoX 5 decides, past forced unlocks too; a fork takes it back', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const locking = (amount: number, until: number, contract?: string): BuiltTx => {
      const transfer = chain.transfer({ from: 42 });
      const event = { txid: transfer.txId, committed: true, ...lockEvent(STRANGER, amount, until, contract) };
      return { ...transfer, events: [...transfer.events, event] };
    };
    const locked = async () => {
      const balance = await database.read(queries => balanceNow(queries, STRANGER));
      return [balance.lock_tx_id, balance.locked, balance.burnchain_unlock_height];
    };
    const NOTHING = ['', '0', 0];
    const forced = {
      pox_v1_unlock_height: 1,
      pox_v2_unlock_height: 1,
      pox_v3_unlock_height: 1,
      pox_v4_unlock_height: 1,
    };
    const ofPox4 = locking(77, 5000, 'ST000000000000000000002AMW42H.pox-4');
    const root = chain.block({ txs: [ofPox4], fields: forced });
    await deliver(index, [root]);
    assert.deepEqual(await locked(), NOTHING);
    const burnHeight = root.burn.height;
    const stake = locking(60, burnHeight + 20);
    const staked = chain.block({ parent: root, txs: [stake] });
    await deliver(index, [staked]);
    assert.deepEqual(await locked(), [stake.txId, '60', burnHeight + 20]);
    const unstake = locking(60, staked.burn.height + 1);
    const unstaked = chain.block({ parent: staked, txs: [unstake] });
    await deliver(index, [unstaked]);
    assert.deepEqual(await locked(), [unstake.txId, '60', staked.burn.height + 1]);
    const ended = chain.block({ parent: unstaked });
    await deliver(index, [ended]);
    assert.equal(ended.burn.height, staked.burn.height + 2);
    assert.deepEqual(await locked(), NOTHING);
    const fork = chain.block({ parent: staked });
    await deliver(index, [fork, ...chain.chain(2, fork)]);
    assert.deepEqual(await locked(), [stake.txId, '60', burnHeight + 20]);
  });
});
