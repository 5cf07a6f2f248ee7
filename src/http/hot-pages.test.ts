import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import type { Tip } from '../chain/tip.ts';
import { HotPages } from './hot-pages.ts';
import { createServer } from './server.ts';

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
  api.get('/failing', { config: { cache: 'tip', hot: true } }, async (_request, reply) => {
    state.made++;
    reply.code(404);
    return '{}';
  });
  return { state, get: async (url: string) => (await api.inject(url)).body, api };
}

test('a hot page is made once for a tip, and anew for the next', async () => {
  const { state, get, api } = serverAt('a');
  assert.equal(await get('/hot'), '["a",1]');
  assert.equal(await get('/hot'), '["a",1]');
  assert.equal(await get('/hot?offset=20'), '["a",2]', 'another page is another body');
  state.tip = 'b';
  assert.equal(await get('/hot'), '["b",3]');
  const answer = await api.inject('/hot');
  assert.equal(answer.body, '["b",3]');
  assert.equal(answer.headers.etag, '"b"');
  assert.equal(answer.headers['content-length'], String(answer.body.length));
  assert.match(String(answer.headers['content-type']), /^application\/json/);
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

test('whatever is asked, a body is of its URL and its version, and the bodies kept are bounded', () => {
  const asked = fc.record({
    url: fc.constantFrom('/a', '/b', '/c', '/d', '/e'),
    version: fc.constantFrom('1', '2', '3'),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 60 }), requests => {
      const hot = new HotPages(25);
      for (const { url, version } of requests) {
        const request = { url } as FastifyRequest;
        const body = `${url}@${version}`.padEnd(10);
        const found = hot.find(request, version);
        if (found === undefined) hot.keep(request, body);
        else assert.equal(found.toString(), body);
      }
      const kept = ['/a', '/b', '/c', '/d', '/e'].flatMap(url =>
        ['1', '2', '3'].filter(version => hot.find({ url } as FastifyRequest, version) !== undefined),
      );
      assert.ok(kept.length <= 2, 'two bodies of ten bytes are all that fits');
    }),
  );
});
