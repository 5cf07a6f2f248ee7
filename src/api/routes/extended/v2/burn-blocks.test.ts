import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('of two burn blocks of one height, a hash shows the blocks of each, the height and latest those of the newest', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [low, high] = [chain.burnBlock(), chain.burnBlock()];
    const first = chain.block({ burn: low });
    const second = chain.block({ parent: first, burn: low });
    const third = chain.block({ parent: second, burn: high });
    await index.deliver(first.delivery, second.delivery, third.delivery);
    const shown = async (ref: string | number) => {
      const { status, body } = await index.get(`/extended/v2/burn-blocks/${ref}`);
      assert.equal(status, 200);
      return [body.burn_block_hash, body.stacks_blocks];
    };
    assert.deepEqual(await shown('latest'), [high.hash, [third.hash]]);
    assert.deepEqual(await shown(high.hash), [high.hash, [third.hash]]);
    assert.deepEqual(await shown(low.hash), [low.hash, [second.hash, first.hash]]);
    assert.deepEqual(await shown(low.height), [high.hash, [third.hash]]);
  });

  test('latest is the burn block of the tip, also where the burn height has fallen', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [high, low] = [chain.burnBlock({ height: 101 }), chain.burnBlock({ height: 100 })];
    const first = chain.block({ burn: high });
    await index.deliver(first.delivery, chain.block({ parent: first, burn: low }).delivery);
    assert.equal((await index.get('/extended/v2/burn-blocks/latest')).body.burn_block_hash, low.hash);
  });

  test('a burn block whose Stacks blocks are all orphaned is found by its hash, as not canonical, and its ETag follows them', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const [lost, won] = [chain.burnBlock({ height: 200 }), chain.burnBlock({ height: 200 })];
    const [low, sibling] = [chain.block({ parent: first, burn: lost }), chain.block({ parent: first, burn: lost })];
    const winning = chain.block({ parent: first, burn: won });
    const tip = chain.block({ parent: winning, burn: chain.burnBlock({ height: 201 }) });
    await index.deliver(first.delivery, low.delivery, winning.delivery, tip.delivery);
    const path = `/extended/v2/burn-blocks/${lost.hash}`;
    const { status, body, headers } = await index.get(path);
    assert.equal(status, 200);
    assert.deepEqual([body.canonical, body.burn_block_hash, body.stacks_blocks], [false, lost.hash, [low.hash]]);
    assert.equal((await index.get(`/extended/v1/block/by_burn_block_hash/${lost.hash}`)).body.canonical, false);
    const byHeight = (await index.get('/extended/v2/burn-blocks/200')).body;
    assert.deepEqual([byHeight.burn_block_hash, byHeight.canonical], [won.hash, undefined]);
    await index.deliver(sibling.delivery);
    const after = await index.get(path, { 'if-none-match': String(headers.etag) });
    assert.deepEqual([after.status, after.body.stacks_blocks], [200, [low.hash, sibling.hash]]);
  });

  test('without any block there is no latest burn block', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    assert.equal((await index.get('/extended/v2/burn-blocks/latest')).status, 404);
  });
});
