import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { startBucket } from '../../../test/support/bucket.ts';
import { ImageStoreError, s3ImageStore } from './s3-store.ts';
import type { ImageStore } from './store.ts';

const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const REGION = 'eu-central-1';
const NAME = `${'0a'.repeat(16)}.png`;
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);

const open = async (t: { after(hook: () => Promise<void>): void }) => {
  const bucket = await startBucket({ ...KEYS, region: REGION });
  t.after(() => bucket.close());
  const options = { endpoint: `${bucket.endpoint}/`, bucket: 'images', region: REGION, credentials: KEYS };
  return { bucket, options, store: s3ImageStore({ ...options, prefix: 'tokens/' }) };
};

/** The bytes of an image; undefined for an unknown name. */
async function read(store: ImageStore, name: string): Promise<Buffer | undefined> {
  const image = await store.open(name);
  if (!image) return undefined;
  const bytes = await buffer(image.stream);
  assert.equal(bytes.length, image.length);
  return bytes;
}

test('an image is put into the bucket, signed, to be kept for ever, and read from it', async t => {
  const { bucket, store } = await open(t);
  assert.equal(await read(store, NAME), undefined);
  await store.write(NAME, BYTES);
  const object = bucket.objects.get(`/images/tokens/${NAME}`);
  assert.deepEqual(object?.bytes, BYTES);
  assert.equal(object?.headers['content-type'], 'image/png');
  assert.equal(object?.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.deepEqual(await read(store, NAME), BYTES);
  assert.deepEqual([await store.has(NAME), await store.has(NAME.replace('0a', '0b'))], [true, false]);
  assert.deepEqual(bucket.refused, []);
});

test('temporary keys send their token, signed', async t => {
  const { bucket, options } = await open(t);
  await s3ImageStore({ ...options, credentials: { ...KEYS, sessionToken: 'tok' } }).write(NAME, BYTES);
  assert.equal(bucket.objects.get(`/images/${NAME}`)?.headers['x-amz-security-token'], 'tok');
});

test('the stand-in refuses other keys and another region, and the error names no key', async t => {
  const { bucket, options } = await open(t);
  const others = [
    { ...options, credentials: { ...KEYS, secretAccessKey: 'other-secret' } },
    { ...options, credentials: { ...KEYS, accessKeyId: 'OTHER' } },
    { ...options, region: 'us-east-1' },
  ];
  for (const other of others) {
    await assert.rejects(s3ImageStore(other).write(NAME, BYTES), (error: unknown) => {
      assert.ok(error instanceof ImageStoreError);
      assert.match(error.message, /403/);
      assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /secret|EXAMPLEKEY/);
      return true;
    });
  }
  assert.equal(bucket.refused.length, 3);
  assert.equal(bucket.objects.size, 0);
});

test('a bucket that fails, sends elsewhere, cannot be reached or does not answer is an error', async t => {
  const { bucket, options, store } = await open(t);
  bucket.fail(500);
  await assert.rejects(store.write(NAME, BYTES), ImageStoreError);
  await assert.rejects(read(store, NAME), ImageStoreError);
  bucket.fail(307, { location: 'http://127.0.0.1:1/' });
  await assert.rejects(store.write(NAME, BYTES), ImageStoreError);
  const connections: Socket[] = [];
  const silent = createServer(socket => connections.push(socket)).listen(0, '127.0.0.1');
  t.after(async () => {
    silent.close();
    for (const socket of connections) socket.destroy();
  });
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await assert.rejects(s3ImageStore({ ...options, endpoint, timeoutMs: 50 }).write(NAME, BYTES), ImageStoreError);
  const nowhere = s3ImageStore({ ...options, endpoint: 'http://127.0.0.1:1' });
  await assert.rejects(nowhere.write(NAME, BYTES), ImageStoreError);
});

test('names that are none send nothing', async t => {
  const { bucket, store } = await open(t);
  await assert.rejects(store.write('../x.png', BYTES), RangeError);
  assert.equal(await read(store, '../x.png'), undefined);
  assert.deepEqual([bucket.objects.size, bucket.refused.length], [0, 0]);
});
