import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../test/support/transaction-builder.ts';

const [MINER, EARLIER] = [accountAddress(20), accountAddress(21)];

const reward = (source: string, recipient: string, coinbase_amount: string, tx_fees_streamed_produced: string) => ({
  ...{ recipient, miner_address: null, coinbase_amount, tx_fees_streamed_produced },
  ...{ tx_fees_anchored: '0', tx_fees_streamed_confirmed: '0' },
  ...{ from_stacks_block_hash: source, from_index_consensus_hash: source },
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a block lists the orphaned blocks of its height, whatever fork they are in (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const lost = [chain.block({ parent: first }), chain.block({ parent: first })];
    const second = chain.block({ parent: first });
    const above = chain.block({ parent: lost[0] ?? first });
    const third = chain.block({ parent: second });
    const tip = chain.block({ parent: third });
    await index.deliver(...[first, ...lost, above, second, third, tip].map(({ delivery }) => delivery));
    const beside = async (id: string | number) => (await index.get(`/extended/v3/blocks/${id}/orphans`)).body;
    const ids = ({ results }: { results: readonly { index_hash: string }[] }) => results.map(each => each.index_hash);
    const orphans = await beside(2);
    assert.equal(orphans.total, 2);
    assert.deepEqual(ids(orphans), lost.map(({ indexHash }) => indexHash).sort());
    assert.equal(orphans.results[0].replaced_by.index_hash, second.indexHash);
    assert.deepEqual(ids(await beside(third.hash)), [above.indexHash]);
    assert.deepEqual(await beside(1), { total: 0, results: [] });
    assert.equal((await index.get(`/extended/v3/blocks/${above.hash}/orphans`)).status, 404);
  });

  test(`totals of a block are the bytes and fees of its transactions, and the rewards that matured for it (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const txs = [chain.coinbase(), chain.transfer({ fee: 30 }), chain.transfer({ fee: 12 })];
    const first = chain.block({ txs });
    const matured_miner_rewards = [
      reward(first.indexHash, MINER, '1000', '0'),
      reward(first.indexHash, EARLIER, '0', '7'),
    ];
    const second = chain.block({ parent: first, txs: [], fields: { matured_miner_rewards } });
    await index.deliver(first.delivery, second.delivery);
    const totals = async (id: string) => (await index.get(`/extended/v3/blocks/${id}`)).body;
    const { transaction_count, transaction_bytes, fees, rewards } = await totals('1/totals');
    const bytes = txs.reduce((sum, { body }) => sum + String(body.raw_tx).length / 2 - 1, 0);
    assert.deepEqual([transaction_count, transaction_bytes, fees], [3, bytes, '42']);
    const paid = rewards.map((row: Record<string, string>) => [row.recipient, row.coinbase, row.fees, row.total]);
    assert.deepEqual(paid, [
      [MINER, '1000', '0', '1000'],
      [EARLIER, '0', '7', '7'],
    ]);
    assert.deepEqual([rewards[0].block.height, rewards[0].source_block.height], [2, 1]);
    const empty = await totals('2/totals');
    assert.deepEqual([empty.transaction_bytes, empty.fees, empty.rewards], [0, '0', []]);
    assert.deepEqual((await totals('1/totals?at=1')).rewards, []);
    const { body: page } = await index.page('/explorer/block/1');
    assert.match(page, new RegExp(`<dt>Size</dt><dd>[^/]*>${bytes} bytes<`));
    assert.match(page, /<dt>Miner reward<\/dt><dd><data value="1007".*?paid in block <a href="block\/2">/s);
    assert.match((await index.page('/explorer/block/2')).body, /<dt>Miner reward<\/dt><dd>not paid yet</);
    const other = chain.block({ parent: first });
    await index.deliver(other.delivery, chain.block({ parent: other }).delivery);
    assert.deepEqual((await totals('1/totals')).rewards, []);
    assert.equal((await index.get('/extended/v3/blocks/9/totals')).status, 404);
  });
});
