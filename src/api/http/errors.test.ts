import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import pino from 'pino';
import { FatalDatabaseError, RetryableDatabaseError } from '../../base/store/errors.ts';
import { ApiError, badRequest, ERROR_REGISTRY, notFound, titled, unavailable } from './errors.ts';
import { createServer } from './server.ts';

const EXPOSED =
  'X-API-Version, ETag, X-Stacks-Tip-Height, X-Stacks-Tip-Index-Block-Hash, X-Stacks-Burn-Block-Height, X-Stacks-Fork-Height, Link';

const lines: string[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
const api = createServer({ version: '1.2.3', tip: { current: () => undefined }, logger });
after(() => api.close());

const thrown: Record<string, unknown> = {
  missing: notFound('Block not found'),
  bad: badRequest('Unsupported blockchain'),
  hinted: new ApiError(400, 'no', { code: 'SOME_CODE', hint: 'try yes' }),
  title: titled(422, 'Token error', 'Metadata timed out'),
  bare: titled(404, 'Token not found'),
  away: unavailable(7),
  busy: new RetryableDatabaseError('CONNECTION_REFUSED', 'connect ECONNREFUSED 10.0.0.1:5432'),
  broken: new FatalDatabaseError('SCHEMA', 'no such table: txs'),
  secret: Object.assign(new Error('relation "txs" does not exist'), { code: '42P01', statusCode: 400 }),
  odd: 'just text',
  nothing: undefined,
};
for (const [name, error] of Object.entries(thrown)) {
  api.get(`/${name}`, async () => {
    throw error;
  });
}
api.get('/sync', () => {
  throw notFound('sync');
});

api.post('/taken', async () => ({}));

const get = async (path: string) => api.inject(path);

test('an ApiError is statusCode, code if any, error, message, in this order', async () => {
  assert.equal((await get('/missing')).body, '{"statusCode":404,"error":"Not Found","message":"Block not found"}');
  assert.equal((await get('/bad')).body, '{"statusCode":400,"error":"Bad Request","message":"Unsupported blockchain"}');
  assert.equal(
    (await get('/hinted')).body,
    '{"statusCode":400,"code":"SOME_CODE","error":"Bad Request","message":"no","hint":"try yes"}',
  );
  assert.equal((await get('/sync')).statusCode, 404);
});

test('a titled error has a body of error and message only', async () => {
  assert.equal((await get('/title')).body, '{"error":"Token error","message":"Metadata timed out"}');
  assert.equal((await get('/title')).statusCode, 422);
  assert.equal((await get('/bare')).body, '{"error":"Token not found"}');
});

test('a database that is away is a 503 that says when to come back', async () => {
  for (const [path, seconds] of [
    ['/away', '7'],
    ['/busy', '5'],
  ] as const) {
    const response = await get(path);
    assert.equal(response.statusCode, 503);
    assert.equal(response.json().error, 'The database service is unavailable');
    assert.equal(response.headers['retry-after'], seconds);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.doesNotMatch(response.body, /ECONNREFUSED/);
  }
});

test('anything else is a 500 without internal text, and a log line with the request id', async () => {
  for (const path of ['/secret', '/broken', '/odd', '/nothing']) {
    lines.length = 0;
    const response = await get(path);
    assert.equal(
      response.body,
      '{"statusCode":500,"error":"Internal Server Error","message":"Something went wrong on our side"}',
    );
    const line = JSON.parse(lines[0] ?? '{}');
    assert.match(line.reqId, /^req-/);
    assert.equal(line.url, path);
  }
});

test('client errors are not logged', async () => {
  lines.length = 0;
  await get('/missing');
  await get('/nope');
  assert.deepEqual(lines, []);
});

test('every error has the base headers', async () => {
  for (const path of ['/missing', '/secret', '/away', '/nope']) {
    const { headers } = await get(path);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-expose-headers'], EXPOSED);
    assert.equal(headers['x-api-version'], 'v1.2.3');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  }
});

test('the registry has one row for each status and code', () => {
  const rows = ERROR_REGISTRY.map(row => `${row.status} ${row.code}`);
  assert.equal(new Set(rows).size, rows.length);
});

test('a client that hangs up within its body leaves no line in the log', async () => {
  await api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.server.address() as AddressInfo;
  const before = lines.length;
  for (const [framing, part] of [
    ['Content-Length: 100', '{"a"'],
    ['Transfer-Encoding: chunked', '4\r\n{"a"\r\n'],
    ['Transfer-Encoding: chunked', '4\r\n{"a"\r\nno chunk'],
  ]) {
    const head = `POST /taken HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
    const arrived = once(api.server, 'request');
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(head + part);
    const [request] = (await arrived) as [IncomingMessage];
    const closed = new Promise(resolve => request.once('close', resolve));
    socket.destroy();
    await closed;
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/secret`)).status, 500);
  assert.deepEqual(
    lines.slice(before).flatMap(line => JSON.parse(line).url ?? []),
    ['/secret'],
  );
});
