import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';
import { type Api, createServer, type ServerLimits } from './server.ts';

interface Outcome {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

async function listen(t: TestContext, limits: Partial<ServerLimits>, addRoutes: (api: Api) => void) {
  const api = createServer({
    version: '0',
    tip: { current: () => undefined },
    limits: { maxShare: 1, maxWait: PATIENCE_MS, ...limits },
  });
  addRoutes(api);
  await api.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => api.close());
  const { port } = api.server.address() as AddressInfo;
  const ask = (path: string, localAddress = '127.0.0.1'): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false, localAddress }, response => {
        let body = '';
        response.setEncoding('utf8').on('data', chunk => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body }),
        );
      }).on('error', reject);
    });
  return { api, ask };
}

/** Keeps the thread busy, as a query on SQLite does. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('requests beyond what may be in progress get 503 with Retry-After, the others as always', async t => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { api, ask } = await listen(t, { maxConcurrentRequests: 10 }, server => {
    server.get('/slow', async () => {
      await released;
      return '{}';
    });
  });
  const responseOf = async () => {
    const response = await ask('/slow');
    if (response.status === 503) release();
    return response;
  };
  const responses = await Promise.all(Array.from({ length: 60 }, responseOf));
  const shed = responses.filter(({ status }) => status === 503);
  assert.equal(responses.filter(({ status }) => status === 200).length, 60 - shed.length);
  assert.ok(shed.length >= 1);
  assert.equal(api.requestsShed(), shed.length);
  for (const { retryAfter, body } of shed) {
    assert.ok(Number(retryAfter) >= 1);
    assert.equal(JSON.parse(body).code, 'OVERLOADED');
  }
  assert.equal((await ask('/slow')).status, 200, 'capacity comes back');
});

test('one address has at most its share of the requests in progress; it gets 429 beyond it, and others are served', async t => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { ask } = await listen(t, { maxConcurrentRequests: 10, maxShare: 0.5 }, server => {
    server.get('/slow', async () => {
      await released;
      return '{}';
    });
  });
  const greedy = Promise.all(
    Array.from({ length: 6 }, async () => {
      const response = await ask('/slow', '127.0.0.2');
      if (response.status === 429) release();
      return response;
    }),
  );
  const other = ask('/slow', '127.0.0.3');
  const refused = (await greedy).filter(({ status }) => status !== 200);
  assert.equal((await other).status, 200);
  assert.ok(refused.length >= 1);
  for (const { status, retryAfter, body } of refused) {
    assert.equal(status, 429);
    assert.ok(Number(retryAfter) >= 1);
    assert.equal(JSON.parse(body).code, 'TOO_MANY_AT_ONCE');
  }
});

test('of requests that arrive together, those that would start too late are refused, and every request gets a response', async t => {
  const { api, ask } = await listen(t, { maxWait: 50 }, server => {
    server.get('/busy', async () => {
      work(10);
      return '{}';
    });
  });
  const { port } = api.server.address() as AddressInfo;
  const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(port)));
  // The server accepts one connection a tick; only requests on open connections arrive together.
  await until(async () => (await connectionsOf(api)) === sockets.length, 'not all are connected');
  const statuses = await Promise.all(sockets.map(statusOf));
  assert.ok(statuses.includes('200') && statuses.includes('503'), String(new Set(statuses)));
  assert.ok(statuses.every(status => status === '200' || status === '503'));
  assert.equal(api.requestsShed(), statuses.filter(status => status === '503').length);
  assert.equal((await ask('/busy')).status, 200);
});

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const connectionsOf = (api: Api): Promise<number> =>
  new Promise((resolve, reject) =>
    api.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

async function statusOf(socket: Socket): Promise<string | undefined> {
  socket.write('GET /busy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [first] = await once(socket, 'data');
  socket.destroy();
  return String(first).split(' ')[1];
}

/** Sends this number of requests at once on one connection, without reading. */
async function flood(port: number, path: string, count: number): Promise<Socket> {
  const socket = await connected(port);
  socket.on('error', () => {});
  socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count));
  return socket;
}

test('of the requests of one connection one is worked on at a time, and probes are answered between them', async t => {
  let begun = 0;
  const { api, ask } = await listen(t, {}, server => {
    server.get('/busy', async () => {
      begun++;
      work(5);
      return '{}';
    });
    server.get('/probe', { config: { neverShed: true } }, async () => JSON.stringify(begun));
  });
  const { port } = api.server.address() as AddressInfo;
  const socket = await flood(port, '/busy', 30);
  t.after(() => socket.destroy());
  await until(async () => begun > 0, 'no request has begun');
  const before = begun;
  const { body } = await ask('/probe');
  // Its connection is accepted in one tick and read in the next ones; each may have one request of the flood.
  assert.ok(Number(body) - before <= 6, `${Number(body) - before} requests went first`);
  await until(async () => begun === 30, 'not all requests were worked on');
});

/** Connections that the system keeps for a server that accepts none meanwhile: about five hundred. */
const MANY = 400;

test('nothing is done for a client that has hung up, and its requests take no capacity', async t => {
  let begun = 0;
  const { api, ask } = await listen(t, { maxPipelinedRequests: MANY, maxConcurrentRequests: MANY }, server => {
    server.get('/busy', async () => {
      begun++;
      work(2);
      return '{}';
    });
    server.get('/fine', async () => '{}');
  });
  const { port } = api.server.address() as AddressInfo;
  const socket = await flood(port, '/busy', MANY);
  await until(async () => begun > 0, 'no request has begun');
  socket.destroy();
  await until(async () => (await connectionsOf(api)) === 0, 'the connection is still there');
  const atEnd = begun;
  assert.ok(atEnd < MANY, 'all were worked on before the client could hang up');
  await Promise.all(Array.from({ length: 50 }, () => ask('/fine')));
  assert.ok(begun - atEnd <= 1, `${begun - atEnd} requests began without a client`);
  const statuses = await Promise.all(Array.from({ length: MANY - 1 }, () => ask('/fine').then(({ status }) => status)));
  assert.ok(!statuses.includes(503), 'capacity has not come back');
});

test('a connection that sends too many requests at once ends with a 503', async t => {
  let begun = 0;
  const { api } = await listen(t, { maxPipelinedRequests: 10 }, server => {
    server.get('/busy', async () => {
      begun++;
      return '{}';
    });
  });
  const { port } = api.server.address() as AddressInfo;
  const socket = await flood(port, '/busy', 20);
  let text = '';
  for await (const chunk of socket) text += chunk;
  const statuses = [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, [...Array.from({ length: 11 }, () => '200'), '503']);
  assert.equal(begun, 11);
});

test('a connection that goes on sending after that is closed at once', async t => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  const { api } = await listen(t, { maxPipelinedRequests: 10 }, server => {
    server.get('/waiting', async () => {
      begun++;
      await released;
      return '{}';
    });
  });
  const { port } = api.server.address() as AddressInfo;
  const socket = await flood(port, '/waiting', 1000);
  socket.resume().on('error', () => {}); // it is reset where the server has not read everything
  await once(socket, 'close');
  assert.equal(begun, 1);
  release();
});

test('a probe gets its response under any load', async t => {
  const { ask } = await listen(t, { maxConcurrentRequests: 0 }, server => {
    server.get('/probe', { config: { neverShed: true } }, async () => '{}');
    server.get('/other', async () => '{}');
  });
  assert.equal((await ask('/probe')).status, 200);
  assert.equal((await ask('/other')).status, 503);
});

test('a client that hangs up does not take capacity for ever', async t => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { api, ask } = await listen(t, { maxConcurrentRequests: 1 }, server => {
    server.get('/never', () => {
      begin();
      return new Promise(() => {});
    });
    server.get('/fine', async () => '{}');
  });
  const request = get({ port: (api.server.address() as AddressInfo).port, path: '/never', agent: false });
  request.on('error', () => {});
  await begun;
  assert.equal((await ask('/fine')).status, 503);
  request.destroy();
  await until(async () => (await ask('/fine')).status === 200, 'capacity never comes back');
});

test('a response above the largest size is a 400 that says so', async t => {
  const { ask } = await listen(t, { maxResponseSize: 100 }, server => {
    server.get('/small', async () => JSON.stringify('a'.repeat(98)));
    server.get('/large', async () => JSON.stringify('é'.repeat(50)));
  });
  assert.equal((await ask('/small')).status, 200);
  const { status, body } = await ask('/large');
  assert.equal(status, 400);
  assert.equal(JSON.parse(body).code, 'RESPONSE_TOO_LARGE');
  assert.match(JSON.parse(body).message, /102 bytes; at most 100/);
});
