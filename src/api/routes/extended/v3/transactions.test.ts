import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../../test/support/test-index.ts';

const LAST = 2147483647;
const LIST = '/extended/v3/transactions';

const deliver = (index: TestIndex, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

const page = async (index: TestIndex, query = '') => (await index.get(`${LIST}?${query}`)).body;

const ids = (body: { results: { tx_id: string }[] }) => body.results.map(({ tx_id }) => tx_id);

/** Ten blocks of a coinbase and four transfers. */
function tenBlocks() {
  const chain = new ChainBuilder();
  const blocks: BuiltBlock[] = [];
  for (let height = 1; height <= 10; height++) {
    const parent = blocks.at(-1);
    const txs = [chain.coinbase(), ...Array.from({ length: 4 }, () => chain.transfer())];
    blocks.push(chain.block({ ...(parent && { parent }), txs }));
  }
  return { chain, blocks };
}

onSqliteAtLeast((_engine, openFresh) => {
  test('cursors name the first row of a page, and stay inside the list', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, tenBlocks().blocks);
    const at = (height: number, i: number) => `${height}:${LAST}:${i}`;
    const cursors = async (query: string) => (await page(index, query)).cursor;
    assert.deepEqual(await cursors('limit=5'), { next: at(9, 4), previous: null, current: at(10, 4) });
    assert.deepEqual(await cursors(`limit=5&cursor=${at(7, 4)}`), {
      next: at(6, 4),
      previous: at(8, 4),
      current: at(7, 4),
    });
    assert.deepEqual(await cursors(`limit=5&cursor=${at(10, 2)}`), {
      next: at(9, 2),
      previous: at(10, 4),
      current: at(10, 2),
    });
    assert.deepEqual(await cursors('limit=5&cursor=0:0:1'), { next: null, previous: at(1, 4), current: null });
  });

  test('height:0:0 stands for all of that height, unless the list has that place', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const { chain, blocks } = tenBlocks();
    const top = blocks[9];
    assert.ok(top);
    const streamed = chain.microblocks(top, [[chain.transfer(), chain.transfer()]]);
    await index.deliver(...blocks.map(block => block.delivery), chain.stream(top, streamed));
    const current = async (cursor: string) => (await page(index, `limit=1&cursor=${cursor}`)).cursor.current;
    assert.equal(await current('4:0:0'), `4:${LAST}:4`);
    assert.equal(await current('4:0:1'), `3:${LAST}:4`);
    assert.equal(await current('11:0:0'), '11:0:0');
    assert.equal(await current('11:0:1'), '11:0:1');
    assert.equal(await current(`11:${LAST}:0`), '11:0:1');
    assert.equal(await current(`${'9'.repeat(30)}:${'9'.repeat(30)}:${'9'.repeat(30)}`), '11:0:1');
  });

  test('a block has its own transactions alone, the last one first', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const { blocks } = tenBlocks();
    await deliver(index, blocks);
    const block = blocks[3];
    assert.ok(block);
    const own = block.txs.map(({ txId }) => txId).toReversed();
    for (const id of ['4', block.hash, block.indexHash.slice(2).toUpperCase()]) {
      const { body } = await index.get(`/extended/v3/blocks/${id}/transactions`);
      assert.deepEqual([ids(body), body.total, body.cursor.next], [own, 5, null]);
    }
    const other = await index.get('/extended/v3/blocks/4/transactions?cursor=9:0:0&limit=2');
    assert.deepEqual(ids(other.body), own.slice(0, 2), 'the cursor of a higher block leads to the first row');
    assert.deepEqual((await index.get('/extended/v3/blocks/4/transactions?cursor=2:0:0')).body.results, []);
    for (const id of ['11', `0x${'ab'.repeat(32)}`])
      assert.equal((await index.get(`/extended/v3/blocks/${id}/transactions`)).status, 404);
  });

  test('over a fork a cursor goes on at its place, and a tip that was seen tells where the branches part', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const { chain, blocks } = tenBlocks();
    await deliver(index, blocks);
    const first = await index.get(`${LIST}?limit=12`);
    const seen = first.headers['x-stacks-tip-index-block-hash'];
    assert.equal(seen, blocks[9]?.indexHash);
    let parent = blocks[7];
    const other: BuiltBlock[] = [];
    for (let i = 0; i < 3 && parent; i++) {
      parent = chain.block({ parent });
      other.push(parent);
    }
    await deliver(index, other);
    const next = await index.get(`${LIST}?limit=50&cursor=${first.body.cursor.next}&seen_tip=${seen}`);
    assert.equal(next.status, 200);
    assert.equal(next.headers['x-stacks-fork-height'], '8');
    assert.equal(next.body.cursor.current, first.body.cursor.next);
    const below = blocks.slice(0, 8).flatMap(({ txs }) => txs.map(({ txId }) => txId));
    assert.deepEqual(ids(next.body), below.toReversed().slice(2));

    const current = next.headers['x-stacks-tip-index-block-hash'];
    for (const [tip, height] of [
      [current, undefined],
      [blocks[4]?.indexHash, undefined],
      [blocks[8]?.indexHash, '8'],
      [`0x${'ab'.repeat(32)}`, '0'],
    ]) {
      const { headers } = await index.get(`${LIST}?limit=1&seen_tip=${tip}`);
      assert.equal(headers['x-stacks-fork-height'], height);
    }
  });

  test('malformed cursors and limits are refused, by name', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, tenBlocks().blocks);
    for (const query of ['cursor=', 'cursor=1', 'cursor=1:2', 'cursor=a:0:0', 'cursor=-1:0:0', 'cursor=1:0:0:0:0']) {
      const { status, body } = await index.get(`${LIST}?${query}`);
      assert.deepEqual([status, body.code], [400, 'FST_ERR_VALIDATION'], query);
      assert.match(body.message, /^querystring\/cursor /);
    }
    for (const limit of ['0', '51', 'x', ''])
      assert.match((await index.get(`${LIST}?limit=${limit}`)).body.message, /^querystring\/limit /);
    assert.match((await index.get(`${LIST}?seen_tip=0x12`)).body.message, /^querystring\/seen_tip /);
  });
});
