import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, badRequest, overloaded, unavailable } from '../errors.ts';
import { untilNotRefused } from './refused-page.ts';

/** Work that fails with these errors in turn, then succeeds; and a clock that only waits move. */
function attempts(errors: readonly Error[], isOver: () => boolean = () => false) {
  let [tries, time] = [0, 0];
  const result = untilNotRefused(
    async () => {
      const error = errors[tries++];
      if (error) throw error;
      return 'page';
    },
    {
      isOver,
      now: () => time,
      wait: async milliseconds => {
        time += milliseconds;
      },
    },
  );
  return { result, tries: () => tries };
}

test('a page that is refused for now is read again until it is there', async () => {
  const { result, tries } = attempts([overloaded(), unavailable(), new ApiError(429, 'too many', { retryAfter: 1 })]);
  assert.equal(await result, 'page');
  assert.equal(tries(), 4);
});

test('an error that another try does not mend ends the download at once', async () => {
  for (const error of [
    badRequest('no'),
    new ApiError(503, 'too long', { code: 'SEARCH_TOO_LONG' }),
    new TypeError('x'),
  ]) {
    const { result, tries } = attempts([error]);
    await assert.rejects(result, error);
    assert.equal(tries(), 1);
  }
});

test('a download gives up after a minute of refusals, and at once when its client has gone or the server stops', async () => {
  const always = Array.from({ length: 1000 }, () => overloaded());
  const waiting = attempts(always);
  await assert.rejects(waiting.result, always[0]);
  assert.equal(waiting.tries(), 61);
  let checks = 0;
  const left = attempts(always, () => ++checks > 1);
  await assert.rejects(left.result, always[0]);
  assert.equal(left.tries(), 1, 'it waited, and then the client had gone');
});
