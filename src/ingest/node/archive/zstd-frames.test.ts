import assert from 'node:assert/strict';
import { it } from 'node:test';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from '../../../../test/support/fast-check.ts';
import { cutAtFrameEnds, frameGroups } from './zstd-frames.ts';

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

it('groups of frames begin where frames end, are as long as wanted, and have every byte', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.oneof(frame, skippable), { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 1000 }),
    fc.integer({ min: 1, max: 60 }),
    async (frames, size, least) => {
      const whole = Buffer.concat(frames);
      const ends = new Set([0]);
      let end = 0;
      for (const one of frames) {
        end += one.length;
        ends.add(end);
      }
      const groups: { start: number; bytes: Buffer }[] = [];
      for await (const { start, bytes } of frameGroups(pieces(whole, size), least)) {
        const parts: Buffer[] = [];
        for await (const part of bytes) parts.push(part);
        groups.push({ start, bytes: Buffer.concat(parts) });
      }
      assert.deepEqual(Buffer.concat(groups.map(({ bytes }) => bytes)), whole);
      let start = 0;
      for (const [i, group] of groups.entries()) {
        assert.equal(group.start, start);
        assert.ok(ends.has(start), `no frame ends at ${start}`);
        assert.ok(i === groups.length - 1 || group.bytes.length >= least);
        start += group.bytes.length;
      }
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
