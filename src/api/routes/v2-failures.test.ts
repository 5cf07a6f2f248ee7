import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type ApiResponse, json, serveProxy as serve } from '../../../test/support/node-proxy.ts';
import { respondJson, type StubNode, startStubNode } from '../../../test/support/stub-node.ts';
import { until } from '../../../test/support/until.ts';

/** No text names the node. */
function assertSilentAbout(node: StubNode, { headers, body }: ApiResponse): void {
  const text = JSON.stringify(headers) + body.toString();
  for (const secret of ['127.0.0.1', String(node.port), 'ECONN', 'localhost']) assert.ok(!text.includes(secret), text);
}

test('a node that is down is a 502 without its address, logged once, and once more when it is back', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask, told } = await serve(t, node.url);
  await node.stop();
  for (let i = 0; i < 5; i++) {
    const response = await ask('/v2/info');
    assert.equal(response.status, 502);
    const { code, error } = json(response);
    assert.deepEqual([code, error], ['NODE_UNREACHABLE', 'core node unresponsive']);
    assertSilentAbout(node, response);
  }
  assert.equal(told.length, 1);
  assert.equal((await ask('/extended/here')).status, 200);
});

test('a node without an address is a 502 that does not name it', async t => {
  const { ask } = await serve(t, 'http://node.invalid:20443');
  const response = await ask('/v2/info');
  assert.equal(response.status, 502);
  assert.ok(!response.body.includes('invalid'));
});

test('a silent node is a 504 in its time, also where the request waits for a connection', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask } = await serve(t, node.url, { timeoutMs: 200 }, { maxNodeRequests: 2 });
  const responses = await Promise.all(Array.from({ length: 8 }, () => ask('/v2/info')));
  for (const response of responses) {
    assert.deepEqual([response.status, json(response).code], [504, 'NODE_TIMEOUT']);
    assertSilentAbout(node, response);
  }
  await until(() => node.waiting() === 0, 'requests that nobody waits for go on');
});

test('read-only calls and fee estimates have more time', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask } = await serve(t, node.url, { timeoutMs: 600_000, slowTimeoutMs: 100 });
  for (const path of ['/v2/contracts/call-read/SP1/c/f', '/v2/fees/transaction'])
    assert.equal((await ask(path, { method: 'POST', body: '{}' })).status, 504);
});

test('a node that hangs up is asked once more where that is harmless', async t => {
  let hangUps = 1;
  const node = await startStubNode(t, (_request, response) => {
    if (hangUps-- > 0) response.socket?.destroy();
    else respondJson(response, { ok: true });
  });
  const { ask } = await serve(t, node.url);
  assert.equal((await ask('/v2/info')).status, 200);
  assert.equal(node.seen.length, 2);
  hangUps = 1;
  const post = await ask('/v2/transactions', { method: 'POST', body: 'tx' });
  assert.equal(post.status, 502, 'a broadcast is not repeated');
  assertSilentAbout(node, post);
});

test('a body that the node cuts off is not made to look whole', async t => {
  const node = await startStubNode(t, ({ url }, response) => {
    const length = url.endsWith('chunked') ? {} : { 'content-length': '1000' };
    response.writeHead(200, length);
    response.write('x'.repeat(500), () => response.socket?.destroy());
  });
  const { ask } = await serve(t, node.url);
  for (const path of ['/v2/blocks/1', '/v2/blocks/chunked']) await assert.rejects(ask(path), path);
  assert.equal((await ask('/extended/here')).status, 200);
});

test('a body that fails before its first byte, and a status that does not exist, are a 502', async t => {
  const node = await startStubNode(t, ({ url }, response) => {
    const { socket } = response;
    const head = (status: string, length: string) => `HTTP/1.1 ${status}\r\nX-Node: 1\r\n${length}\r\n\r\n`;
    if (url === '/v2/cut') socket?.end(head('200 OK', 'Content-Length: 100'));
    else if (url === '/v2/chunked') socket?.end(head('200 OK', 'Transfer-Encoding: chunked'));
    else if (url === '/v2/chunk') socket?.end(`${head('200 OK', 'Transfer-Encoding: chunked')}ZZ\r\n`);
    else if (url === '/v2/empty') socket?.end(head('200 OK', 'Content-Length: 0'));
    else if (url === '/v2/same') socket?.write(head('304 Not Modified', 'Content-Length: 20'));
    else socket?.write(`${head('600 Odd', 'Content-Length: 1000000')}${'x'.repeat(1000)}`);
  });
  const { ask } = await serve(t, node.url, { timeoutMs: 5000 }, { maxNodeRequests: 2 });
  for (const path of ['/v2/cut', '/v2/chunked', '/v2/chunk', '/v2/odd', '/v2/odd', '/v2/odd']) {
    const response = await ask(path);
    assert.equal(response.status, 502, path);
    assert.equal(json(response).code, 'NODE_UNREACHABLE', path);
    assertSilentAbout(node, response);
  }
  assert.deepEqual((await ask('/v2/empty')).body, Buffer.alloc(0));
  const same = await ask('/v2/same');
  assert.equal(same.status, 304, 'its length is that of what the client has');
  assert.equal(same.headers['x-node'], '1');
});

test('a client that goes away takes its request to the node with it', async t => {
  const node = await startStubNode(t, () => undefined);
  const { port, told } = await serve(t, node.url);
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /v2/info HTTP/1.1\r\nHost: x\r\n\r\n'));
  await until(() => node.seen.length === 1, 'the request does not arrive');
  socket.destroy();
  await until(() => node.waiting() === 0, 'the node works for nobody');
  assert.deepEqual(told, [], 'that is no failure of the node');
});

test('hundreds of requests at once all get their response, and no more than the node is given connections', async t => {
  let most = 0;
  const node: StubNode = await startStubNode(t, ({ url }, response) => {
    most = Math.max(most, node.connections());
    setImmediate(() => respondJson(response, { url }));
  });
  const { ask } = await serve(t, node.url, {}, { maxNodeRequests: 50 });
  const responses = await Promise.all(Array.from({ length: 300 }, (_, i) => ask(`/v2/accounts/${i}`)));
  for (const [i, response] of responses.entries())
    assert.deepEqual([response.status, json(response).url], [200, `/v2/accounts/${i}`]);
  assert.ok(most <= 50, `${most} connections`);
});

test('requests that wait for a silent node keep nobody from the index, and are bounded', async t => {
  const node = await startStubNode(t, ({ method }, response) => {
    if (method === 'DELETE') respondJson(response, {});
  });
  const { ask, port } = await serve(
    t,
    node.url,
    {},
    { maxNodeRequests: 20, maxWaitingForNode: 0, maxConcurrentRequests: 5 },
  );
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /v2/info HTTP/1.1\r\nHost: x\r\n\r\n'));
    return socket;
  });
  await until(() => node.seen.length === 20, 'not all reach the node');
  assert.equal((await ask('/extended/here')).status, 200);
  const shed = await ask('/v2/info');
  assert.deepEqual([shed.status, json(shed).code], [503, 'OVERLOADED']);
  assert.ok(Number(shed.headers['retry-after']) > 0);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await ask('/v2/info', { method: 'DELETE' })).status !== 503, 'places are not given back');
});

test('bodies of all requests take no more memory together than is allowed', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask } = await serve(t, node.url, {}, { maxReceivedBytes: 1000 });
  const chunked = (size: number) =>
    ask('/v2/transactions', { method: 'POST', body: Readable.from([Buffer.alloc(size)]) });
  const first = chunked(900);
  first.catch(() => undefined);
  await until(() => node.seen.length === 1, 'the first body does not arrive');
  assert.equal((await chunked(200)).status, 503);
  await node.stop();
  assert.equal((await first).status, 502);
  assert.equal((await chunked(900)).status, 502, 'what was held is free again');
});

test('a large response is streamed at the pace of its reader', async t => {
  const piece = Buffer.alloc(64 * 1024);
  let written = 0;
  const node = await startStubNode(t, (_request, response) => {
    const write = () => {
      while (written < 200 * 1024 * 1024) {
        written += piece.length;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.writeHead(200).on('drain', write);
    write();
  });
  const { port } = await serve(t, node.url);
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /v3/tenures/1 HTTP/1.1\r\nHost: x\r\n\r\n'));
  socket.pause();
  let before = -1;
  await until(() => {
    const isStill = written > 0 && written === before;
    before = written;
    return isStill;
  }, 'the node writes on and on');
  assert.ok(written < 100 * 1024 * 1024, `${written} bytes were taken from the node for a client that reads nothing`);
  socket.destroy();
});
