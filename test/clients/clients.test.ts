import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scale } from '../support/scale.ts';
import { clientsPage } from './page.ts';
import { runSuite } from './suite.ts';

test('every call of a published client works, or its route is not here yet', async t => {
  const outcomes = await runSuite(t, scale);
  const wrong = outcomes.filter(({ result }) => result === 'wrong');
  assert.deepEqual(
    wrong.map(({ call, why }) => `${call.client} ${call.method}: ${why}`),
    [],
  );
  assert.ok(outcomes.filter(({ result }) => result === 'works').length > (scale === 'short' ? 150 : 300));
  if (scale === 'short') return;
  const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
  assert.equal(page, clientsPage(outcomes), 'npm run docs:clients writes docs/clients.md');
});
