/** Clients that are slow, silent, greedy or many: the API answers all others. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { ServerLimits } from '../../src/api/http/server.ts';
import { listenRaw } from '../support/raw-connections.ts';
import { until } from '../support/until.ts';

const LARGE = JSON.stringify('x'.repeat(50_000_000));

async function listen(t: TestContext, limits: Partial<ServerLimits> = {}) {
  const { promise: largeAsked, resolve: onLarge } = Promise.withResolvers<void>();
  const { api, port, open } = await listenRaw(t, limits, api => {
    api.get('/large', async () => {
      onLarge();
      return LARGE;
    });
  });
  const assertServes = () =>
    until(async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/small`, { headers: { connection: 'close' } });
      // Where a test has set a short limit, a busy machine makes a request too old before it is read.
      assert.ok(status === 200 || (status === 408 && limits.requestTimeout !== undefined), `${status}`);
      return status === 200;
    }, 'no request is answered');
  return { api, open, assertServes, largeAsked };
}

/** Also after an error: a reset is a way of closing. */
const untilClosed = (socket: Socket): Promise<void> =>
  new Promise(resolve => (socket.closed ? resolve() : socket.once('close', () => resolve())));

/** All bytes that the server sends until it closes the connection. */
async function said(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  await untilClosed(socket);
  return text;
}

test('a request that never ends is a 408', async t => {
  const { open, assertServes } = await listen(t, { requestTimeout: 300, connectionTimeout: 60_000 });
  const socket = await open();
  const response = said(socket);
  socket.write('GET /small HTTP/1.1\r\nHost: x\r\n');
  const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 40);
  await assertServes();
  try {
    assert.match(await response, /^HTTP\/1.1 408 /);
  } finally {
    clearInterval(drip);
  }
  await assertServes();
});

test('a connection that says nothing is closed', async t => {
  const { open, assertServes } = await listen(t, { connectionTimeout: 200 });
  const socket = await open();
  await untilClosed(socket.resume());
  await assertServes();
});

test('a connection whose client does not read its response is closed', async t => {
  const { api, open, assertServes, largeAsked } = await listen(t, { connectionTimeout: 500 });
  const socket = await open();
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await largeAsked;
  await assertServes();
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      api.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  await until(async () => (await connections()) === 0, 'the connection stays');
});

test('a flood of headers is a 431, and does not touch others', async t => {
  const { open, assertServes } = await listen(t);
  const responses = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = await open();
      const response = said(socket);
      socket.write('GET /small HTTP/1.1\r\nHost: x\r\n');
      for (let i = 0; i < 5000 && socket.writable; i++) socket.write(`X-${i}: ${'y'.repeat(100)}\r\n`);
      return response;
    }),
  );
  // A client that goes on writing may lose the response to the reset of its connection.
  assert.ok(responses.every(response => response === '' || /^HTTP\/1.1 431 /.test(response)));
  await assertServes();
});

test('a thousand idle connections leave room for others', async t => {
  const { open, assertServes } = await listen(t);
  const sockets = await Promise.all(Array.from({ length: 1000 }, open));
  await Promise.all(Array.from({ length: 20 }, assertServes));
  assert.ok(sockets.every(socket => !socket.destroyed));
});

test('a connection beyond the limit replaces the quietest one, and every other is served', async t => {
  const { open } = await listen(t, { maxConnections: 20, maxShare: 1 });
  const opened: Socket[] = [];
  for (let i = 0; i < 30; i++) opened.push(await open());
  await Promise.all(opened.slice(0, 10).map(socket => untilClosed(socket.resume())));
  for (const socket of opened.slice(10)) {
    socket.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200 /);
  }
});

test('an address that opens more connections than its share replaces its own, and none of another address', async t => {
  const { open } = await listen(t, { maxConnections: 20 });
  const other = await open('127.0.0.2');
  const opened: Socket[] = [];
  for (let i = 0; i < 15; i++) opened.push(await open());
  await Promise.all(opened.slice(0, 10).map(socket => untilClosed(socket.resume())));
  other.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(String((await once(other, 'data'))[0]), /^HTTP\/1.1 200 /);
});

test('requests sent without waiting for responses get them in their order', async t => {
  const { open } = await listen(t);
  const socket = await open();
  const responses = said(socket);
  const paths = Array.from({ length: 90 }, (_, i) => (i % 3 === 0 ? '/nothing' : '/small'));
  const last = 'GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  socket.write(paths.map(path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('') + last);
  const statuses = [...(await responses).matchAll(/HTTP\/1\.1 (\d+) /g)].map(match => match[1]);
  assert.deepEqual(statuses, [...paths.map(path => (path === '/small' ? '200' : '404')), '200']);
});

test('bytes that are no HTTP are a 400, whatever they are', async t => {
  const { open, assertServes } = await listen(t);
  for (const bytes of [
    '\u0000\u0001\u0002',
    '\r\n\r\n\r\nhello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
  ]) {
    const socket = await open();
    const response = said(socket);
    socket.end(bytes, 'latin1');
    assert.match(await response, /^(HTTP\/1.1 (400|505) |$)/);
  }
  await assertServes();
});
