import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type ArchiveFile, readPlace } from './places.ts';

const LINES = Array.from(
  { length: 4000 },
  (_, i) => `${i}\t2021-09-16 23:46:52.589279+00\t/new_block\t{"n":${Math.sin(i)},"text":"${'ab'.repeat(i % 40)}"}\n`,
);
const PIECE = 100;
const pieces = (compress: (text: Buffer) => Buffer): Buffer[] =>
  Array.from({ length: LINES.length / PIECE }, (_, i) =>
    compress(Buffer.from(LINES.slice(i * PIECE, (i + 1) * PIECE).join(''))),
  );

const fileOf = (bytes: Buffer): ArchiveFile => ({
  name: 'archive',
  async *from(start) {
    for (let at = start; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  },
});

const signal = new AbortController().signal;
const few = (least: number) => ({ suffices: ({ bytes }: { bytes: number }) => bytes >= least, signal });
const idsOf = (place: Awaited<ReturnType<typeof readPlace>>) =>
  place?.rows.map(row => (row.kind === 'event' ? row.id : Number.NaN)) ?? [];
const consecutive = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

for (const [compression, compress] of [
  ['none', (text: Buffer) => text],
  ['gzip', (text: Buffer) => gzipSync(text)],
  ['zstd', (text: Buffer) => zstdCompressSync(text)],
] as const) {
  const bytes = Buffer.concat(pieces(compress));

  test(`whole rows come from the start and from the middle of an archive: ${compression}`, async () => {
    const start = await readPlace(fileOf(bytes), 0, { compression, ...few(20_000) });
    assert.deepEqual(idsOf(start), consecutive(0, start?.rows.length ?? 0));
    assert.ok((start?.rowBytes ?? 0) >= 20_000);
    const middle = await readPlace(fileOf(bytes), Math.floor(bytes.length / 2), { compression, ...few(20_000) });
    const [first = 0] = idsOf(middle);
    assert.deepEqual(idsOf(middle), consecutive(first, middle?.rows.length ?? 0));
    assert.ok(first > 1500 && first < 3000, String(first));
    assert.equal(middle?.rowBytes, Buffer.byteLength(LINES.slice(first, first + (middle?.rows.length ?? 0)).join('')));
  });

  test(`bytes of the file and bytes of text belong together, wherever reading ends: ${compression}`, async () => {
    const whole = await readPlace(fileOf(bytes), 0, { compression, ...few(Number.POSITIVE_INFINITY) });
    assert.deepEqual([whole?.isAtEnd, whole?.storedBytes, whole?.rowBytes], [true, bytes.length, whole?.textBytes]);
    const middle = await readPlace(fileOf(bytes), Math.floor(bytes.length / 2), { compression, ...few(100_000) });
    const density = (place: typeof whole) => (place?.textBytes ?? 0) / (place?.storedBytes ?? 1);
    assert.ok(Math.abs(density(middle) / density(whole) - 1) < 0.15);
  });
}

test('where no frame begins behind a byte, there is no place', async () => {
  const bytes = zstdCompressSync(Buffer.from(LINES.join('')));
  assert.equal(await readPlace(fileOf(bytes), 1000, { compression: 'zstd', ...few(1) }), undefined);
});

test('bytes that are no frame are an error of the archive', async () => {
  const bytes = Buffer.from(LINES.join(''));
  await assert.rejects(readPlace(fileOf(bytes), 0, { compression: 'gzip', ...few(1) }), { code: 'archive_damaged' });
});
