import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshOf } from './support/engines.ts';
import { LONGEST_TURN, turnsDuring } from './support/loop-turns.ts';
import { openTestIndex } from './support/test-index.ts';

test('no turn of the event loop takes long for the files of the API document, which are made on the first request', async t => {
  const { database, cleanup } = await openFreshOf.sqlite();
  t.after(cleanup);
  const { page } = await openTestIndex(database);
  await page('/livez'); // makes the API
  for (const path of ['/openapi.json', '/doc', '/openapi.yaml']) {
    const { longest } = await turnsDuring(async () => assert.equal((await page(path)).status, 200));
    assert.ok(longest < LONGEST_TURN / 2, `${path}: ${longest} ms`);
  }
});
