import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

test('a pending transaction behind earlier ones is not called usual, nor is its nonce fine', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const [first, second, late] = [0, 1, 9].map(nonce => transferOf({ nonce, from: 5 }));
  assert.ok(first && second && late);
  await index.deliver(new ChainBuilder('pending').block().delivery, announced(first, second, late));
  const levelsOf = async (id: string) => {
    const { body } = await index.page(`/explorer/tx/${id}`);
    const [, verdict] = /<p class="verdict">([^<]*)</.exec(body) ?? [];
    return { nonce: /data-level="(\w+)"/.exec(body)?.[1], verdict };
  };
  assert.equal((await levelsOf(first.txId)).nonce, 'fine');
  assert.deepEqual((await levelsOf(second.txId)).nonce, 'after');
  assert.doesNotMatch((await levelsOf(second.txId)).verdict ?? '', /unusual/);
  assert.equal((await levelsOf(late.txId)).nonce, 'blocked');
  assert.match((await levelsOf(late.txId)).verdict ?? '', /cannot be mined as things are/);
});
