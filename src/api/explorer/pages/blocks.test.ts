import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

test('every page of the blocks is there, also below the offsets that the API takes', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  await index.deliver(...new ChainBuilder('blocks').chain(395).map(({ delivery }) => delivery));
  const heightsOf = async (page: number) => {
    const { status, body } = await index.page(`/explorer/blocks?page=${page}`);
    assert.equal(status, 200);
    return [...body.matchAll(/<td data-head="Height"><a href="block\/(\d+)"/g)].map(([, height]) => Number(height));
  };
  const all = (await Promise.all(Array.from({ length: 14 }, (_, i) => heightsOf(i + 1)))).flat();
  assert.deepEqual(
    all,
    Array.from({ length: 395 }, (_, i) => 395 - i),
  );
  assert.deepEqual(await heightsOf(15), []);
});
