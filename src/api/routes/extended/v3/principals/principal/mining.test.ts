import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../../test/support/transaction-builder.ts';

const MINER = accountAddress(20);

onSqliteAtLeast((_engine, openFresh) => {
  test('two rewards of one block are two rows, one of nothing is none, and a fork takes them back and brings them again', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block();
    const reward = (coinbase_amount: string, tx_fees_anchored: string) => ({
      recipient: MINER,
      miner_address: null,
      coinbase_amount,
      tx_fees_anchored,
      tx_fees_streamed_confirmed: '0',
      tx_fees_streamed_produced: '0',
      from_stacks_block_hash: first.hash,
      from_index_consensus_hash: first.indexHash,
    });
    const fields = { matured_miner_rewards: [reward('1000', '5'), reward('0', '0'), reward('0', '7')] };
    const second = chain.block({ parent: first, fields });
    await index.deliver(first.delivery, second.delivery);
    const path = `/extended/v3/principals/${MINER}/mining`;
    const ids = async () =>
      (await index.get(`${path}/rewards`)).body.results.map(({ id }: { readonly id: string }) => id);
    const both = [`${second.indexHash}:2`, `${second.indexHash}:0`];
    assert.deepEqual(await ids(), both);
    const sums = { count: 2, coinbase: '1000', fees: '12', total: '1012' };
    assert.deepEqual((await index.get(path)).body.rewards, sums);
    assert.equal((await index.get(`${path}/rewards?cursor=2147483648:0`)).status, 400);

    const other = chain.block({ parent: first });
    const longer = chain.block({ parent: other });
    await index.deliver(other.delivery, longer.delivery);
    assert.deepEqual(await ids(), []);
    const third = chain.block({ parent: second });
    const fourth = chain.block({ parent: third });
    await index.deliver(third.delivery, fourth.delivery);
    assert.deepEqual(await ids(), both);
  });
});
