import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { json, serveProxy as serve } from '../../../test/support/node-proxy.ts';
import { respondJson, type StubHandler, startStubNode } from '../../../test/support/stub-node.ts';

const echo: StubHandler = ({ body }, response) =>
  void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body);

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
      const response = await ask('/v2/map_entry/SP1/c/m?proof=0', { method: 'POST', headers, body });
      assert.deepEqual(response.body, bytes);
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

test('a redirect of the node to itself leads to this server, and does not tell where the node is', async t => {
  let location = '';
  const node = await startStubNode(t, (_request, response) => void response.writeHead(307, { location }).end());
  const { ask } = await serve(t, `${node.url}/base/`);
  for (const [from, to] of [
    [`${node.url}/base/v2/info?x=1`, '/v2/info?x=1'],
    ['/base/v2/info', '/v2/info'],
    [`${node.url}/elsewhere`, '/elsewhere'],
    [`${node.url}0/base/v2/info`, `${node.url}0/base/v2/info`],
    ['https://example.org/base/v2', 'https://example.org/base/v2'],
    ['http://[', 'http://['],
  ] as const) {
    location = from;
    assert.equal((await ask('/v2/pox')).headers.location, to);
  }
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
    origin: 'https://a',
  };
  const response = await ask('/v2/info', {
    method: 'POST',
    headers: { ...headers, 'content-length': '2' },
    body: '{}',
  });
  assert.deepEqual(
    [response.headers['x-secret'], response.headers.trailer, response.headers['x-kept']],
    [undefined, undefined, '1'],
  );
  const [seen] = node.seen;
  assert.ok(seen);
  for (const name of ['x-hop', 'te', 'proxy-authorization']) assert.equal(seen.headers[name], undefined, name);
  assert.equal(seen.headers.origin, 'https://a');
  assert.equal(seen.headers.host, `127.0.0.1:${node.port}`);
  assert.equal(seen.body.toString(), '{}');
});

test('a client is no proxy: no header of proxies reaches the node, and no cookie', async t => {
  const node = await startStubNode(t, (_request, response) => respondJson(response, {}));
  const { ask } = await serve(t, node.url);
  const names =
    'Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Real-IP X-Original-URL X-Original-Host X-Rewrite-URL ' +
    'X-HTTP-Method-Override X-HTTP-Method X-Method-Override X_Forwarded_Host Cookie';
  const headers = Object.fromEntries(names.split(' ').map(name => [name, 'x']));
  await ask('/v2/accounts/SP1', { headers: { ...headers, 'x-kept': '1' } });
  const { host: _, connection: __, ...seen } = node.seen[0]?.headers ?? {};
  assert.deepEqual(seen, { 'x-kept': '1' });
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
    const response = await ask(path, { method });
    assert.ok(response.status === 403 || response.status === 404, `${line}: ${response.status}`);
    if (response.status === 403) assert.equal(json(response).code, 'NODE_PATH_DENIED');
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

test('without a node every request says which setting is missing', async t => {
  const { ask, told } = await serve(t, undefined);
  for (const [method, path] of [
    ['GET', '/v2/info'],
    ['POST', '/v2/transactions'],
    ['GET', '/v3/health'],
  ] as const) {
    const response = await ask(path, { method });
    assert.deepEqual([response.status, json(response).code], [503, 'NODE_NOT_CONFIGURED']);
    assert.match(String(json(response).hint), /--node-rpc.*STACKS_CORE_RPC_HOST/);
    assert.match(response.headers['content-type'] ?? '', /json/);
  }
  assert.deepEqual(told, []);
});
