import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { PATIENT_LIMITS as limits } from '../../../test/support/patient-limits.ts';
import type { Tip } from '../../ingest/chain/tip.ts';
import { matches } from './caching.ts';
import { notFound, unavailable } from './errors.ts';
import { flag } from './params.ts';
import { createServer } from './server.ts';
import { Type } from './type.ts';

const EXPOSED =
  'X-API-Version, ETag, X-Stacks-Tip-Height, X-Stacks-Tip-Index-Block-Hash, X-Stacks-Burn-Block-Height, X-Stacks-Fork-Height, Link';

const TIP: Tip = {
  height: 7,
  indexBlockHash: '0x1b',
  blockHash: '0xb1',
  burnBlockHeight: 107,
  microblockHash: null,
  microblockSequence: null,
};
let tip: Tip | undefined = TIP;
let handled = 0;
let version: () => Promise<string | undefined> = async () => 'v1';
beforeEach(() => {
  tip = TIP;
  handled = 0;
});

let mempool = 'm1';
const api = createServer({
  version: '0',
  tip: { current: () => tip },
  mempool: { version: () => mempool },
  limits,
});
after(() => api.close());
const handler = async () => {
  handled++;
  return '{"ok":true}';
};
api.get('/tip', { config: { cache: 'tip' }, schema: { querystring: Type.Object({ f: flag('Whether.') }) } }, handler);
api.get('/own', { config: { cache: () => version() } }, handler);
api.get('/none', handler);
api.get('/missing', { config: { cache: 'tip' } }, async () => {
  throw notFound('Not found');
});
api.get('/coded', { config: { cache: 'tip' } }, async (_request, reply) => {
  reply.code(404);
  return '{}';
});
api.get('/moving', { config: { cache: 'tip' } }, async () => {
  tip = { ...TIP, indexBlockHash: `0x${++handled}` };
  return '{}';
});
for (const cache of ['tips', 'attachments'] as const) api.get(`/${cache}`, { config: { cache } }, handler);
api.get('/pending', { config: { cache: 'mempool' } }, handler);
api.get('/away', { config: { cache: 'tip' } }, async () => {
  throw unavailable();
});

const get = (url: string, ifNoneMatch?: string, method: 'GET' | 'HEAD' = 'GET') =>
  api.inject({ method, url, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } });
const REVALIDATE = 'public, no-cache, must-revalidate';

test('a 200 carries the tip as ETag and must be revalidated', async () => {
  const response = await get('/tip');
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers.etag, '"0x1b"');
  assert.equal(response.headers['cache-control'], REVALIDATE);
});

test('a microblock on top of the tip is the ETag', async () => {
  tip = { ...TIP, microblockHash: '0xmb', microblockSequence: 0 };
  assert.equal((await get('/tip')).headers.etag, '"0xmb"');
  assert.equal((await get('/tip', '"0x1b"')).statusCode, 200);
});

test('a match gets 304 without the handler once the body was sent, with ETag and no body', async () => {
  await get('/tip');
  handled = 0;
  for (const method of ['GET', 'HEAD'] as const) {
    const response = await get('/tip', '"0x1b"', method);
    assert.equal(response.statusCode, 304);
    assert.equal(response.body, '');
    const { date: _, connection: __, ...headers } = response.headers;
    assert.deepEqual(headers, {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
      'x-api-version': 'v0',
      'cache-control': REVALIDATE,
      'x-content-type-options': 'nosniff',
      'x-stacks-tip-height': '7',
      'x-stacks-tip-index-block-hash': '0x1b',
      'x-stacks-burn-block-height': '107',
      etag: '"0x1b"',
    });
  }
  assert.equal(handled, 0);
});

test('an empty chain has no ETag', async () => {
  tip = undefined;
  const response = await get('/tip', '"0x1b"');
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers.etag, undefined);
  assert.equal(response.headers['cache-control'], 'no-store');
});

test('validation comes before the 304', async () => assert.equal((await get('/tip?f=1', '"0x1b"')).statusCode, 400));

describe('a route with its own version', () => {
  test('has it as ETag and gets 304', async () => {
    version = async () => 'v1';
    assert.equal((await get('/own')).headers.etag, '"v1"');
    assert.equal((await get('/own', '"v1"')).statusCode, 304);
    assert.equal(handled, 1);
  });
  test('may have none', async () => {
    version = async () => undefined;
    assert.equal((await get('/own', '"v1"')).headers['cache-control'], 'no-store');
  });
  test('still responds when the version cannot be told', async () => {
    version = async () => {
      throw new Error('gone');
    };
    const response = await get('/own', '"v1"');
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers.etag, undefined);
  });
});

test('without a kind nothing is cached', async () => {
  const response = await get('/none', '"0x1b"');
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['cache-control'], 'no-store');
});

test('an error has no ETag, and is never a 304', async () => {
  for (const [url, status] of [
    ['/missing', 404],
    ['/coded', 404],
    ['/away', 503],
  ] as const) {
    const response = await get(url, '"0x1b"');
    assert.equal(response.statusCode, status);
    assert.equal(response.headers.etag, undefined);
    assert.equal(response.headers['cache-control'], 'no-store');
  }
});

test('a match gets 304 from a process that has not sent the body yet', async () => {
  const response = await get('/tip?f=true', '"0x1b"');
  assert.deepEqual([response.statusCode, response.body, response.headers.etag], [304, '', '"0x1b"']);
  assert.equal(handled, 1);
});

test('a body that was made while the tip moved has no ETag', async () => {
  assert.equal((await get('/moving')).headers.etag, undefined);
  assert.equal((await get('/moving', '"0x1b"')).statusCode, 200);
});

test('each dependence has a version of its own', async () => {
  const tagOf = async (url: string) => (await get(url)).headers.etag;
  const tags = () => Promise.all(['/tip', '/tips', '/attachments', '/pending'].map(tagOf));
  const changed = async (change: () => void) => {
    const before = await tags();
    change();
    return (await tags()).map((tag, i) => tag !== before[i]);
  };
  assert.deepEqual(
    await changed(() => {
      tip = { ...TIP, burnTip: '0xbb' };
    }),
    [false, true, false, false],
  );
  assert.deepEqual(
    await changed(() => {
      tip = { ...TIP, burnTip: '0xbb', attachments: 5 };
    }),
    [false, false, true, false],
  );
  assert.deepEqual(
    await changed(() => {
      mempool = 'm2';
    }),
    [false, false, false, true],
  );
  assert.deepEqual(
    await changed(() => {
      tip = { ...TIP, burnTip: '0xbb', attachments: 5, indexBlockHash: '0x1c' };
    }),
    [true, true, true, false],
  );
});

test('If-None-Match: quotes, weak tags and lists are understood, * is not special', () => {
  for (const header of ['"a"', 'a', 'W/"a"', '"x", "a"', '"x",W/"a"', ' "a" '])
    assert.ok(matches(header, '"a"'), header);
  for (const header of [undefined, '', '*', '"b"', '"a', 'W/', '"aa"', '"A"', ',,'].filter(h => h !== '"a')) {
    assert.ok(!matches(header, '"a"'), header);
  }
});
