import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced } from '../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleDeploy, sampleFunction } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('a beginning finds what there is, by type; too short a one finds nothing', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const deploy = sampleDeploy(chain, 'vault', { functions: [sampleFunction('ping')] });
    const block = chain.block({ txs: [chain.coinbase(), deploy, sampleDeploy(chain, 'vain')] });
    const waits = chain.transfer();
    await index.deliver(block.delivery, announced(waits));
    const find = async (q: string, rest = '') =>
      (await index.get(`/extended/v3/search?q=${encodeURIComponent(q)}${rest}`)).body.results;
    const types = async (q: string) => (await find(q)).map(({ type }: { type: string }) => type);

    assert.deepEqual(await find(deploy.txId.slice(0, 10)), [
      { type: 'transaction', transaction: { tx_id: deploy.txId, type: 'smart_contract', status: 'success' } },
    ]);
    const pending = { tx_id: waits.txId, type: 'token_transfer', status: 'pending' };
    assert.deepEqual(await find(waits.txId.slice(2, 10)), [{ type: 'transaction', transaction: pending }]);
    assert.deepEqual(await find(deploy.txId.slice(0, 9)), [], 'seven digits');
    assert.deepEqual(await types('1'), ['block']);
    const owner = accountAddress(9);
    const vault = { type: 'smart_contract', smart_contract: { contract_id: `${owner}.vault`, tx_id: deploy.txId } };
    assert.deepEqual(await find(`${owner}.va`), [vault], 'a deployment that failed is none');
    assert.deepEqual(await find(` ${owner.toLowerCase()} `), [{ type: 'address', address: { address: owner } }, vault]);
    assert.deepEqual(await find(owner, '&type=smart_contract'), [vault]);
    assert.deepEqual(await find(owner, '&limit=1'), [{ type: 'address', address: { address: owner } }]);
    assert.deepEqual(await find('no such thing'), []);
  });
});
