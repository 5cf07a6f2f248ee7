import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';
import { upsertRows } from '../../../../base/store/table.ts';
import { METADATA_JOBS } from '../../../../metadata/tables.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('the status counts jobs of metadata by their state, and refusals by their limit', async () => {
    const fresh = await openFresh();
    const index = await openTestIndex(fresh.database, { limits: { maxConcurrentRequests: 8, maxShare: 1 / 4 } });
    await index.deliver(new ChainBuilder().block().delivery);
    const before = (await index.get('/extended/v3/status')).body;
    const queue = { fetches: false, waiting: 0, running: 0, failed: 0, invalid: 0 };
    assert.deepEqual([before.metadata_queue, before.limits_reached], [queue, []]);
    const job = (token: string, state: string) => ({
      contract_id: 'ST1.art',
      token,
      kind: 'token',
      state,
      reason: null,
      error: null,
      attempts: 1,
      priority: 1,
      run_after: 0,
      owner: null,
      cause: '',
      updated_at: 0,
    });
    const jobs = ['waiting', 'waiting', 'done', 'invalid'].map((state, i) => job(String(i), state));
    await fresh.database.write(tx => upsertRows(tx, METADATA_JOBS, jobs));
    // A page and the requests that it makes, of one reader with room for two requests at a time.
    await index.page('/explorer', {}, '192.0.2.1');
    const after = (await index.get('/extended/v3/status')).body;
    assert.deepEqual(after.metadata_queue, { ...queue, waiting: 2, invalid: 1 });
    assert.deepEqual(
      after.limits_reached.map(({ resource, in_all }: Record<string, unknown>) => [resource, in_all]),
      [['requests', 0]],
    );
    assert.ok(after.limits_reached[0].of_address > 0);
    const { body } = await index.page('/explorer/status');
    assert.match(body, /not fetched without a node; jobs: 2 waiting, 1 of invalid metadata/);
    assert.match(body, /Limits that clients reached/);
    await fresh.cleanup();
  });
});
