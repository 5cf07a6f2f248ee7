import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { limitPipelining } from './pipelining.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

async function listen(t: TestContext, most: number, mostInTurn?: number) {
  let handled = 0;
  /** Requests of each turn. */
  const turns: number[] = [];
  let inTurn = 0;
  const server = createServer((_request, response) => {
    handled++;
    if (inTurn++ === 0)
      setImmediate(() => {
        turns.push(inTurn);
        inTurn = 0;
      });
    response.end('{}');
  });
  limitPipelining(server, most, mostInTurn);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    return socket;
  };
  return { server, open, handled: () => handled, turns };
}

test('a connection that sends more requests in a turn than it may is ended, and nothing is made of what follows', async t => {
  const { server, open, handled } = await listen(t, 20);
  let parsed = 0;
  server.on('request', () => parsed++);
  const socket = await open();
  socket.write(request('/').repeat(2_000));
  await once(socket, 'close');
  assert.equal(handled(), 20);
  assert.ok(parsed <= 21, `${parsed} requests were parsed`);
});

test('a turn that has many requests reads no other connection, and later turns read them all', async t => {
  const { open, handled, turns } = await listen(t, 20, 50);
  const sockets = await Promise.all(Array.from({ length: 100 }, open));
  for (const socket of sockets) socket.write(request('/').repeat(10));
  await until(async () => handled() === 1_000, 'not all requests are read');
  const longest = Math.max(...turns);
  assert.ok(longest < 50 + 10, `${longest} requests in one turn`);
});

test('as many requests as a connection may send in a turn are all handled, turn after turn', async t => {
  const { open, handled } = await listen(t, 20);
  const socket = await open();
  for (let sent = 20; sent <= 100; sent += 20) {
    socket.write(request('/').repeat(20));
    await until(async () => handled() === sent, `${handled()} of ${sent} requests are handled`);
  }
  assert.equal(socket.destroyed, false);
});

test('requests beyond those of a connection, to which Node responds, count too', async t => {
  const { server, open, handled } = await listen(t, 20);
  server.maxRequestsPerSocket = 5;
  let dropped = 0;
  server.on('dropRequest', () => dropped++);
  const socket = await open();
  socket.write(request('/').repeat(2_000));
  await once(socket, 'close');
  assert.equal(handled(), 5);
  assert.ok(dropped <= 16, `${dropped} requests got a response`);
});
