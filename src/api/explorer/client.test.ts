import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiError } from '../http/errors.ts';
import { apiClient, type Inject } from './client.ts';

const refused = (times: number): Inject => {
  let left = times;
  return async () => {
    const isRefused = left-- > 0;
    const body = isRefused ? { code: 'OVERLOADED', message: 'Too many requests at once' } : { height: 7 };
    return {
      statusCode: isRefused ? 503 : 200,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
      body: JSON.stringify(body),
    };
  };
};

test('a page of many requests waits a moment for one that found no turn, and is given up in the end', async () => {
  const client = apiClient(refused(2));
  assert.deepEqual(await client.get('/extended'), { height: 7 });
  assert.deepEqual(client.asked, ['/extended']);
  const { statusCode, retryAfter } = await apiClient(refused(99))
    .get('/extended')
    .then(
      () => assert.fail(),
      (error: ApiError) => error,
    );
  assert.deepEqual([statusCode, retryAfter], [503, 2]);
});
