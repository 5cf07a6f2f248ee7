import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { listenRaw, nextStatus } from '../../../test/support/raw-connections.ts';
import { until } from '../../../test/support/until.ts';
import type { ServerLimits } from './server.ts';

/** More than the kernel takes for a client that does not read. */
const LARGE = JSON.stringify('x'.repeat(9_000_000));
/** Four times as much: a client that has read half of it has made the kernel take more, and there is more to take. */
const LARGER = JSON.stringify('x'.repeat(36_000_000));

/** Milliseconds between two checks of how fast clients read. */
const WINDOW_MS = 1000;

async function listen(t: TestContext, limits: Partial<ServerLimits>) {
  let made = 0;
  const { api, open } = await listenRaw(t, { maxShare: 1, ...limits }, api => {
    api.get('/large', async () => {
      made++;
      return LARGE;
    });
    api.get('/larger', async () => LARGER);
  });
  const ask = async (path: string, from?: string) => {
    const socket = await open(from);
    socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  return { api, ask, made: () => made };
}

test('responses that are not read take no places of requests', async t => {
  const { ask, made } = await listen(t, {
    maxConcurrentRequests: 2,
    maxUnsentBytes: 1e9,
    maxUnsentBytesPerClient: 1e9,
  });
  for (let i = 1; i <= 5; i++) {
    await ask('/large');
    await until(async () => made() === i, 'the response is not made');
  }
  assert.equal(await nextStatus(await ask('/small')), '200');
});

test('a client holds at most its share of unsent bytes, all together at most theirs, and they come back', async t => {
  const { ask, made } = await listen(t, { maxUnsentBytes: 20e6, maxUnsentBytesPerClient: 10e6 });
  const first = await ask('/large', '127.0.0.2');
  await until(async () => made() === 1, 'the first is not made');
  assert.equal(await nextStatus(await ask('/large', '127.0.0.2')), '429', 'more than its share');
  const second = await ask('/large', '127.0.0.3');
  await until(async () => made() === 3, 'another client gets none');
  assert.equal(await nextStatus(await ask('/large', '127.0.0.4')), '503', 'more than all may hold');
  first.destroy();
  second.destroy();
  await until(async () => (await nextStatus(await ask('/large', '127.0.0.2'))) === '200', 'nothing came back');
});

test('a client that reads slower than the minimum is disconnected, one that reads is not', async t => {
  // Between two checks lies what the test does, however slow the machine is.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { api, ask } = await listen(t, {
    minThroughput: 1000,
    throughputWindow: WINDOW_MS,
    maxUnsentBytes: 1e9,
    maxUnsentBytesPerClient: 1e9,
  });
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      api.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const [reading, silent] = [await ask('/larger'), await ask('/larger')];
  for (const socket of [reading, silent]) {
    assert.equal(await nextStatus(socket), '200');
    socket.pause();
  }
  t.mock.timers.tick(WINDOW_MS);
  let read = 0;
  reading.on('data', chunk => {
    read += chunk.length;
    if (read > LARGER.length / 2) reading.pause();
  });
  reading.resume();
  await until(async () => reading.isPaused(), 'half of the response does not come');
  assert.equal(await connections(), 2);
  t.mock.timers.tick(WINDOW_MS);
  await until(async () => (await connections()) === 1, 'the silent client is still there');
  reading.write('GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let last = '';
  reading.removeAllListeners('data').on('data', chunk => {
    last = String(chunk);
  });
  await once(reading.resume(), 'close');
  assert.match(last, /\{\}$/, 'the next response, on the same connection');
});
