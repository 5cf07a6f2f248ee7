import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('the hash of a burn block is answered directly, with and without 0x, in any case', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const block = new ChainBuilder().block();
    await index.deliver(block.delivery);
    const digits = block.burn.hash.slice(2);
    for (const given of [`0x${digits}`, digits, digits.toUpperCase(), `0X${digits}`]) {
      const { status, body } = await index.get(`/extended/v1/block/by_burn_block_hash/${given}`);
      assert.deepEqual([status, body.hash], [200, block.hash], given);
    }
    for (const other of ['latest', '0', digits.slice(1), `${digits}00`]) {
      assert.equal((await index.get(`/extended/v1/block/by_burn_block_hash/${other}`)).status, 404, other);
    }
  });
  test('older routes show the canonical block of a hash or height, else the highest other one, and the boot block at height 0', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const [first, lost] = [chain.block(), chain.block()];
    const second = chain.block({ parent: first });
    const third = chain.block({ parent: second });
    const lostToo = chain.block({ parent: lost });
    await index.deliver(...[boot, first, lost, lostToo, second, third].map(({ delivery }) => delivery));
    const shown = async (path: string) => {
      const { status, body } = await index.get(`/extended/v1/block/${path}`);
      return status === 200 ? [body.hash, body.canonical] : status;
    };
    assert.deepEqual(await shown('by_height/1'), [first.hash, true]);
    assert.deepEqual(await shown('by_height/0'), [boot.hash, false]);
    assert.deepEqual(await shown('by_height/4'), 404);
    assert.deepEqual(await shown(lostToo.hash), [lostToo.hash, false]);
    assert.deepEqual(await shown(second.hash.slice(2).toUpperCase()), [second.hash, true]);
    assert.deepEqual(await shown(second.indexHash), 404);
    assert.deepEqual(await shown('latest'), 400);
    assert.deepEqual(await shown(`by_burn_block_height/${third.burn.height}`), [third.hash, true]);
    assert.deepEqual(await shown('by_burn_block_height/9'), 404);
  });

  test('a page of the list of older blocks shows what the single blocks show, and the length of the chain', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const blocks = new ChainBuilder().chain(5);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    const singles = await Promise.all(
      blocks.toReversed().map(async ({ hash }) => (await index.get(`/extended/v1/block/${hash}`)).body),
    );
    for (const [limit, offset] of [
      [30, 0],
      [2, 1],
      [3, 3],
      [2, 5],
    ] as const) {
      const { body } = await index.get(`/extended/v1/block?limit=${limit}&offset=${offset}`);
      assert.deepEqual(body, { limit, offset, total: 5, results: singles.slice(offset, offset + limit) });
    }
  });
  test('an orphaned first block shows its own transactions, without those of the boot block', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [boot, first, other] = [chain.bootBlock(), chain.block(), chain.block()];
    await index.deliver(boot.delivery, first.delivery, other.delivery, chain.block({ parent: other }).delivery);
    const { body } = await index.get(`/extended/v1/block/${first.hash}`);
    assert.deepEqual([body.canonical, body.txs], [false, first.txs.map(({ txId }) => txId).reverse()]);
  });

  test('an orphaned block that comes late changes the ETag of the responses that show it, under the same tip', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const root = chain.block();
    const burn = chain.burnBlock({ parent: root.burn });
    const lost = chain.block({ parent: root, burn });
    const blocks = chain.chain(3, root);
    await index.deliver(...[root, ...blocks, lost].map(({ delivery }) => delivery));
    const tip = (await index.get('/extended')).body.chain_tip.index_block_hash;
    const above = chain.block({ parent: lost, burn });
    for (const path of [`by_burn_block_hash/${burn.hash}`, `by_burn_block_height/${burn.height}`]) {
      const before = await index.get(`/extended/v1/block/${path}`);
      const known = { 'if-none-match': String(before.headers.etag) };
      assert.equal((await index.get(`/extended/v1/block/${path}`, known)).status, 304);
    }
    const url = `/extended/v1/block/by_burn_block_hash/${burn.hash}`;
    const { body, headers } = await index.get(url);
    assert.equal(body.hash, lost.hash);
    await index.deliver(above.delivery);
    assert.equal((await index.get('/extended')).body.chain_tip.index_block_hash, tip);
    const after = await index.get(url, { 'if-none-match': String(headers.etag) });
    assert.deepEqual([after.status, after.body.hash], [200, above.hash]);
  });
});
