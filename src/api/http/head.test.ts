import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { PATIENT_LIMITS } from '../../../test/support/patient-limits.ts';
import { notFound } from './errors.ts';
import { createServer } from './server.ts';

const api = createServer({ version: '0', tip: { current: () => undefined }, limits: PATIENT_LIMITS });
after(() => api.close());
let stream = Readable.from([]);

api.get('/text', async () => '{"name":"größe"}');
api.get('/bytes', async (_request, reply) => reply.send(Buffer.from('{}')));
api.get('/none', async (_request, reply) => reply.code(204).send());
api.get('/error', async () => {
  throw notFound('There is no such thing');
});
api.get('/stream', async (_request, reply) => {
  stream = Readable.from(['{', '}']);
  return reply.send(stream);
});
api.post('/post', async () => '{}');

const send = (method: 'GET' | 'HEAD', url: string) => api.inject({ method, url });

test('HEAD has the status and the headers of GET, and no body', async () => {
  for (const url of ['/text', '/bytes', '/error']) {
    const [{ headers: ofGet, ...get }, { headers: ofHead, ...head }] = [
      await send('GET', url),
      await send('HEAD', url),
    ];
    assert.equal(head.statusCode, get.statusCode, url);
    assert.deepEqual({ ...ofHead, date: '' }, { ...ofGet, date: '' }, url);
    assert.equal(Number(ofHead['content-length']), Buffer.byteLength(get.body), url);
    assert.equal(head.body, '');
  }
  assert.equal((await send('HEAD', '/none')).statusCode, 204);
});

test('HEAD ends the stream of a body without reading it', async () => {
  const head = await send('HEAD', '/stream');
  assert.deepEqual([head.statusCode, head.body, head.headers['content-length']], [200, '', undefined]);
  assert.ok(stream.destroyed);
  assert.equal((await send('GET', '/stream')).body, '{}');
});

test('a route that takes no GET takes no HEAD', async () => {
  assert.equal((await send('HEAD', '/post')).statusCode, 404);
});
