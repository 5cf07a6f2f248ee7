import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../test/support/transaction-builder.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`calls are counted by time and by function, with failures and callers; a week begins on Monday (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const id = `${accountAddress(9)}.box`;
    const failed = (() => {
      const tx = chain.call('box', 'close', { from: 8 });
      return { ...tx, body: { ...tx.body, status: 'abort_by_response' } };
    })();
    // Sunday 23:59:59 and Monday 00:00:00 of November 2023.
    const [sunday, monday] = [1_700_438_399, 1_700_438_400];
    const first = chain.block({ txs: [chain.call('box', 'open', { from: 5 })], fields: { block_time: sunday } });
    const second = chain.block({
      parent: first,
      txs: [chain.call('box', 'open', { from: 5 }), chain.call('box', 'open', { from: 6 }), failed],
      fields: { block_time: monday },
    });
    await index.deliver(first.delivery, second.delivery);
    const activity = async (query: string) =>
      (await index.get(`/extended/v3/smart-contracts/${id}/activity${query}`)).body;
    const { total, from, to, functions, buckets } = await activity('?bucket=week');
    assert.deepEqual([total, from, to], [4, { block_height: 1, time: sunday }, { block_height: 2, time: monday }]);
    assert.deepEqual(functions, [
      { function_name: 'open', calls: 3, failures: 0, callers: 2 },
      { function_name: 'close', calls: 1, failures: 1, callers: 1 },
    ]);
    assert.deepEqual(buckets, [
      { start: monday, calls: 3, failures: 1, callers: 3 },
      { start: monday - 7 * 86_400, calls: 1, failures: 0, callers: 1 },
    ]);
    const newest = await activity('?limit=2&bucket=hour');
    assert.deepEqual(newest.buckets, [{ start: monday, calls: 2, failures: 1, callers: 2 }]);
    const { body } = await index.page(`/explorer/contract/${id}`);
    assert.match(body, /<td class="h4" title="Monday, 0:00 UTC: 3 calls">/);
    assert.match(body, /<td class="h2" title="Sunday, 23:00 UTC: 1 call">/);
    assert.match(body, />1 \(100 %\)</);
  });
});
