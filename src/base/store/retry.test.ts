import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FatalDatabaseError, RetryableDatabaseError } from './errors.ts';
import { retrying } from './retry.ts';

/** Fails so many times, then gives 7. */
function failing(times: number, error: Error) {
  const work = async () => {
    work.calls++;
    if (work.calls <= times) throw error;
    return 7;
  };
  work.calls = 0;
  return work;
}

const away = new RetryableDatabaseError('CONNECTION_REFUSED', 'nobody is there');

test('work is tried again while the database is away, and every failure is told', async () => {
  const work = failing(2, away);
  const told: unknown[] = [];
  assert.equal(await retrying(work, { onFailure: error => told.push(error) }), 7);
  assert.deepEqual(told, [away, away]);
});

test('an error that another try cannot help is thrown at once', async () => {
  for (const error of [new FatalDatabaseError('CORRUPT', 'damaged'), new TypeError('a defect')]) {
    const work = failing(1, error);
    await assert.rejects(retrying(work, { onFailure: () => assert.fail() }), error);
    assert.equal(work.calls, 1);
  }
});

test('a signal or the end of patience end the tries with the last error', async () => {
  const stop = new AbortController();
  const work = failing(9, away);
  await assert.rejects(retrying(work, { onFailure: () => stop.abort(), signal: stop.signal }), away);
  assert.equal(work.calls, 1, 'no try after the signal');
  await assert.rejects(retrying(failing(9, away), { onFailure: () => {}, patienceMs: 50 }), away);
});
