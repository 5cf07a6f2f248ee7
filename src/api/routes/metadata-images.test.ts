import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { attackWithUnreadImages } from '../../../test/attack/metadata/unread-images.ts';
import { scale } from '../../../test/support/scale.ts';
import type { ImageStore } from '../../metadata/images/store.ts';
import { createServer } from '../http/server.ts';
import { addImageRoutes } from './metadata-images.ts';

const NAME = `${'0a'.repeat(16)}.png`;
const THUMBNAIL = NAME.replace('.png', '-thumb.png');
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);

const storeOf = (names: readonly string[]) => {
  const asked: string[] = [];
  const open = async (name: string) => {
    asked.push(name);
    return names.includes(name) ? { length: BYTES.length, stream: Readable.from([BYTES]) } : undefined;
  };
  return { asked, store: { open, has: async () => false, write: async () => {} } satisfies ImageStore };
};

const serve = (images: ImageStore | undefined) => {
  const api = createServer({ version: '1.2.3', tip: { current: () => undefined } });
  addImageRoutes(api, images);
  return (name: string, method: 'GET' | 'HEAD' = 'GET') => api.inject({ method, url: `/metadata/v1/images/${name}` });
};

test('an image is sent as PNG, to be kept for ever and to run nothing', async () => {
  const get = serve(storeOf([NAME, THUMBNAIL]).store);
  for (const name of [NAME, THUMBNAIL]) {
    const { statusCode, headers, rawPayload } = await get(name);
    assert.deepEqual([statusCode, rawPayload], [200, BYTES]);
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
    assert.equal(headers['access-control-allow-origin'], '*');
  }
  const head = await get(NAME, 'HEAD');
  assert.deepEqual([head.statusCode, head.body, head.headers['content-length']], [200, '', String(BYTES.length)]);
});

test('what is no name of an image never reaches the store', async () => {
  const { asked, store } = storeOf([]);
  const get = serve(store);
  const names = ['x.png', '..%2f..%2fetc%2fpasswd', `..%2f${NAME}`, `${NAME}%2f`, NAME.toUpperCase(), `${NAME}.svg`];
  for (const name of names) {
    const { statusCode, headers } = await get(name);
    assert.deepEqual([statusCode, headers['cache-control']], [404, 'no-store'], name);
  }
  assert.equal((await get(`${NAME}%00`)).statusCode, 400);
  assert.deepEqual(asked, []);
  assert.equal((await get(NAME)).statusCode, 404);
  assert.deepEqual(asked, [NAME]);
});

test('without a store there are no images, and a store that fails is a 500 that is not kept', async () => {
  assert.equal((await serve(undefined)(NAME)).statusCode, 404);
  const broken = await serve({
    open: () => Promise.reject(new Error('disk')),
    has: async () => false,
    write: async () => {},
  })(NAME);
  assert.deepEqual([broken.statusCode, broken.headers['cache-control']], [500, 'no-store']);
  assert.doesNotMatch(broken.body, /disk/);
});

test('clients that do not read an image hold a small part of it each', async () => {
  const readers = scale === 'short' ? 6 : 40;
  const found = await attackWithUnreadImages({ readers, bytes: 6_000_000 });
  assert.ok(found.heldBytes < readers * 600_000, `${found.heldBytes} bytes`);
});
