import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

test('every block of a tenure names its miner, and the costs of a block have figures', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const chain = new ChainBuilder('miner');
  const first = chain.block();
  const second = chain.block({ parent: first, burn: first.burn, txs: [] });
  await index.deliver(first.burn.delivery, first.delivery, second.delivery);
  const { body: transactions } = await index.get('/extended/v2/blocks/1/transactions');
  const [{ sender_address: miner }] = transactions.results;
  for (const height of [1, 2]) {
    const { body } = await index.page(`/explorer/block/${height}`);
    assert.match(body, new RegExp(`<dt>Miner</dt><dd><a class="id" href="address/${miner}"`), `block ${height}`);
    assert.match(body, /reads<\/th>.*?<td class="number">\d+<\/td><td class="number dim">of 15,000</);
  }
});
