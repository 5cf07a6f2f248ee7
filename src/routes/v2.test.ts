import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from '../../test/support/fast-check.ts';
import { type Answer, json, serveProxy as serve } from '../../test/support/node-proxy.ts';
import { respondJson, type StubHandler, type StubNode, startStubNode } from '../../test/support/stub-node.ts';
import { until } from '../../test/support/until.ts';

const echo: StubHandler = ({ body }, response) =>
  void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body);

/** No text names the node. */
function assertSilentAbout(node: StubNode, { headers, body }: Answer): void {
  const text = JSON.stringify(headers) + body.toString();
  for (const secret of ['127.0.0.1', String(node.port), 'ECONN', 'localhost']) assert.ok(!text.includes(secret), text);
}

test('bodies of every type reach the node and come back byte for byte', async t => {
  const node = await startStubNode(t, echo);
  const { ask } = await serve(t, node.url);
  const types = ['application/octet-stream', 'application/json', 'text/plain', 'application/xml', undefined];
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 5000 }),
    fc.json(),
    fc.constant('{ "a":1 ,"b":1.50}'),
    fc.constant('"0x0c"'),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...types), fc.boolean(), async (given, type, chunked) => {
      const bytes = Buffer.from(given as Uint8Array);
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      if (!chunked) headers['content-length'] = String(bytes.length);
      const body = chunked ? Readable.from([bytes]) : bytes;
      const answer = await ask('/v2/map_entry/SP1/c/m?proof=0', { method: 'POST', headers, body });
      assert.deepEqual(answer.body, bytes);
      const seen = node.seen.at(-1);
      assert.deepEqual([seen?.body, seen?.url], [bytes, '/v2/map_entry/SP1/c/m?proof=0']);
      if (bytes.length > 0) assert.equal(seen?.headers['content-type'], type);
      assert.equal(seen?.headers['content-length'], String(bytes.length), 'nodes want to know the length');
    }),
    { numRuns: 40 },
  );
});

test('a broadcast of 2 MB of JSON is accepted, and one limit holds for all types', async t => {
  const node = await startStubNode(t, echo);
  const { ask } = await serve(t, node.url, { maxRequestBytes: 3_000_000 });
  const tx = JSON.stringify({ tx: randomBytes(1_000_000).toString('hex') });
  const sent = await ask('/v2/transactions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: tx,
  });
  assert.equal(sent.status, 200);
  assert.equal(sent.body.toString(), tx);
  const large = Buffer.alloc(3_000_001);
  for (const type of ['application/octet-stream', 'application/json'])
    for (const body of [large, Readable.from([large])]) {
      const headers = {
        'content-type': type,
        ...(Buffer.isBuffer(body) && { 'content-length': String(large.length) }),
      };
      const refused = await ask('/v2/transactions', { method: 'POST', headers, body }).catch(() => undefined);
      // The connection ends while the client is still sending: it may not get to read the response.
      if (refused) assert.deepEqual([refused.status, json(refused).code], [413, 'FST_ERR_CTP_BODY_TOO_LARGE']);
    }
  assert.equal(node.seen.length, 1);
});

test('the path and the query reach the node as they were sent', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const { ask } = await serve(t, `${node.url}/base/`);
  const paths = [
    '/v2/pox?tip=latest&x=%20+',
    '/v2/contracts/call-read/SP1/c/is-in%3F',
    '/v3/sortitions/',
    '/v3/blocks/height/1?a=b?c',
  ];
  for (const path of paths) assert.equal((await ask(path)).status, 200);
  assert.deepEqual(
    node.seen.map(({ url }) => url),
    paths.map(path => `/base${path}`),
  );
});

test('errors of the node come back unchanged, with their headers', async t => {
  const node = await startStubNode(t, ({ url }, response) => {
    if (url === '/v2/transactions')
      response
        .writeHead(400, {
          'content-type': 'application/json',
          'x-canonical-stacks-tip-height': '77',
          'x-request-id': 'r',
        })
        .end('{"error":"transaction rejected","reason":"NotEnoughFunds"}');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('No such contract');
  });
  const { ask } = await serve(t, node.url);
  const rejected = await ask('/v2/transactions', { method: 'POST', body: 'x' });
  assert.equal(rejected.status, 400);
  assert.equal(rejected.body.toString(), '{"error":"transaction rejected","reason":"NotEnoughFunds"}');
  assert.equal(rejected.headers['content-type'], 'application/json');
  assert.equal(rejected.headers['x-canonical-stacks-tip-height'], '77');
  const unknown = await ask('/v2/data_var/SP1/c/v');
  assert.deepEqual(
    [unknown.status, unknown.headers['content-type'], unknown.body.toString()],
    [404, 'text/plain', 'No such contract'],
  );
  for (const { headers } of [rejected, unknown]) {
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['x-api-version'], 'v1.2.3');
    assert.equal(headers['cache-control'], 'no-store');
  }
});

test('a Cache-Control of the node wins, and its CORS headers do not', async t => {
  const node = await startStubNode(t, (_request, response) =>
    response
      .writeHead(200, { 'cache-control': 'max-age=9', 'access-control-allow-origin': 'https://a.example' })
      .end('1'),
  );
  const { headers } = await (await serve(t, node.url)).ask('/v2/fees/transfer');
  assert.deepEqual([headers['cache-control'], headers['access-control-allow-origin']], ['max-age=9', '*']);
  assert.equal(headers['content-type'], undefined, 'no type is made up');
});

test('headers about one connection stay on it, in both directions', async t => {
  const node = await startStubNode(t, (_request, response) =>
    response
      .writeHead(200, {
        connection: 'x-secret, close',
        'x-secret': '1',
        trailer: 'x',
        'keep-alive': 'timeout=1',
        'x-kept': '1',
      })
      .end('{}'),
  );
  const { ask } = await serve(t, node.url);
  const headers = {
    connection: 'close, x-hop, content-length',
    'x-hop': '1',
    te: 'trailers',
    'proxy-authorization': 'p',
    'x-forwarded-for': '9.9.9.9',
    origin: 'https://a',
  };
  const answer = await ask('/v2/info', { method: 'POST', headers: { ...headers, 'content-length': '2' }, body: '{}' });
  assert.deepEqual(
    [answer.headers['x-secret'], answer.headers.trailer, answer.headers['x-kept']],
    [undefined, undefined, '1'],
  );
  const [seen] = node.seen;
  assert.ok(seen);
  for (const name of ['x-hop', 'te', 'proxy-authorization']) assert.equal(seen.headers[name], undefined, name);
  assert.deepEqual([seen.headers['x-forwarded-for'], seen.headers.origin], ['9.9.9.9', 'https://a']);
  assert.equal(seen.headers.host, `127.0.0.1:${node.port}`);
  assert.equal(seen.body.toString(), '{}');
});

test('Authorization does not reach the node unless the operator says so', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const what = { headers: { authorization: 'secret' } };
  await (await serve(t, node.url)).ask('/v3/blocks/replay/1', what);
  await (await serve(t, node.url, { passAuthorization: true })).ask('/v3/blocks/replay/1', what);
  assert.deepEqual(
    node.seen.map(({ headers }) => headers.authorization),
    [undefined, 'secret'],
  );
});

test('HEAD has the head of the node and no body; a preflight offers POST and does not reach the node', async t => {
  const node = await startStubNode(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '5' }).end('12345'),
  );
  const { ask } = await serve(t, node.url);
  const head = await ask('/v2/info', { method: 'HEAD' });
  assert.deepEqual(
    [head.status, head.body.length, head.headers['content-length'], head.headers['content-type']],
    [200, 0, '5', 'text/plain'],
  );
  const preflight = await ask('/v2/transactions', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://a',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-headers']], [204, 'content-type']);
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /POST/);
  assert.equal(node.seen.length, 1);
});

test('paths that are for peers and miners are refused, however they are spelled', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const { ask, port } = await serve(t, node.url);
  const denied = [
    'POST /v2/blocks/upload',
    'POST /v3/blocks/upload/',
    'POST /v3/blocks/upload?x=1',
    'POST /v3/block_proposal',
    'POST /v3/block%5Fproposal',
    'POST /v3/BLOCK_PROPOSAL',
    'POST /v3/./block_proposal',
    'POST /v2/../v3/block_proposal',
    'POST /v2/%2e%2e/v3/block_proposal',
    'POST /v2//../v3//block_proposal',
    'POST /v3/x%2F..%2Fblock_proposal',
    'POST /v3/block%255Fproposal',
    'POST /v3/%252e%252e/v2/x',
    'POST /v2/mempool/query?page=1',
    'POST /v2/microblocks',
    'POST /v2/stackerdb/SP1/signers-0-1/chunks',
    'GET /v2/../metrics',
    'POST http://other.example/v3/block_proposal',
  ];
  for (const line of denied) {
    const [method = '', path = ''] = line.split(' ');
    const answer = await ask(path, { method });
    assert.ok(answer.status === 403 || answer.status === 404, `${line}: ${answer.status}`);
    if (answer.status === 403) assert.equal(json(answer).code, 'NODE_PATH_DENIED');
  }
  assert.deepEqual(node.seen, []);
  for (const path of [
    '/v3/health',
    '/v3/sortitions/latest_and_last',
    '/v2/stackerdb/SP1/signers-0-1/0',
    '/v2/microblocks/confirmed/00',
  ])
    assert.equal((await ask(path)).status, 200, path);
  const { status } = await ask(`http://127.0.0.1:${port}/v2/info`);
  const urls = node.seen.map(({ url }) => url);
  assert.deepEqual([status, urls.at(-1)], [200, '/v2/info'], 'a request may name its whole URL');
});

test('a node that is down is a 502 without its address, logged once, and once more when it is back', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask, told } = await serve(t, node.url);
  await node.stop();
  for (let i = 0; i < 5; i++) {
    const answer = await ask('/v2/info');
    assert.equal(answer.status, 502);
    const { code, error } = json(answer);
    assert.deepEqual([code, error], ['NODE_UNREACHABLE', 'core node unresponsive']);
    assertSilentAbout(node, answer);
  }
  assert.equal(told.length, 1);
  assert.equal((await ask('/extended/here')).status, 200);
});

test('a node without an address is a 502 that does not name it', async t => {
  const { ask } = await serve(t, 'http://node.invalid:20443');
  const answer = await ask('/v2/info');
  assert.equal(answer.status, 502);
  assert.ok(!answer.body.includes('invalid'));
});

test('a silent node is a 504 in its time, also where the request waits for a connection', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask } = await serve(t, node.url, { timeoutMs: 200, maxConnections: 2 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('/v2/info')));
  for (const answer of answers) {
    assert.deepEqual([answer.status, json(answer).code], [504, 'NODE_TIMEOUT']);
    assertSilentAbout(node, answer);
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
  const { ask } = await serve(t, node.url, { maxConnections: 2, timeoutMs: 5000 });
  for (const path of ['/v2/cut', '/v2/chunked', '/v2/chunk', '/v2/odd', '/v2/odd', '/v2/odd']) {
    const answer = await ask(path);
    assert.equal(answer.status, 502, path);
    assert.equal(json(answer).code, 'NODE_UNREACHABLE', path);
    assertSilentAbout(node, answer);
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

test('a thousand requests at once all get their response, and no more than the node is given connections', async t => {
  let most = 0;
  const node: StubNode = await startStubNode(t, ({ url }, response) => {
    most = Math.max(most, node.connections());
    setImmediate(() => respondJson(response, { url }));
  });
  const { ask } = await serve(t, node.url, { maxConnections: 50 });
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => ask(`/v2/accounts/${i}`)));
  for (const [i, answer] of answers.entries())
    assert.deepEqual([answer.status, json(answer).url], [200, `/v2/accounts/${i}`]);
  assert.ok(most <= 50, `${most} connections`);
});

test('requests that wait for a silent node keep nobody from the index, and are bounded', async t => {
  const node = await startStubNode(t, ({ method }, response) => {
    if (method === 'DELETE') respondJson(response, {});
  });
  const { ask, port } = await serve(t, node.url, { maxWaiting: 20 }, { maxConcurrentRequests: 5 });
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

test('bodies without a length take no more memory together than is allowed', async t => {
  const node = await startStubNode(t, () => undefined);
  const { ask } = await serve(t, node.url, { maxHeldBytes: 1000 });
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

test('without a node every request says which setting is missing', async t => {
  const { ask, told } = await serve(t, undefined);
  for (const [method, path] of [
    ['GET', '/v2/info'],
    ['POST', '/v2/transactions'],
    ['GET', '/v3/health'],
  ] as const) {
    const answer = await ask(path, { method });
    assert.deepEqual([answer.status, json(answer).code], [503, 'NODE_NOT_CONFIGURED']);
    assert.match(String(json(answer).hint), /--node-rpc.*STACKS_CORE_RPC_HOST/);
    assert.match(answer.headers['content-type'] ?? '', /json/);
  }
  assert.deepEqual(told, []);
});
