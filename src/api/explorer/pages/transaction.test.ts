import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

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
  const { body } = await index.page(`/explorer/tx/${second.txId}`);
  assert.match(body, new RegExp(`must come first: first <a class="id" href="tx/${first.txId}"`));
  const found = await index.page(`/explorer/search?q=${accountAddress(5)}%230`);
  assert.deepEqual([found.status, found.headers.location], [302, `./tx/${first.txId}`]);
});

test('a call with more events than a page shows has the sums of all of them, and its NFTs', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const chain = new ChainBuilder('many');
  const call = chain.call('k', 'go');
  const [sender, recipient] = [8, 7].map(accountAddress);
  const event = (type: string, data: object) => ({ txid: call.txId, committed: true, type, [type]: data });
  const paid = Array.from({ length: 120 }, () => event('stx_transfer_event', { sender, recipient, amount: '1000000' }));
  const card = {
    asset_identifier: `${accountAddress(9)}.n::card`,
    recipient: sender,
    raw_value: `0x01${'00'.repeat(15)}03`,
  };
  const events = [...paid, event('nft_mint_event', card)];
  await index.deliver(chain.block({ txs: [chain.coinbase(), { ...call, events }] }).delivery);
  for (const query of ['', '?page=3']) {
    const { body } = await index.page(`/explorer/tx/${call.txId}${query}`);
    const [, changes = ''] = /Net changes by account(.*?)<\/table>/s.exec(body) ?? [];
    for (const change of [-120, 120])
      assert.ok(changes.includes(`<data value="${change * 1_000_000}"`), `${change} ${query}`);
    assert.match(changes, />card #3</);
  }
});
