import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../../../test/support/test-index.ts';

const LISTS = '/extended/v1/tx';

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => openTestIndex(await databaseWithTables(openFresh, t));
  const idsOf = async (index: TestIndex, path: string): Promise<string[]> => {
    const { body } = await index.get(`${LISTS}/${path}`);
    return body.results.map((tx: { tx_id: string }) => tx.tx_id);
  };

  test(`the transactions of a block are listed by its hash and its height, the last one first (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const stream = chain.microblocks(root, [[chain.transfer()], [chain.transfer(), chain.transfer()]]);
    const block = chain.block({ parent: root, microblocks: stream });
    await index.deliver(root.delivery, block.delivery);
    const anchored = block.txs.slice(0, 2).map(({ txId }) => txId);
    const streamed = block.txs.slice(2).map(({ txId }) => txId);
    const expected = [...streamed, ...anchored].reverse();
    for (const path of [`block/${block.hash}`, `block/${block.hash.slice(2)}`, 'block_height/2']) {
      assert.deepEqual(await idsOf(index, path), expected, path);
      assert.deepEqual(await idsOf(index, `${path}?limit=2&offset=1`), expected.slice(1, 3), path);
      const past = await index.get(`${LISTS}/${path}?offset=9007199254740991`);
      assert.deepEqual([past.body.total, past.body.results], [5, []], path);
    }
  });

  test(`a block that is not canonical, and the boot block, have an empty list (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const root = chain.block();
    const [lost, left] = [chain.block({ parent: root }), chain.block({ parent: root })];
    await index.deliver(...[boot, root, lost, left, chain.block({ parent: left })].map(({ delivery: one }) => one));
    for (const path of [`block/${lost.hash}`, 'block_height/0']) {
      const { status, body } = await index.get(`${LISTS}/${path}`);
      assert.deepEqual([status, body], [200, { limit: 20, offset: 0, total: 0, results: [] }], path);
    }
    assert.deepEqual(await idsOf(index, 'block_height/2'), left.txs.map(({ txId }) => txId).reverse());
  });

  test(`what names no block is not found, and what is no hash or height is refused (${engine})`, async t => {
    const index = await open(t);
    const block = new ChainBuilder().block();
    await index.deliver(block.delivery);
    const expected: Record<string, readonly [number, RegExp]> = {
      'block/0x': [404, /^no block found by hash$/],
      'block/0x12': [404, /^no block found by hash$/],
      [`block/${block.indexHash}`]: [404, /^no block found by hash$/],
      'block/latest': [400, /^params\/block_hash must be hex digits, not "latest"$/],
      'block/0x123': [400, /^params\/block_hash must be hex digits/],
      'block_height/0': [404, /^no block found at height 0$/],
      'block_height/99999999999': [404, /^no block found at height 99999999999$/],
      'block_height/-1': [400, /^params\/height must be at least 0, not -1$/],
      'block_height/1.5': [400, /^params\/height must be an integer, not "1.5"$/],
      'block_height/1?limit=51': [400, /^querystring\/limit must be at most 50, not 51$/],
      [`block/${block.hash}?limit=201`]: [400, /^querystring\/limit must be at most 200, not 201$/],
    };
    for (const [path, [status, message]] of Object.entries(expected)) {
      const response = await index.get(`${LISTS}/${path}`);
      assert.equal(response.status, status, path);
      assert.match(response.body.message, message, path);
    }
  });
});
