import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

test('what a fork took back is told on the pages of the fork, of its blocks and of its transactions', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const chain = new ChainBuilder();
  const first = chain.block();
  const [coinbase, again] = [chain.coinbase(), chain.transfer()];
  const lost = chain.block({ parent: first, txs: [coinbase, again] });
  const above = chain.block({ parent: lost, txs: [] });
  await index.deliver(first.delivery, lost.delivery, above.delivery);
  const textOf = async (path: string) => (await index.page(`/explorer/${path}`)).body;
  assert.match(await textOf('forks'), /No fork is known/);
  let tip = chain.block({ parent: first, txs: [chain.coinbase(), again] });
  const winner = tip;
  await index.deliver(tip.delivery);
  for (let i = 0; i < 2; i++) {
    tip = chain.block({ parent: tip });
    await index.deliver(tip.delivery);
  }
  assert.match(await textOf('forks'), new RegExp(`href="fork/${lost.indexHash}">Heights 2 to 3<`));
  const { results } = (await index.get('/extended/v3/forks')).body;
  assert.equal(results[0].time, lost.burn.time);
  const day = new Date(lost.burn.time * 1000).toISOString();
  assert.match(await textOf('forks'), new RegExp(`<td data-head="Time"><time datetime="${day}"`));
  const fork = await textOf(`fork/${lost.indexHash}`);
  assert.match(
    fork,
    /2 blocks on top of block <a href="block\/1">1<\/a>\. Of the transactions: 1 mined in other blocks, 1 gone with their block\./,
  );
  assert.ok(fork.includes(`href="block/${winner.hash}"`));
  assert.equal((await index.page(`/explorer/fork/${above.hash}`)).headers.location, `../fork/${lost.indexHash}`);
  const block = await textOf(`block/${above.hash}`);
  assert.match(
    block,
    /Not part of the chain: block <a href="block\/3">3<\/a> \(<a [^>]*>[^<]*<\/a>\) took its place\./,
  );
  assert.match(
    await textOf(`block/${winner.hash}`),
    new RegExp(`Orphaned beside this block: <a class="id" href="block/${lost.indexHash}"`),
  );
  assert.doesNotMatch(await textOf('block/1'), /Orphaned beside/);
  assert.match(await textOf(`tx/${coinbase.txId}`), /Only a block that is no longer part of the chain had it/);
  assert.match(await textOf(`tx/${again.txId}`), /It is part of the chain/);
  assert.equal((await index.page(`/explorer/tx/0x${'ab'.repeat(32)}`)).status, 404);
  assert.equal((await index.page('/explorer/tx/zz')).status, 400);
});
