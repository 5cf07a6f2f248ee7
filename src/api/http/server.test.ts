import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { PATIENT_LIMITS } from '../../../test/support/patient-limits.ts';
import { redirect } from './conventions.ts';
import { limit, text } from './params.ts';
import { createServer } from './server.ts';
import { Type } from './type.ts';

const EXPOSED =
  'X-API-Version, ETag, X-Stacks-Tip-Height, X-Stacks-Tip-Index-Block-Hash, X-Stacks-Burn-Block-Height, X-Stacks-Fork-Height, Link';

const BODY = '{"name":"größe"}';
const tip = {
  height: 1,
  indexBlockHash: '0x1b',
  blockHash: '0xb1',
  burnBlockHeight: 1,
  microblockHash: null,
  microblockSequence: null,
};
const api = createServer({ version: '1.2.3', tip: { current: () => tip }, limits: PATIENT_LIMITS });
api.get(
  '/thing/:id',
  { schema: { params: Type.Object({ id: text('Any text.') }) }, config: { cache: 'tip' } },
  async () => BODY,
);
api.get('/list', { schema: { querystring: Type.Object({ limit: limit(50, 20) }) } }, async () => BODY);
api.get('/go/:to', async (request, reply) => redirect(reply, 302, `/thing/${(request.params as { to: string }).to}`));

let port = 0;
before(async () => {
  await api.listen({ host: '127.0.0.1', port: 0 });
  port = (api.server.address() as AddressInfo).port;
});
after(() => api.close());

/** Sends bytes as they are; gives all bytes that come back until the server closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', chunk => {
      response += chunk.toString('utf8');
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}
const request = (line: string, ...headers: string[]) =>
  raw([`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'));
const statusOf = (response: string) => Number(response.split(' ')[1]);
const bodyOf = (response: string) => response.slice(response.indexOf('\r\n\r\n') + 4);
const headersOf = (response: string) =>
  new Map(
    response
      .slice(0, response.indexOf('\r\n\r\n'))
      .split('\r\n')
      .slice(1)
      .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );

test('a 200 has the base headers, its exact length in bytes, and is not chunked or compressed', async () => {
  const response = await request('GET /list', 'Accept-Encoding: gzip', 'Accept: text/html');
  const headers = headersOf(response);
  assert.equal(statusOf(response), 200);
  assert.equal(bodyOf(response), BODY);
  assert.equal(headers.get('content-length'), String(Buffer.byteLength(BODY)));
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('access-control-expose-headers'), EXPOSED);
  assert.equal(headers.get('x-api-version'), 'v1.2.3');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.has('transfer-encoding'), false);
  assert.equal(headers.has('content-encoding'), false);
});

test('a refused request has the base headers too', async () => {
  const response = await request('GET /list?limit=51');
  assert.equal(statusOf(response), 400);
  assert.equal(headersOf(response).get('x-api-version'), 'v1.2.3');
  assert.equal(headersOf(response).get('cache-control'), 'no-store');
});

test('HEAD responds like GET without the body, for every status', async () => {
  for (const [path, ...headers] of [
    ['/list'],
    ['/list?limit=x'],
    ['/nope'],
    ['/thing/%zz'],
    ['/thing/a', 'If-None-Match: "0x1b"'],
    ['/go/a'],
  ]) {
    const [get, head] = await Promise.all([request(`GET ${path}`, ...headers), request(`HEAD ${path}`, ...headers)]);
    assert.equal(bodyOf(head), '', path);
    assert.equal(statusOf(head), statusOf(get), path);
    const [a, b] = [headersOf(get), headersOf(head)];
    if (path === '/nope') a.set('content-length', String(Number(a.get('content-length')) + 1)); // `HEAD:` is a letter longer
    assert.deepEqual([...b.keys()].sort(), [...a.keys()].sort(), path);
    assert.equal(b.get('content-length'), a.get('content-length'), path);
  }
});

describe('CORS preflight', () => {
  const preflight = ['Origin: https://a.example', 'Access-Control-Request-Method: GET'];
  test('gets 204 on any path', async () => {
    for (const path of ['/list', '/nope']) {
      const response = await request(`OPTIONS ${path}`, ...preflight, 'Access-Control-Request-Headers: x-one, x-two');
      const headers = headersOf(response);
      assert.equal(statusOf(response), 204);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('access-control-allow-methods'), 'GET,HEAD,POST');
      assert.equal(headers.get('access-control-allow-headers'), 'x-one, x-two');
      assert.equal(headers.get('vary'), 'Access-Control-Request-Headers');
      assert.equal(bodyOf(response), '');
    }
  });
  test('is a 400 when it is not one', async () => {
    for (const header of [[], preflight.slice(0, 1), preflight.slice(1)]) {
      const response = await request('OPTIONS /list', ...header);
      assert.equal(statusOf(response), 400);
      assert.equal(bodyOf(response), 'Invalid Preflight Request');
      assert.match(headersOf(response).get('content-type') ?? '', /^text\/plain/);
    }
  });
});

describe('routing', () => {
  test('an unknown route has exactly this body, with the URL as received', async () => {
    const response = await request('GET /nope?a=%00&b="');
    assert.equal(statusOf(response), 404);
    assert.equal(
      bodyOf(response),
      '{"message":"Route GET:/nope?a=%00&b=\\" not found","error":"Not Found","statusCode":404}',
    );
  });
  test('other methods are unknown routes, whatever body they carry', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      const response = await request(`${method} /list`, 'Content-Type: application/json', 'Content-Length: 4'); // body never sent
      assert.equal(statusOf(response), 404, method);
      assert.equal(JSON.parse(bodyOf(response)).message, `Route ${method}:/list not found`);
    }
    const large = `POST /list HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n${'{'.repeat(9000)}`;
    assert.equal(statusOf(await raw(large)), 404);
  });
  test('a trailing slash is ignored, case and double slashes are not', async () => {
    assert.equal(statusOf(await request('GET /list/')), 200);
    for (const path of ['/LIST', '//list', '/thing//a', '/list//'])
      assert.equal(statusOf(await request(`GET ${path}`)), 404, path);
  });
  test('a malformed percent escape', async () => {
    const response = await request('GET /thing/%zz');
    assert.equal(statusOf(response), 400);
    assert.equal(
      bodyOf(response),
      `{"error":"Bad Request","code":"FST_ERR_BAD_URL","message":"'/thing/%zz' is not a valid url component","statusCode":400}`,
    );
  });
  test('a path segment has up to 1024 characters', async () => {
    assert.equal(statusOf(await request(`GET /thing/${'a'.repeat(1024)}`)), 200);
    const response = await request(`GET /thing/${'a'.repeat(1025)}`);
    assert.equal(statusOf(response), 414);
    assert.equal(JSON.parse(bodyOf(response)).code, 'FST_ERR_MAX_PARAM_LENGTH');
  });
});

describe('requests that are not requests', () => {
  test('a URL or headers over 16 KiB are a 431, and the connection is closed', async () => {
    for (const response of [
      await request(`GET /list?x=${'a'.repeat(17_000)}`),
      await request('GET /list', `X-Long: ${'a'.repeat(17_000)}`),
    ]) {
      assert.equal(statusOf(response), 431);
      assert.equal(JSON.parse(bodyOf(response)).error, 'Request Header Fields Too Large');
      assert.equal(headersOf(response).get('access-control-allow-origin'), '*');
    }
    assert.equal(statusOf(await request(`GET /list?x=${'a'.repeat(15_000)}`)), 200);
  });
  test('rubbish is a 400', async () => {
    for (const bytes of ['rubbish\r\n\r\n', 'GET /list HTTP/9\r\n\r\n', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n']) {
      const response = await raw(bytes);
      assert.equal(statusOf(response), 400);
      assert.equal(typeof JSON.parse(bodyOf(response)).error, 'string');
    }
  });
  test('two Host headers are a 400', async () => {
    const response = await raw('GET /list HTTP/1.1\r\nHost: x\r\nhOST: y\r\nConnection: close\r\n\r\n');
    assert.equal(statusOf(response), 400);
    assert.match(JSON.parse(bodyOf(response)).message, /more than one Host header/);
  });
  test('odd targets make no server error', async () => {
    for (const target of ['*', 'http://x/list', '/\xff\xfe', '/thing/\xe9', '/%', '/list?%', '?', '/list#x']) {
      for (const method of ['GET', 'OPTIONS']) {
        const status = statusOf(await request(`${method} ${target}`));
        assert.ok(status >= 200 && status < 500, `${method} ${target}: ${status}`);
      }
    }
  });
  test('a request that never ends is a 408', async () => {
    const timeout = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    api.server.once('connection', (socket: Socket) => api.server.emit('clientError', timeout, socket));
    const response = await raw('GET /list HTTP/1.1\r\n');
    assert.equal(statusOf(response), 408);
    assert.equal(JSON.parse(bodyOf(response)).error, 'Request Timeout');
  });
  test('a head may take as long as its request', () => {
    const { headersTimeout, requestTimeout } = api.server;
    assert.deepEqual([headersTimeout, requestTimeout], [PATIENT_LIMITS.requestTimeout, PATIENT_LIMITS.requestTimeout]);
  });
});

test('a redirect has no body, and no input can break its header', async () => {
  const response = await request('GET /go/a%0d%0aX-Evil:%201');
  assert.equal(statusOf(response), 302);
  assert.equal(headersOf(response).get('location'), '/thing/a%0D%0AX-Evil:%201');
  assert.equal(headersOf(response).has('x-evil'), false);
  assert.equal(headersOf(response).has('content-type'), false);
  assert.equal(bodyOf(response), '');
});

test('a response is sent as the route wrote it: its schema is documentation', async () => {
  const other = createServer({ version: '0', tip: { current: () => undefined } });
  const response = { 200: Type.Object({ a: Type.Integer() }), 404: Type.Object({ b: Type.Integer() }) };
  other.get('/x', { schema: { response } }, async () => '{"text":"not of the schema", "a":1.50}');
  assert.equal((await other.inject('/x')).body, '{"text":"not of the schema", "a":1.50}');
  await other.close();
});
