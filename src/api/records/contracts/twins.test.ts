import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleDeploy } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`contracts with one source are told together, the oldest first, and a fork takes its copies back (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const source = '(define-public (go) (ok true))';
    const deploy = (name: string, from: number, text = source) =>
      sampleDeploy(chain, name, { source: text, from, functions: [] });
    const [a, b, c] = ['a', 'b', 'c'].map((name, i) => `${accountAddress(10 + i)}.${name}`);
    const first = chain.block({ txs: [deploy('a', 10), deploy('c', 12, `${source} `)] });
    const second = chain.block({ parent: first, txs: [deploy('b', 11)] });
    await index.deliver(first.delivery, second.delivery);
    const twins = async (of: string | undefined, query = '') => {
      const { body } = await index.get(`/extended/v3/smart-contracts/${of}/twins${query}`);
      return body.results.map(({ contract_id }: { contract_id: string }) => contract_id);
    };
    assert.deepEqual(await twins(b), [a, b]);
    assert.deepEqual(await twins(a, '?cursor=1'), [b]);
    assert.deepEqual(await twins(c), [c]);
    const { body } = await index.page(`/explorer/contract/${b}`);
    assert.match(body, /1 other contract has the same source, character by character/);
    let tip = chain.block({ parent: first });
    await index.deliver(tip.delivery);
    tip = chain.block({ parent: tip });
    await index.deliver(tip.delivery);
    assert.deepEqual(await twins(a), [a]);
    assert.equal((await index.get(`/extended/v3/smart-contracts/${b}/twins`)).status, 404);
  });
});
