import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import fc from '../../../test/support/fast-check.ts';
import { until } from '../../../test/support/until.ts';
import type { Tip } from '../../ingest/chain/tip.ts';
import { HotPages } from './hot-pages.ts';
import { type Api, createServer } from './server.ts';
import { Type } from './type.ts';

const tipOf = (name: string): Tip => ({
  height: 1,
  indexBlockHash: name,
  blockHash: '0xb1',
  burnBlockHeight: 1,
  microblockHash: null,
  microblockSequence: null,
});

function serverAt(first: string) {
  const state = { tip: first, made: 0 };
  const api = createServer({ version: '0', tip: { current: () => tipOf(state.tip) } });
  api.get('/hot', { config: { cache: 'tip', hot: true } }, async () => JSON.stringify([state.tip, ++state.made]));
  api.get('/cold', { config: { cache: 'tip' } }, async () => JSON.stringify([state.tip, ++state.made]));
  api.get('/large', { config: { cache: 'tip', hot: true } }, async () =>
    JSON.stringify([state.tip, 'some text '.repeat(2000)]),
  );
  api.get('/failing', { config: { cache: 'tip', hot: true } }, async (_request, reply) => {
    state.made++;
    reply.code(404);
    return '{}';
  });
  const querystring = Type.Object({ at: Type.Optional(Type.String()) });
  api.get('/pages', { schema: { querystring }, config: { cache: 'tip', hot: true } }, async () => {
    state.made++;
    return '{"limit":1,"offset":0,"total":2,"results":[]}';
  });
  return { state, get: async (url: string) => (await api.inject(url)).body, api };
}

test('a page that was asked for twice is made once for a tip, and anew for the next', async () => {
  const { state, get, api } = serverAt('a');
  assert.equal(await get('/hot'), '["a",1]');
  assert.equal(await get('/hot'), '["a",2]');
  assert.equal(await get('/hot'), '["a",2]');
  assert.equal(await get('/hot?offset=20'), '["a",3]', 'another page is another body');
  state.tip = 'b';
  assert.equal(await get('/hot'), '["b",4]');
  const response = await api.inject('/hot');
  assert.equal(response.body, '["b",4]');
  assert.equal(response.headers.etag, '"b"');
  assert.equal(response.headers['content-length'], String(response.body.length));
  assert.match(String(response.headers['content-type']), /^application\/json/);
});

test('a ready response has the head of one that is made, whatever the client that had it made knew', async () => {
  const { api, state } = serverAt('a');
  for (const url of ['/hot', '/large']) {
    const asked = { url, headers: { 'if-none-match': 'W/"a"?' } }; // no tag, and still a 200 with the weak form
    const made = [await api.inject(asked), await api.inject(asked)];
    const ready = await api.inject(url);
    const head = await api.inject({ method: 'HEAD', url });
    assert.equal(ready.body, made[1]?.body, 'not made again');
    assert.equal(ready.headers.etag, '"a"');
    for (const { headers, statusCode } of [...made, head]) {
      assert.equal(statusCode, 200);
      assert.deepEqual({ ...headers, date: '', etag: '' }, { ...ready.headers, date: '', etag: '' });
    }
    assert.equal(head.body, '');
  }
  assert.equal((await api.inject({ url: '/hot', headers: { 'if-none-match': '"a"' } })).statusCode, 304);
  state.tip = 'b';
  const stale = await api.inject({ url: '/hot', headers: { 'if-none-match': '"a"' } });
  assert.deepEqual([stale.statusCode, stale.body, stale.headers.etag], [200, '["b",3]', '"b"']);
});

test('a route with versions of its own has ready responses of the version of now only', async () => {
  const state = { version: 'one' as string | undefined, made: 0 };
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  api.get('/own', { config: { cache: () => state.version, hot: true } }, async () => `[${++state.made}]`);
  const get = async () => (await api.inject('/own')).body;
  assert.deepEqual([await get(), await get(), await get()], ['[1]', '[2]', '[2]']);
  state.version = undefined;
  assert.equal(await get(), '[3]');
  state.version = 'two';
  assert.equal(await get(), '[4]');
});

test('walking through all pages, each of them once, keeps none of them', async () => {
  const { state, get } = serverAt('a');
  for (let i = 0; i < 2; i++) await get('/hot');
  for (let i = 0; i < 1100; i++) {
    await get(`/hot?offset=${i}`);
    if (i % 100 === 0) await new Promise(resolve => setImmediate(resolve)); // else it is one long tick: see shedding.ts
  }
  await get('/hot?offset=5');
  await get('/hot?offset=5');
  assert.equal(state.made, 1104, 'long forgotten, so its body was not there');
  assert.equal(await get('/hot'), '["a",2]');
});

test('other routes and failures are made every time', async () => {
  const { state, get } = serverAt('a');
  await get('/cold');
  assert.equal(await get('/cold'), '["a",2]');
  await get('/failing');
  await get('/failing');
  assert.equal(state.made, 4);
});

test('a HEAD leaves no empty body for a GET', async () => {
  const { api, get } = serverAt('a');
  assert.equal((await api.inject({ method: 'HEAD', url: '/hot' })).body, '');
  assert.match(await get('/hot'), /^\["a",/);
});

test('a HEAD has the link to the next page, and leaves no page without it', async () => {
  for (const methods of ['HEAD HEAD GET', 'GET HEAD GET', 'HEAD GET GET']) {
    const { api } = serverAt('a');
    for (const method of methods.split(' ') as ('GET' | 'HEAD')[]) {
      const { headers } = await api.inject({ method, url: '/pages?limit=1' });
      assert.equal(headers.link, '</pages?limit=1&offset=1&at=a>; rel="next"', `${method} of ${methods}`);
    }
  }
});

/** Repeats the request until the response is compressed. */
async function compressed(api: Api, url: string, accepted: string) {
  const ask = () => api.inject({ url, headers: { 'accept-encoding': accepted } });
  await until(async () => (await ask()).headers['content-encoding'] !== undefined, 'it is never compressed');
  return ask();
}

test('a hot page is compressed for who accepts that, and for nobody else', async () => {
  const { api, state } = serverAt('a');
  for (const [coding, decode] of [['br', brotliDecompressSync] as const, ['gzip', gunzipSync] as const]) {
    const response = await compressed(api, '/large', coding);
    assert.equal(response.headers['content-encoding'], coding);
    assert.equal(response.headers.etag, 'W/"a"', 'not byte for byte what others get');
    assert.equal(response.headers['content-length'], String(response.rawPayload.length));
    const plain = await api.inject('/large');
    assert.equal(decode(response.rawPayload).toString(), plain.body);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.etag, '"a"');
    for (const { headers } of [response, plain]) assert.equal(headers.vary, 'Accept-Encoding');
    const head = await api.inject({ method: 'HEAD', url: '/large', headers: { 'accept-encoding': coding } });
    assert.equal(head.headers['content-length'], response.headers['content-length']);
  }
  state.tip = 'b';
  assert.match((await api.inject({ url: '/large', headers: { 'accept-encoding': 'br' } })).body, /^\["b"/);
});

test('who has the compressed page is told that it is still the one, by the name it knows', async () => {
  const { api } = serverAt('a');
  const { headers } = await compressed(api, '/large', 'gzip');
  for (const tag of [String(headers.etag), '"a"']) {
    const response = await api.inject({ url: '/large', headers: { 'accept-encoding': 'gzip', 'if-none-match': tag } });
    assert.equal(response.statusCode, 304);
    assert.equal(response.headers.etag, tag);
    assert.equal(response.headers.vary, 'Accept-Encoding');
    assert.equal(response.headers['content-encoding'], undefined);
  }
});

test('a page that fits into one packet is not compressed', async () => {
  const { api, state } = serverAt('a');
  for (let asked = 0; asked < 3; asked++) {
    const response = await api.inject({ url: '/hot', headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers['content-encoding'], undefined);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  assert.equal(state.made, 2);
});

test('whatever is asked, a body is of its URL and its version, and the bodies kept are bounded', () => {
  const asked = fc.record({
    url: fc.constantFrom('/a', '/b', '/c', '/d', '/e'),
    version: fc.constantFrom('1', '2', '3'),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 60 }), requests => {
      const hot = new HotPages(25);
      for (const { url, version } of requests) {
        const request = { url, headers: {} } as FastifyRequest;
        const body = `${url}@${version}`.padEnd(10);
        const found = hot.find(request, version);
        hot.expect(request, version);
        if (found === undefined) hot.keep(request, body, {});
        else assert.equal(found.body.toString(), body);
      }
      const kept = ['/a', '/b', '/c', '/d', '/e'].flatMap(url =>
        ['1', '2', '3'].filter(version => hot.find({ url, headers: {} } as FastifyRequest, version) !== undefined),
      );
      assert.ok(kept.length <= 2, 'two bodies of ten bytes are all that fits');
    }),
  );
});
