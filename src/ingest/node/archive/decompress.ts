import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { cutAtFrameEnds } from './zstd-frames.ts';

/** How far a reader is in the file as it lies on the disk; updated while reading. */
export interface ArchiveProgress {
  bytesRead: number;
  bytesTotal: number;
}

const chunkSize = 256 * 1024;
const whenDone = (): void => {}; // the consumer of the stream gets the error

/** The uncompressed bytes of a `.gz`, `.zst` or plain file. Compressed files may have several members or frames. */
export async function* decompressedChunks(file: string, progress: ArchiveProgress): AsyncGenerator<Buffer> {
  progress.bytesRead = 0;
  progress.bytesTotal = (await stat(file)).size;
  const compressed = counted(createReadStream(file, { highWaterMark: chunkSize }), progress);
  if (file.endsWith('.gz')) yield* pipeline(compressed, createGunzip({ chunkSize }), whenDone);
  else if (file.endsWith('.zst'))
    yield* pipeline(cutAtFrameEnds(compressed), createZstdDecompress({ chunkSize }), whenDone);
  else yield* compressed;
}

async function* counted(chunks: AsyncIterable<Buffer>, progress: ArchiveProgress): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    progress.bytesRead += chunk.length;
    yield chunk;
  }
}
