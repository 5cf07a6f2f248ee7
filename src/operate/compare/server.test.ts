import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { askerOf } from './server.ts';

async function stub(t: TestContext, respond: (response: ServerResponse, request: number) => void) {
  let requests = 0;
  const server = createServer((_, response) => respond(response, ++requests));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

const limited = (response: ServerResponse, status: number, headers: Record<string, string>) =>
  response.writeHead(status, { connection: 'close', ...headers }).end('{}');

test('a refused request is sent again after the time that the server names, and its refusal is not compared', async t => {
  const server = await stub(t, (response, request) =>
    request === 1
      ? limited(response, 429, { 'retry-after': '1' })
      : request === 2
        ? limited(response, 503, { 'retry-after': '1' })
        : limited(response, 200, {}),
  );
  const pauses: number[] = [];
  const ask = askerOf(server.url, {
    signal: t.signal,
    onPause: ({ status, ms }) => pauses.push(status, ms),
    pause: async () => {},
  });
  assert.equal((await ask('/x')).status, 200);
  assert.deepEqual(pauses, [429, 1000, 503, 1000]);
});

test('a Retry-After of days is not cut short, and ends with the signal', async t => {
  const server = await stub(t, response => limited(response, 429, { 'retry-after': '9999999' }));
  const stop = new AbortController();
  const ask = askerOf(server.url, {
    signal: stop.signal,
    onPause: ({ ms }) => {
      assert.equal(ms, 9_999_999_000);
      setImmediate(() => stop.abort());
    },
  });
  await assert.rejects(ask('/x'), { name: 'AbortError' });
  assert.equal(server.requests(), 1);
});

test('a server that refuses a request each time ends the comparison with what to do', async t => {
  const server = await stub(t, response => limited(response, 429, {}));
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms / 1000);
  };
  await assert.rejects(askerOf(server.url, { signal: t.signal, pause })('/x'), {
    name: 'ServerAway',
    message: `${server.url}/x: 10 requests in a row were refused with status 429`,
    hint: /lower --rate.*--state FILE/,
  });
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a failure without a time to wait is compared as it is', async t => {
  const server = await stub(t, response => limited(response, 503, {}));
  assert.equal((await askerOf(server.url, { signal: t.signal })('/x')).status, 503);
  assert.equal(server.requests(), 1);
});

test('a rate spaces requests, also those that are sent at once', async t => {
  const server = await stub(t, response => limited(response, 200, {}));
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  const ask = askerOf(server.url, { signal: t.signal, rate: 0.001, pause });
  await Promise.all(Array.from({ length: 4 }, () => ask('/x')));
  assert.deepEqual(
    pauses.map(ms => Math.ceil(ms / 1_000_000)),
    [1, 2, 3],
  );
});
