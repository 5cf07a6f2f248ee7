import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { createServer } from './server.ts';
import { addProbes, type IndexStatus } from './status.ts';

function probed(current: () => Promise<IndexStatus>) {
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  addProbes(api, { current });
  return api;
}
const status: IndexStatus = {
  journalPosition: 12,
  indexedPosition: 7,
  gaps: [],
  setAside: { count: 0, newest: null },
  burnHeight: 0,
  poxUnlockHeights: [null, null, null],
};

test('a process whose database responds is alive and ready, and says how far behind it is', async () => {
  const api = probed(async () => status);
  assert.equal((await api.inject('/livez')).body, '{"status":"ok"}');
  assert.equal((await api.inject('/readyz')).body, '{"status":"ready","lag":5}');
});

test('a process whose database is away is alive, but not ready', async () => {
  const api = probed(async () => {
    throw new RetryableDatabaseError('CONNECTION_REFUSED', 'connect ECONNREFUSED 10.0.0.1:5432');
  });
  assert.equal((await api.inject('/livez')).statusCode, 200);
  const response = await api.inject('/readyz');
  assert.equal(response.statusCode, 503);
  assert.ok(response.headers['retry-after']);
  assert.doesNotMatch(response.body, /10\.0\.0\.1/);
});
