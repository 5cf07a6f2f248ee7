import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { nextAttempt } from './backoff.ts';
import type { JobError, JobState } from './job.ts';

const error = (kind: JobError['kind'], more: Partial<JobError> = {}): JobError => ({
  reason: 107,
  kind,
  message: 'failed',
  ...more,
});
const waiting = (attempts: number) => ({ state: 'waiting' as JobState, attempts });
const seconds = (...args: Parameters<typeof nextAttempt>) => nextAttempt(...args).runAfter / 1000;

describe('the next attempt of a failed job', () => {
  test('transient errors are tried again after 5 s, doubling to 6 h', () => {
    const waits = [0, 1, 2, 3, 11, 12, 13].map(n => seconds(waiting(n), error('transient'), 99, 0, 0));
    assert.deepEqual(waits, [5, 10, 20, 40, 10_240, 20_480, 21_600]);
  });

  test('a transient error with at most 2 retries fails after the third attempt', () => {
    const states = [0, 1, 2].map(n => nextAttempt(waiting(n), error('transient'), 2, 0, 0).state);
    assert.deepEqual(states, ['waiting', 'waiting', 'failed']);
  });

  test('permanent errors are tried again after 1 h, 6 h, 24 h, 7 d, then monthly', () => {
    const hours: number[] = [];
    let job: { state: JobState; attempts: number } = waiting(7);
    for (let round = 0; round < 6; round++) {
      const next = nextAttempt(job, error(round % 2 ? 'slow-retry' : 'permanent'), 99, 0, 0);
      assert.equal(next.state, 'invalid');
      hours.push(next.runAfter / 3_600_000);
      job = next;
    }
    assert.deepEqual(hours, [1, 6, 24, 168, 720, 720]);
  });

  test('a job that failed for good begins no new round of quick retries', () => {
    const next = nextAttempt({ state: 'failed', attempts: 1 }, error('transient'), 99, 0, 0);
    assert.deepEqual(next, { state: 'failed', attempts: 2, runAfter: 6 * 3_600_000 });
  });

  test('a host that asks for a pause gets it, and no attempt is spent', () => {
    const next = nextAttempt(waiting(3), error('rate-limited', { retryAfterMs: 7_000 }), 0, 0, 0);
    assert.deepEqual(next, { state: 'waiting', attempts: 3, runAfter: 7_000 });
  });

  test('without a response of the node there is no end of attempts', () => {
    const next = nextAttempt(waiting(1_000), error('unavailable'), 2, 0, 0);
    assert.deepEqual(next, { state: 'waiting', attempts: 1_001, runAfter: 21_600_000 });
  });

  test('a call that stays too costly becomes an error of the contract', () => {
    const costly = error('transient', { patience: 3, reason: 109 });
    const states = [0, 1, 2, 3].map(n => nextAttempt(waiting(n), costly, 99, 0, 0).state);
    assert.deepEqual(states, ['waiting', 'waiting', 'waiting', 'invalid']);
  });

  test('it is always later, by at most a quarter more than without chance', () => {
    const kinds = fc.constantFrom('transient', 'permanent', 'slow-retry', 'blocked', 'unavailable', 'rate-limited');
    const states = fc.constantFrom<JobState>('waiting', 'done', 'failed', 'invalid');
    fc.assert(
      fc.property(
        kinds,
        states,
        fc.nat(50),
        fc.nat(20),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (...args) => {
          const [kind, state, attempts, retries, now, random] = args;
          const before = { state, attempts };
          const least = nextAttempt(before, error(kind as JobError['kind']), retries, now, 0);
          const next = nextAttempt(before, error(kind as JobError['kind']), retries, now, random);
          assert.ok(next.runAfter > now && Number.isSafeInteger(next.runAfter));
          assert.ok(next.runAfter - now <= (least.runAfter - now) * 1.25 + 1);
        },
      ),
    );
  });
});
