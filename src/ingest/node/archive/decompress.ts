import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { cutAtFrameEnds } from './zstd-frames.ts';

/** How far a reader is in the file as it lies on the disk or on a server; updated while reading. */
export interface ArchiveProgress {
  bytesRead: number;
  /** 0 while unknown. */
  bytesTotal: number;
}

export interface DecompressOptions {
  /** Power of two: how far back a zstd stream may refer, which is the memory that its decoder takes. Default: 27, that is 128 MiB. */
  readonly zstdWindowLog?: number;
}

const chunkSize = 256 * 1024;
const whenDone = (): void => {}; // the consumer of the stream gets the error

/** The bytes of a file as they lie on the disk. */
export async function* fileChunks(file: string, progress: ArchiveProgress): AsyncGenerator<Buffer> {
  progress.bytesRead = 0;
  progress.bytesTotal = (await stat(file)).size;
  for await (const chunk of createReadStream(file, { highWaterMark: chunkSize })) {
    progress.bytesRead += chunk.length;
    yield chunk;
  }
}

/** The first bytes of gzip (RFC 1952) and of zstd (RFC 8878; the frame may be one to skip). */
const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
const isZstd = (head: Buffer): boolean =>
  head.length >= 4 && (head.readUInt32LE() === 0xfd2fb528 || head.readUInt32LE() >>> 4 === 0x184d2a5);
const MAGIC_BYTES = 4;

/**
 * The uncompressed bytes of a gzip, zstd or plain stream: `.gz` or `.zst` at the end of its name decides, else its first bytes. Compressed streams may
 * have several members or frames.
 */
export async function* decompressed(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { zstdWindowLog = 27 }: DecompressOptions = {},
): AsyncGenerator<Buffer> {
  const { head, all } = await peek(chunks);
  if (name.endsWith('.gz') || (isGzip(head) && !name.endsWith('.zst')))
    yield* pipeline(all, createGunzip({ chunkSize }), whenDone);
  else if (name.endsWith('.zst') || isZstd(head)) {
    const params = { [constants.ZSTD_d_windowLogMax]: zstdWindowLog };
    yield* pipeline(cutAtFrameEnds(all), createZstdDecompress({ chunkSize, params }), whenDone);
  } else yield* all;
}

/** The first four bytes, or fewer where there are no more, and all bytes. */
async function peek(
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < MAGIC_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}
