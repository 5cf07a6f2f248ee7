import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { cutAtFrameEnds, frameGroups } from './zstd-frames.ts';

/** Progress of a reader, in bytes of the stored file; updated while reading. */
export interface ArchiveProgress {
  bytesRead: number;
  /** 0 while unknown. */
  bytesTotal: number;
}

export interface DecompressOptions {
  /** Power of two: how far back a zstd stream may refer, which is the memory that its decoder takes. Default: 27, that is 128 MiB. */
  readonly zstdWindowLog?: number;
  /** Whether the bytes may end within a member or frame: then the decoded part is the result. */
  readonly mayEndEarly?: boolean;
  /** Receives the points of a zstd stream at which decoding can begin. */
  readonly points?: DecodingPoints | undefined;
}

interface DecodingPoints {
  /** Least number of compressed bytes between two points. */
  readonly apart: number;
  /** Called when all bytes before a point were decoded and consumed, and the next bytes are behind it. @param offset in the stream, in bytes */
  readonly onPoint: (offset: number) => void;
}

const chunkSize = 256 * 1024;
const whenDone = (): void => {}; // the consumer of the stream gets the error

/** The stored bytes of a file. @param start offset at which reading begins */
export async function* fileChunks(file: string, progress: ArchiveProgress, start = 0): AsyncGenerator<Buffer> {
  progress.bytesRead = start;
  progress.bytesTotal = (await stat(file)).size;
  // A pipe has no positions.
  for await (const chunk of createReadStream(file, { ...(start > 0 && { start }), highWaterMark: chunkSize })) {
    progress.bytesRead += chunk.length;
    yield chunk;
  }
}

/** The first bytes of gzip (RFC 1952) and of zstd (RFC 8878; the frame may be one to skip). */
const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
const isZstd = (head: Buffer): boolean =>
  head.length >= 4 && (head.readUInt32LE() === 0xfd2fb528 || head.readUInt32LE() >>> 4 === 0x184d2a5);
const MAGIC_BYTES = 4;

/** How the bytes of an archive are compressed. */
export type Compression = 'gzip' | 'zstd' | 'none';

/** `.gz` or `.zst` at the end of the name decides, else the first four bytes. */
export function compressionOf(name: string, head: Buffer): Compression {
  if (name.endsWith('.gz')) return 'gzip';
  if (name.endsWith('.zst')) return 'zstd';
  return isGzip(head) ? 'gzip' : isZstd(head) ? 'zstd' : 'none';
}

/**
 * The uncompressed bytes of a gzip, zstd or plain stream: `.gz` or `.zst` at the end of its name decides, else its first bytes. Compressed streams may
 * have several members or frames.
 */
export async function* decompressed(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { zstdWindowLog = 27, mayEndEarly = false, points }: DecompressOptions = {},
): AsyncGenerator<Buffer> {
  const { head, all } = await peek(chunks);
  const compression = compressionOf(name, head);
  switch (compression) {
    case 'gzip':
      yield* pipeline(all, createGunzip({ chunkSize, ...(mayEndEarly && GZIP_ENDS_EARLY) }), whenDone);
      break;
    case 'zstd': {
      const params = { [constants.ZSTD_d_windowLogMax]: zstdWindowLog };
      const decoder = () => createZstdDecompress({ chunkSize, params, ...(mayEndEarly && ZSTD_ENDS_EARLY) });
      if (!points) yield* pipeline(cutAtFrameEnds(all), decoder(), whenDone);
      else
        for await (const { start, bytes } of frameGroups(all, points.apart)) {
          if (start > 0) points.onPoint(start);
          yield* pipeline(bytes, decoder(), whenDone);
        }
      break;
    }
    case 'none':
      yield* all;
      break;
    default:
      compression satisfies never;
  }
}

const GZIP_ENDS_EARLY = { finishFlush: constants.Z_SYNC_FLUSH };
const ZSTD_ENDS_EARLY = { finishFlush: constants.ZSTD_e_flush };

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
