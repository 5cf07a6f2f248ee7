import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { acceptedCoding, compress } from './compression.ts';

test('the coding with the greatest weight is taken, br before gzip on a tie', () => {
  const cases: readonly (readonly [header: string | undefined, coding: string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;Q=1', 'gzip'],
    ['gzip;q=0.8, br;q=0.2', 'gzip'],
    ['br ; q=0.5 , gzip ; q=0.9', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['deflate, zstd', undefined],
  ];
  for (const [header, coding] of cases) assert.equal(acceptedCoding(header), coding, header);
});

test('a coding with weight zero, or with none that is valid, is not taken', () => {
  for (const header of [
    'gzip;q=0',
    'br;q=0.000, gzip;q=0',
    '*;q=0',
    'gzip;q=x',
    'gzip;q=-1',
    'gzip;q=',
    'gzip;q=0.0001',
  ])
    assert.equal(acceptedCoding(header), undefined, header);
});

test('a client that prefers the body as it is gets it so', () => {
  assert.equal(acceptedCoding('identity, gzip;q=0.5'), undefined);
  assert.equal(acceptedCoding('identity;q=0.5, gzip'), 'gzip');
  assert.equal(acceptedCoding('identity;q=0, br'), 'br');
});

test('what is compressed can be read by what the coding names', async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ i, text: 'é' }))));
  assert.deepEqual(brotliDecompressSync(await compress(body, 'br')), body);
  assert.deepEqual(gunzipSync(await compress(body, 'gzip')), body);
});
