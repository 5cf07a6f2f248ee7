/** What one client holds of the node keeps it from no other. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { serveProxy } from '../../../test/support/node-proxy.ts';
import { respondJson, startStubNode } from '../../../test/support/stub-node.ts';
import { until } from '../../../test/support/until.ts';

const GREEDY = '127.0.0.2';
const SHARES = { maxShare: 1 / 4 };

/** Opens connections that send some bytes and read nothing. To be called before the server is started, as it waits for them at its end. */
function opener(t: TestContext) {
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return async (port: number, text: string, from = GREEDY): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.on('error', () => undefined).pause();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
}

const post = (length: number) => `POST /v2/transactions HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('140 half-sent bodies take no connection to the node', async t => {
  const open = opener(t);
  const node = await startStubNode(t, ({ url }, response) => respondJson(response, { url }));
  const { api, ask, port } = await serveProxy(t, node.url, {}, SHARES);
  await Promise.all(Array.from({ length: 140 }, () => open(port, `${post(900_000)}abc`)));
  const { ledger } = api.clients;
  await until(() => ledger.held('received_bytes') === 3 * 140, 'not all have come');
  assert.deepEqual([ledger.held('node_requests'), ledger.held('requests'), node.connections()], [0, 0, 0]);
  assert.equal((await ask('/v2/info')).status, 200);
  assert.equal((await ask('/v2/transactions', { method: 'POST', body: 'tx' })).status, 200);
  assert.equal(ledger.held('waiting_for_node'), 0);
});

test('seven unfinished bodies of one address leave room for broadcasts of others', async t => {
  const open = opener(t);
  const node = await startStubNode(t, ({ body }, response) => respondJson(response, { size: body.length }));
  const { api, ask, port } = await serveProxy(t, node.url, {}, SHARES);
  const { ledger } = api.clients;
  const uploads = await Promise.all(Array.from({ length: 7 }, () => open(port, post(9_500_000))));
  for (const upload of uploads) upload.write(Buffer.alloc(9_400_000));
  await until(
    () => uploads.filter(upload => upload.destroyed || upload.resume().readableEnded).length > 0,
    'all are kept',
  );
  assert.ok(ledger.held('received_bytes') <= 16 * 1024 * 1024);
  const sent = await ask('/v2/transactions', { method: 'POST', body: Buffer.alloc(2_000_000) });
  assert.equal(sent.status, 200);
});

test('slow readers of large responses hold their share of the connections, and make room when all are held', async t => {
  const open = opener(t);
  const piece = Buffer.alloc(256 * 1024);
  const node = await startStubNode(t, ({ url }, response) => {
    if (url !== '/v3/large') return respondJson(response, {});
    let written = 0;
    const write = () => {
      while (written < 30_000_000) {
        written += piece.length;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.writeHead(200).on('drain', write);
    write();
  });
  const { api, ask, port } = await serveProxy(t, node.url, {}, { ...SHARES, maxNodeRequests: 12 });
  const { ledger } = api.clients;
  await Promise.all(Array.from({ length: 9 }, () => open(port, get('/v3/large'))));
  await until(() => ledger.heldBy('waiting_for_node', GREEDY) === 6, 'the share is not held');
  assert.equal(ledger.heldBy('node_requests', GREEDY), 3);
  assert.equal((await ask('/v2/info')).status, 200, 'another client does not wait');
  const others = ['127.0.0.3', '127.0.0.4', '127.0.0.5'];
  await Promise.all(others.flatMap(from => [1, 2, 3].map(() => open(port, get('/v3/large'), from))));
  await until(() => ledger.held('unread_from_node') === 9, 'fewer wait for their readers');
  assert.equal((await ask('/v2/info')).status, 200, 'a slow reader makes room');
  await until(() => ledger.held('unsent_bytes') >= 9 * 128 * 1024, 'what is buffered for them does not count');
});

test('a large response gives way to the work of others between its pieces, a small one is passed at once', async t => {
  const node = await startStubNode(t, ({ url }, response) =>
    response.end(Buffer.alloc(url === '/v3/large' ? 1e6 : 100)),
  );
  const { api, ask } = await serveProxy(t, node.url);
  const work = Promise.withResolvers<void>();
  const pause = t.mock.method(api.clients.turns, 'pause', () => work.promise);
  const large = ask('/v3/large');
  await until(() => pause.mock.callCount() > 0, 'it takes no turns');
  assert.equal((await ask('/v3/small')).body.length, 100);
  assert.equal(pause.mock.callCount(), 1, 'it goes on while others work');
  work.resolve();
  assert.equal((await large).body.length, 1e6);
});

test('a request that waits for others of its client keeps no client with the same request waiting', async t => {
  const open = opener(t);
  const tip = {
    height: 7,
    indexBlockHash: '0x7',
    blockHash: '0x7',
    burnBlockHeight: 1,
    microblockHash: null,
    microblockSequence: null,
  };
  const node = await startStubNode(t, ({ url }, response) => {
    if (url === '/v2/info') respondJson(response, {});
  });
  const limits = { ...SHARES, maxNodeRequests: 4 };
  const { api, ask, port } = await serveProxy(t, node.url, {}, limits, { tip: { current: () => tip } });
  await open(port, get('/v2/silent'));
  await until(() => node.seen.length === 1, 'the share is not held');
  await open(port, get('/v2/info'));
  await until(() => api.clients.ledger.held('waiting_for_node') === 1, 'it does not wait');
  assert.equal((await ask('/v2/info')).status, 200);
});

test('a client that leaves the queue takes its request along', async t => {
  const open = opener(t);
  const node = await startStubNode(t, () => undefined);
  const { api, port } = await serveProxy(t, node.url, {}, { maxNodeRequests: 1 });
  const { ledger } = api.clients;
  const [first, second] = [await open(port, get('/v2/a')), await open(port, get('/v2/b'))];
  await until(() => ledger.held('waiting_for_node') === 1, 'it does not wait');
  second.destroy();
  await until(() => ledger.held('waiting_for_node') === 0, 'it waits on');
  first.destroy();
  await until(() => ledger.held('node_requests') === 0, 'the place is not given back');
  assert.ok(node.seen.length === 1);
});
