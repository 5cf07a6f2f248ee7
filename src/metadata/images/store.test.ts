import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { directoryImageStore, type ImageStore, imageNames, isImageName } from './store.ts';

const NAME = `${'0a'.repeat(16)}.png`;
const ODD_NAMES = ['', 'a.png', '../x.png', `../${NAME}`, `${NAME}/`, `${NAME}\0`, NAME.toUpperCase(), `x${NAME}`];

const openStore = async (t: { after(hook: () => Promise<void>): void }) => {
  const directory = await mkdtemp(join(tmpdir(), 'stacks-images-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return { directory, store: directoryImageStore(join(directory, 'images')) };
};

/** The bytes of an image; undefined for an unknown name. */
async function read(store: ImageStore, name: string): Promise<Buffer | undefined> {
  const image = await store.open(name);
  if (!image) return undefined;
  const bytes = await buffer(image.stream);
  assert.equal(bytes.length, image.length);
  return bytes;
}

test('names are made of the content of image and thumbnail', () => {
  const names = imageNames({ image: Buffer.from('a'), thumbnail: Buffer.from('b') });
  assert.match(names.image, /^[0-9a-f]{32}\.png$/);
  assert.equal(names.thumbnail, names.image.replace('.png', '-thumb.png'));
  assert.deepEqual(imageNames({ image: Buffer.from('a'), thumbnail: Buffer.from('b') }), names);
  assert.notEqual(imageNames({ image: Buffer.from('a'), thumbnail: Buffer.from('c') }).image, names.image);
  assert.ok(isImageName(names.image) && isImageName(names.thumbnail));
});

test('what was written is read, and written again', async t => {
  const { store } = await openStore(t);
  assert.equal(await read(store, NAME), undefined);
  await store.write(NAME, Buffer.from('one'));
  await store.write(NAME, Buffer.from('two'));
  assert.equal(String(await read(store, NAME)), 'two');
  assert.deepEqual([await store.has(NAME), await store.has(NAME.replace('0a', '0b'))], [true, false]);
});

test('no other name leads to a file', async t => {
  const { directory, store } = await openStore(t);
  await writeFile(join(directory, 'x.png'), 'secret');
  for (const name of ODD_NAMES) {
    assert.equal(isImageName(name), false, name);
    assert.equal(await read(store, name), undefined, name);
    await assert.rejects(store.write(name, Buffer.from('x')), RangeError, name);
  }
  assert.equal(await readFile(join(directory, 'x.png'), 'utf8'), 'secret');
});

test('writers of one image at the same time leave it whole, and nothing else', async t => {
  const { directory, store } = await openStore(t);
  const bytes = Buffer.alloc(100_000, 7);
  await Promise.all(Array.from({ length: 8 }, () => store.write(NAME, bytes)));
  assert.deepEqual(await read(store, NAME), bytes);
  assert.deepEqual(await readdir(join(directory, 'images', NAME.slice(0, 2))), [NAME]);
});

test('what hinders reading is an error, not a missing image', async t => {
  const { directory, store } = await openStore(t);
  await writeFile(join(directory, 'images'), 'a file in place of the directory');
  await assert.rejects(read(store, NAME));
  await assert.rejects(store.write(NAME, Buffer.from('x')));
});
