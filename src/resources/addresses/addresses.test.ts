import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOOT_INDEX_HASH, type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { lockEvent } from '../../../test/support/staking-prints.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import type { Database, Queries } from '../../store/database.ts';
import { now } from '../blocks/moment.ts';
import { addressBalance, isKnownAddress } from './balance.ts';

const PAYER = accountAddress(9);
const PAYEE = accountAddress(7);
const STRANGER = accountAddress(42);

const balanceNow = async (queries: Queries, principal: string) =>
  addressBalance(queries, principal, await now(queries));

const transactions = async (index: TestIndex, principal: string, query = '') =>
  (await index.get(`/extended/v2/addresses/${principal}/transactions${query}`)).body;

const ids = async (index: TestIndex, principal: string): Promise<string[]> =>
  (await transactions(index, principal)).results.map((entry: { tx: { tx_id: string } }) => entry.tx.tx_id);

const eventsOf = (index: TestIndex, principal: string, txId: string, query = '') =>
  index.get(`/extended/v2/addresses/${principal}/transactions/${txId}/events${query}`);

const deliver = (index: TestIndex, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

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
  test('a principal has its transactions newest first, with the true total on every page', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = chain.chain(5);
    await deliver(index, blocks);
    const own = blocks.flatMap(block => block.txs.slice(1)).map(tx => tx.txId);
    assert.deepEqual(await ids(index, PAYEE), own.toReversed());
    assert.deepEqual(await ids(index, PAYER), own.toReversed());
    const page = await transactions(index, PAYEE, '?limit=2&offset=1');
    assert.deepEqual([page.limit, page.offset, page.total], [2, 1, 5]);
    assert.equal(page.results[0].tx.tx_id, own[3]);
    for (const query of ['?limit=0', '?offset=5', '?offset=9007199254740991']) {
      const { total, results } = await transactions(index, PAYEE, query);
      assert.deepEqual({ total, results }, { total: 5, results: [] }, query);
    }
    assert.deepEqual(await transactions(index, STRANGER), {
      limit: 20,
      offset: 0,
      total: 0,
      next_cursor: null,
      prev_cursor: null,
      cursor: null,
      results: [],
    });
  });

  test('boot transactions are in the history of the boot address, of the contracts they deploy, and of who is given STX', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const mint = chain.transfer({ from: 0, to: 9 });
    const deploy = chain.deploy('pox', '(print 1)', 0);
    const given = { recipient: STRANGER, amount: '5' };
    const events = [
      { txid: mint.txId, committed: true, type: 'stx_mint_event', event_index: 0, stx_mint_event: given },
    ];
    const first = chain.block();
    await deliver(index, [chain.bootBlock([{ ...mint, events }, deploy]), first]);
    const boot = accountAddress(0);
    assert.deepEqual(await ids(index, boot), [deploy.txId, mint.txId]);
    assert.deepEqual(await ids(index, `${boot}.pox`), [deploy.txId]);
    assert.deepEqual(await ids(index, STRANGER), [mint.txId]);
    const [entry] = (await transactions(index, `${boot}.pox`)).results;
    assert.deepEqual([entry.stx_sent, entry.stx_received, entry.tx.block_height], ['0', '0', 1]);
  });

  test('cursors lead through all transactions of a principal, and stay where they are when blocks arrive', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks: BuiltBlock[] = [];
    const add = async () => {
      const parent = blocks.at(-1);
      const txs = Array.from({ length: 3 }, () => chain.transfer());
      blocks.push(chain.block({ ...(parent && { parent }), txs }));
      await deliver(index, blocks.slice(-1));
    };
    for (let i = 0; i < 5; i++) await add();
    const all = await ids(index, PAYER);
    const shown: string[] = [];
    const pages: string[] = [];
    for (let cursor = null, more = true; more; more = cursor !== null) {
      const query = cursor === null ? '' : `&cursor=${cursor}`;
      const page = await transactions(index, PAYER, `?limit=4${query}`);
      shown.push(...page.results.map((entry: { tx: { tx_id: string } }) => entry.tx.tx_id));
      assert.equal(page.next_cursor, pages.at(-1) ?? null);
      pages.push(page.cursor);
      cursor = page.prev_cursor;
      if (pages.length === 2) await add();
    }
    assert.deepEqual(shown.length, all.length);
    assert.deepEqual(shown, all);
  });

  test('a cursor that is malformed, orphaned, or of a transaction of somebody else is not found', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({ txs: [chain.transfer(), chain.transfer()] });
    await deliver(index, [block]);
    const own = (await transactions(index, PAYER)).cursor;
    assert.match(own, new RegExp(`^${block.indexHash}:2147483647:[0-9]+$`));
    const status = async (cursor: string, principal = PAYER) =>
      (await index.get(`/extended/v2/addresses/${principal}/transactions?cursor=${encodeURIComponent(cursor)}`)).status;
    assert.equal(await status(own), 200);
    for (const cursor of ['', 'x', '0x:1', `${block.indexHash}:0:0`, `0x${'ab'.repeat(32)}:2147483647:0`, `${own}:1`])
      assert.equal(await status(cursor), 404, cursor);
    assert.equal(await status(own, STRANGER), 404);
    const fork = chain.block();
    await deliver(index, [fork, ...chain.chain(1, fork)]);
    assert.equal(await status(own), 404);
  });

  test('a failed transfer is listed and costs its fee; it has no events', async t => {
    const { database } = await openFresh(t);
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

  test('the events of a transaction are those that move something of the principal, by their own numbers', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const asset_identifier = `${PAYER}.vault::coin`;
    const tx = {
      ...chain.call('vault', 'run'),
      events: [] as { [key: string]: unknown }[],
    };
    const place = { txid: tx.txId, committed: true };
    tx.events = [
      {
        ...place,
        type: 'contract_event',
        contract_event: { contract_identifier: `${PAYER}.vault`, topic: 'print', raw_value: '0x03' },
      },
      {
        ...place,
        type: 'ft_mint_event',
        ft_mint_event: { asset_identifier, recipient: PAYEE, amount: '340282366920938463463374607431768211455' },
      },
      {
        ...place,
        type: 'nft_burn_event',
        nft_burn_event: { asset_identifier, sender: STRANGER, raw_value: '0x0100000000000000000000000000000005' },
      },
      {
        ...place,
        type: 'nft_transfer_event',
        nft_transfer_event: { asset_identifier, sender: PAYEE, recipient: STRANGER, raw_value: '0x03' },
      },
      { ...place, type: 'stx_burn_event', stx_burn_event: { sender: PAYEE, amount: '7' } },
    ];
    await deliver(index, [chain.block({ txs: [tx] })]);
    const value = { hex: '0x03', repr: 'true' };
    const expected = [
      {
        type: 'ft',
        event_index: 1,
        data: { type: 'mint', amount: '340282366920938463463374607431768211455', asset_identifier, recipient: PAYEE },
      },
      {
        type: 'nft',
        event_index: 3,
        data: { type: 'transfer', asset_identifier, value, sender: PAYEE, recipient: STRANGER },
      },
      { type: 'stx', event_index: 4, data: { type: 'burn', amount: '7', sender: PAYEE } },
    ];
    const all = (await eventsOf(index, PAYEE, tx.txId)).body;
    assert.deepEqual(all, { limit: 20, offset: 0, total: 3, results: expected });
    const second = (await eventsOf(index, PAYEE, tx.txId, '?limit=1&offset=1')).body;
    assert.deepEqual(second, { limit: 1, offset: 1, total: 3, results: [expected[1]] });
    const bareUpperCase = await eventsOf(index, PAYEE, tx.txId.slice(2).toUpperCase());
    assert.deepEqual(bareUpperCase.body, all, '0x is optional, case does not matter');
    assert.equal((await eventsOf(index, PAYEE, tx.txId, '?offset=3')).body.total, 3);
  });

  test('what only a losing branch has is gone, and back when that branch wins', async t => {
    const { database } = await openFresh(t);
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
    const { database } = await openFresh(t);
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
    const { database } = await openFresh(t);
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
    const { database } = await openFresh(t);
    const index = await openTestIndex(database);
    const rewards = { matured_miner_rewards: [reward(STRANGER, '340282366920938463463374607431768211455')] };
    await deliver(index, [new ChainBuilder().block({ fields: rewards })]);
    const balance = await database.read(queries => balanceNow(queries, STRANGER));
    assert.equal(balance.total_miner_rewards_received, '340282366920938463463374607431768211478');
    assert.deepEqual([balance.balance, balance.total_received], [balance.total_miner_rewards_received, '0']);
    assert.equal(await database.read(queries => isKnownAddress(queries, STRANGER)), false);
  });

  test('a lock is told with the heights of its block, and ends with PoX 1 where its forced end is known', async t => {
    const { database } = await openFresh(t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const transfer = chain.transfer({ from: 42 });
    const lockEvent = { locked_amount: '77', unlock_height: '5000', locked_address: STRANGER };
    const lock = { txid: transfer.txId, committed: true, type: 'stx_lock_event', stx_lock_event: lockEvent };
    const block = chain.block({ txs: [{ ...transfer, events: [...transfer.events, lock] }] });
    await deliver(index, [block]);
    const locked = async () => {
      const { balance: _, ...rest } = await database.read(queries => balanceNow(queries, STRANGER));
      return [rest.lock_tx_id, rest.locked, rest.lock_height, rest.burnchain_lock_height, rest.burnchain_unlock_height];
    };
    assert.deepEqual(await locked(), [transfer.txId, '77', 1, block.burn.height, 5000]);
    await deliver(index, [chain.block({ parent: block, fields: { pox_v1_unlock_height: block.burn.height } })]);
    assert.deepEqual(await locked(), ['', '0', 0, 0, 0]);
  });

  test('the newest lock event of PoX 5 decides, past forced unlocks too; a fork takes it back', async t => {
    const { database } = await openFresh(t);
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

  test('hostile and malformed parameters are refused or find nothing', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [block] = chain.chain(1);
    assert.ok(block);
    await deliver(index, [block]);
    const txId = block.txs[1]?.txId ?? '';
    const base = `/extended/v2/addresses/${PAYEE}/transactions`;
    for (const path of [base, `${base}/${txId}/events`]) {
      for (const query of ['limit=51', 'limit=-1', 'limit=', 'limit=a', 'limit=1.5', 'limit=1&limit=2']) {
        assert.equal((await index.get(`${path}?${query}`)).status, 400, `${path}?${query}`);
      }
      for (const query of ['offset=-1', 'offset=', 'offset=9007199254740992', 'offset=%00', 'offset=1&offset=1']) {
        assert.equal((await index.get(`${path}?${query}`)).status, 400, `${path}?${query}`);
      }
      assert.equal((await index.get(`${path}?limit=50`)).status, 200);
    }
    assert.equal((await index.get(`${base}?exclude_function_args=1`)).status, 400);
    for (const wrong of [
      'bogus',
      `${PAYEE}x`,
      PAYEE.slice(0, 30),
      `${PAYEE}'%20OR%201=1`,
      'SP000',
      `${PAYEE}%00`,
      '%F0%9F%92%A3',
      "' OR 1=1 --",
    ]) {
      const address = wrong.startsWith('%') ? wrong : wrong.replaceAll(' ', '%20');
      assert.equal((await index.get(`/extended/v2/addresses/${address}/transactions`)).status, 400, wrong);
      assert.equal((await eventsOf(index, address, txId)).status, 400, wrong);
    }
    const unknown = `${PAYEE}.${'a'.repeat(50)}`;
    assert.equal((await transactions(index, unknown)).total, 0);
    assert.equal((await eventsOf(index, unknown, txId)).body.total, 0);
    for (const id of ['0x', 'abc', `${txId}00`, txId.slice(0, -1), `0X${txId.slice(2)}`, '0xzz'.padEnd(66, 'z')]) {
      assert.equal((await eventsOf(index, PAYEE, id)).status, 400, id);
    }
    assert.equal((await eventsOf(index, PAYEE, `0x${'ab'.repeat(32)}`)).status, 404);
  });

  test('the arguments of calls are left out when asked', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    await deliver(index, [chain.block({ txs: [chain.call('vault', 'run')] })]);
    const calls = async (query: string) =>
      (await transactions(index, `${PAYER}.vault`, query)).results[0].tx.contract_call;
    assert.deepEqual((await calls('')).function_args, []);
    assert.equal('function_args' in (await calls('?exclude_function_args=true')), false);
  });

  test('a page deep in a long list costs what the first costs', async t => {
    const asked: { sql: string; rows: number }[] = [];
    const index = await openTestIndex(recordingReads((await openFresh(t)).database, asked));
    const chain = new ChainBuilder();
    const blocks: BuiltBlock[] = [];
    for (let i = 0; i < 15; i++) {
      const parent = blocks.at(-1);
      blocks.push(chain.block({ ...(parent && { parent }), txs: Array.from({ length: 100 }, () => chain.transfer()) }));
    }
    await deliver(index, blocks);
    const cost = async (offset: number) => {
      asked.length = 0;
      const { total, results } = await transactions(index, PAYEE, `?limit=20&offset=${offset}`);
      assert.deepEqual([total, results.length], [1_500, 20]);
      return [...asked];
    };
    const first = await cost(0);
    assert.deepEqual(await cost(1_480), first);
    for (const { sql, rows } of first) {
      assert.ok(rows <= 32, `${rows} rows: ${sql}`);
      assert.doesNotMatch(sql, /OFFSET|count\(/i);
    }
  });
});

/** The database, noting every statement that a read runs and how many rows it gives. */
function recordingReads(database: Database, asked: { sql: string; rows: number }[]): Database {
  const recording = (queries: Queries): Queries => ({
    all: async (sql, params) => {
      const rows = await queries.all(sql, params);
      asked.push({ sql, rows: rows.length });
      return rows as never;
    },
    get: async (sql, params) => {
      asked.push({ sql, rows: 1 });
      return queries.get(sql, params);
    },
  });
  return {
    engine: database.engine,
    create: tables => database.create(tables),
    write: work => database.write(work),
    read: work => database.read(queries => work(recording(queries))),
    close: () => database.close(),
  };
}
