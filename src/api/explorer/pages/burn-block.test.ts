import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

test('a Bitcoin block shows all of its Stacks blocks, page by page', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const chain = new ChainBuilder();
  const blocks: BuiltBlock[] = [chain.block({ txs: [] })];
  const [first] = blocks;
  assert.ok(first);
  while (blocks.length < 65) blocks.push(chain.block({ parent: blocks.at(-1) ?? first, burn: first.burn, txs: [] }));
  await index.deliver(first.burn.delivery, ...blocks.map(({ delivery }) => delivery));
  const heights: number[] = [];
  for (let page = 1; page <= 3; page++) {
    const { status, body } = await index.page(`/explorer/btc/${first.burn.height}?page=${page}`);
    assert.equal(status, 200);
    heights.push(
      ...[...body.matchAll(/<td data-head="Height"><a href="block\/(\d+)"/g)].map(([, height]) => Number(height)),
    );
  }
  assert.deepEqual(
    heights,
    Array.from({ length: 65 }, (_, i) => 65 - i),
  );
});
