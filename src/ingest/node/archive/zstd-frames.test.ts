import assert from 'node:assert/strict';
import { it } from 'node:test';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from '../../../../test/support/fast-check.ts';
import { cutAtFrameEnds } from './zstd-frames.ts';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const content = fc.oneof(
  fc.uint8Array(),
  fc.nat(300_000).map(length => Buffer.alloc(length, 'z')),
);
const frame = fc.tuple(content, fc.boolean(), fc.boolean()).map(([bytes, checksum, size]) =>
  zstdCompressSync(bytes, {
    params: {
      [constants.ZSTD_c_checksumFlag]: Number(checksum),
      [constants.ZSTD_c_contentSizeFlag]: Number(size),
    },
  }),
);
const skippable = fc.uint8Array().map(bytes => {
  const header = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  header.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
});

it('chunks are cut at the end of every frame, however the stream arrives, and no byte is changed', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.oneof(frame, skippable), { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 1000 }),
    async (frames, size) => {
      const whole = Buffer.concat(frames);
      const cuts = new Set<number>();
      const parts: Buffer[] = [];
      let length = 0;
      for await (const part of cutAtFrameEnds(pieces(whole, size))) {
        parts.push(part);
        length += part.length;
        cuts.add(length);
      }
      assert.deepEqual(Buffer.concat(parts), whole);
      let end = 0;
      for (const one of frames) {
        end += one.length;
        assert.ok(cuts.has(end), `no cut at ${end}`);
      }
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

it('bytes that are not zstd pass unchanged', async () => {
  const parts: Buffer[] = [];
  for await (const part of cutAtFrameEnds(pieces(Buffer.from('garbage that goes on'), 3))) parts.push(part);
  assert.equal(Buffer.concat(parts).toString(), 'garbage that goes on');
});
