import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
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

test('requests of a page that refuse each other are made one after the other, and all of them end', async () => {
  let running = 0;
  const client = apiClient(async () => {
    const body = running < 2 ? { height: 7 } : { code: 'TOO_MANY_AT_ONCE', message: 'Too many' };
    running++;
    await setTimeout(1);
    running--;
    return {
      statusCode: body.height ? 200 : 429,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
  });
  const pages = await Promise.all(Array.from({ length: 14 }, (_, i) => client.get(`/extended/${i}`)));
  assert.deepEqual(pages, Array(14).fill({ height: 7 }));
});

test('a page of many requests waits a moment for one that found no turn, and is given up in the end', async () => {
  const client = apiClient(refused(2));
  assert.deepEqual(await client.get('/extended'), { height: 7 });
  assert.deepEqual(client.asked, [{ path: '/extended', isAnswered: true }]);
  const { statusCode, retryAfter } = await apiClient(refused(99))
    .get('/extended')
    .then(
      () => assert.fail(),
      (error: ApiError) => error,
    );
  assert.deepEqual([statusCode, retryAfter], [503, 2]);
});

test('a page lists which of its requests have a record: an absent entity has none', async () => {
  const client = apiClient(async ({ url }) => ({
    statusCode: url === '/known' ? 200 : 404,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }));
  assert.equal(await client.find('/absent'), undefined);
  await client.get('/known');
  assert.deepEqual(client.asked, [
    { path: '/absent', isAnswered: false },
    { path: '/known', isAnswered: true },
  ]);
});
