import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../../test/support/engines.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

onEveryEngine((_engine, openFresh) => {
  test('the hash of a burn block is answered directly, with and without 0x, in any case', async t => {
    const index = await openTestIndex((await openFresh(t)).database);
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
});
