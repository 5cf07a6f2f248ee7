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
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import type { Database, Queries } from '../../../base/store/database.ts';

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
    reclaim: table => database.reclaim(table),
    close: () => database.close(),
  };
}
