import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Tip } from '../../ingest/chain/tip.ts';
import { notFound } from './errors.ts';
import { limit } from './params.ts';
import { createServer } from './server.ts';
import { Type } from './type.ts';

const TIP: Tip = {
  height: 7,
  indexBlockHash: '0x1b',
  blockHash: '0xb1',
  burnBlockHeight: 90,
  microblockHash: null,
  microblockSequence: null,
};
let tip: Tip | undefined = TIP;
let mempool = 'm1';
beforeEach(() => {
  tip = TIP;
});

const api = createServer({ version: '0', tip: { current: () => tip } });
api.get(
  '/plain',
  { schema: { querystring: Type.Object({ limit: limit(50, 20) }) }, config: { cache: 'tip' } },
  async () => '{}',
);
api.get('/hot', { config: { cache: 'tip', hot: true } }, async () => '{"hot":1}');
api.get('/pending', { config: { cache: () => mempool, hot: true } }, async () => '{"pending":1}');
api.get('/missing', async () => {
  throw notFound('Nothing here');
});
api.get('/broken', async () => {
  throw new Error('broken');
});

async function tipOf(url: string, headers: Record<string, string> = {}) {
  const response = await api.inject({ url, headers });
  const shown = (name: string) => response.headers[`x-stacks-${name}`];
  return [response.statusCode, shown('tip-height'), shown('tip-index-block-hash'), shown('burn-block-height')];
}

test('every response names the tip, whatever its status', async () => {
  const requests: [string, number, Record<string, string>?][] = [
    ['/plain', 200],
    ['/plain', 304, { 'if-none-match': '"0x1b"' }],
    ['/plain?limit=x', 400],
    ['/missing', 404],
    ['/nowhere', 404],
    ['/broken', 500],
    ['/%zz', 400],
  ];
  for (const [url, status, headers] of requests)
    assert.deepEqual(await tipOf(url, headers), [status, '7', '0x1b', '90'], `${url} ${status}`);
});

test('a ready body names the tip of now, even where it was made under another', async () => {
  for (const url of ['/hot', '/pending']) for (let i = 0; i < 3; i++) await tipOf(url);
  tip = { ...TIP, height: 8, indexBlockHash: '0x2b', burnBlockHeight: 91 };
  assert.deepEqual(await tipOf('/pending'), [200, '8', '0x2b', '91']);
  assert.deepEqual(await tipOf('/pending', { 'if-none-match': '"m1"' }), [304, '8', '0x2b', '91']);
  assert.deepEqual(await tipOf('/hot'), [200, '8', '0x2b', '91']);
  mempool = 'm2';
  assert.deepEqual(await tipOf('/pending'), [200, '8', '0x2b', '91']);
});

test('an empty chain has no tip to name', async () => {
  tip = undefined;
  assert.deepEqual(await tipOf('/plain'), [200, undefined, undefined, undefined]);
});
