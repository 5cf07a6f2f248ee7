import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import type { BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { bytes, longText, name } from '../../../../test/support/wire-transaction.ts';

const COST = { runtime: 0, read_count: 0, read_length: 0, write_count: 0, write_length: 0 };

const withCost = (tx: BuiltTx, execution_cost: object): BuiltTx => ({ ...tx, body: { ...tx.body, execution_cost } });

onSqliteAtLeast((engine, openFresh) => {
  test(`cells tell of the limit that a transaction used most of, and of many transactions the newest (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const costs = [{ read_count: 150 }, { write_length: 14_999 }, { runtime: 5_000_000_000 }, { read_length: 99 }, {}];
    const txs = costs.map(cost => withCost(chain.transfer(), { ...COST, ...cost }));
    const first = chain.block({ txs: [chain.coinbase()] });
    const second = chain.block({ parent: first, txs });
    await index.deliver(first.delivery, second.delivery);
    const cells = async (query: string) => (await index.get(`/extended/v3/blocks/${second.hash}/cells${query}`)).body;
    const { limit, results } = await cells('?blocks=2');
    assert.equal(limit, 500);
    assert.deepEqual(
      results.map((block: { type: string[] }) => block.type),
      [txs.map(() => 'token_transfer'), ['coinbase']],
    );
    assert.deepEqual(results[0].cost_share_ppm, [10_000, 999, 1_000_000, 0, 0]);
    const { results: cut } = await cells('?blocks=2&limit=2');
    assert.deepEqual([cut[0].cost_share_ppm, cut[0].transaction_count, cut[1].type], [[0, 0], 5, []]);
    assert.equal((await cells('?blocks=50')).results.length, 2);
  });

  test(`of large transactions fewer are told, so that a request stays bounded (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const source = longText(`;; ${'long '.repeat(60_000)}`);
    const txs = Array.from({ length: 24 }, (_, i) => chain.tx(bytes(0x01, name(`c${i}`), source)));
    const block = chain.block({ txs: [...txs, chain.transfer()] });
    await index.deliver(block.delivery);
    const [{ transaction_count, type }] = (await index.get('/extended/v3/blocks/1/cells')).body.results;
    assert.equal(transaction_count, 25);
    assert.deepEqual(type, [...Array(19).fill('smart_contract'), 'token_transfer']);
  });

  test(`the page of a block draws all of its transactions, also more than it lists at once (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({ txs: Array.from({ length: 60 }, () => chain.transfer()) });
    await index.deliver(block.delivery);
    const cellsOf = async (path: string) =>
      (await index.page(path)).body.match(/class="cell transfer s0( dear)?"/g)?.length ?? 0;
    assert.equal(await cellsOf('/explorer/block/1'), 60);
    const { body: page } = await index.page('/explorer/block/1');
    assert.equal(page.match(/ dear"/g)?.length, 1, 'all fees are equal, so no fee is high but that of the legend');
    const { body } = await index.page(`/explorer/btc/${block.burn.height}`);
    assert.match(body, /class="cell transfer s1"><\/i>60</);
  });
});
