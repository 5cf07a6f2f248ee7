import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { findingsIn } from '../../../../test/support/findings.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';

const ANNE = accountAddress(41);
const GOLD = `${accountAddress(9)}.mint::gold`;

const minting = (tx: BuiltTx): BuiltTx => ({
  ...tx,
  events: [
    {
      txid: tx.txId,
      event_index: 0,
      committed: true,
      type: 'ft_mint_event',
      ft_mint_event: { asset_identifier: GOLD, amount: '100', recipient: ANNE },
    },
  ],
});

onSqliteAtLeast((engine, openFresh) => {
  test(`an index is sound while two microblocks on its tip move the same token (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const block = chain.block();
    const streamed = chain.microblocks(block, [[minting(chain.transfer())], [minting(chain.transfer())]]);
    const state = await index.deliver(block.delivery, chain.stream(block, streamed));
    assert.equal(state.microblocks.length, 2);
    assert.deepEqual(await findingsIn(database), []);
  });
});
