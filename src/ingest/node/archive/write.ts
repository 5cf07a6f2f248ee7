import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import {
  completePartial,
  fileSystemError,
  partialOf,
  removeLeftovers,
  replaceableFile,
} from '../../../base/lib/partial-file.ts';
import { escapeCopyText } from './copy-text.ts';
import type { ArchivedEvent } from './row.ts';
import { formatTimestamp } from './timestamp.ts';

/**
 * Writes an archive that readArchive and other readers of the format accept (docs/spec/ingestion.md#archives). The name decides
 * the compression: `.gz`, `.zst`, or plain. The file appears under its name only when it is complete and on the disk. Returns the
 * number of rows. Throws the errors of `rows` and of the file system, NotReplaceable, and a RangeError for an invalid id, time or path;
 * then there is no file.
 */
export async function writeArchive(name: string, rows: AsyncIterable<ArchivedEvent>): Promise<number> {
  const file = await replaceableFile(name);
  const temporary = partialOf(file);
  let count = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const line of archiveLines(rows)) {
      yield line;
      count++;
    }
  }
  try {
    await removeLeftovers(dirname(file), leftover => leftover === basename(file));
    const output = createWriteStream(temporary, { flags: 'wx', flush: true });
    const lines = Readable.from(counted());
    if (name.endsWith('.gz')) await pipeline(lines, createGzip(), output);
    else if (name.endsWith('.zst')) await pipeline(lines, createZstdCompress(), output);
    else await pipeline(lines, output);
    await completePartial(file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw isOf(error, temporary) ? Object.assign(error, { path: dirname(resolve(file)) }) : error;
  }
  return count;
}

/** The lines of an archive, each with its end. Throws as writeArchive. */
export async function* archiveLines(rows: AsyncIterable<ArchivedEvent>): AsyncGenerator<Uint8Array> {
  for await (const row of rows) yield encodeRow(row);
}

/** An error of this file. The operator knows its directory, but not its temporary name; what fails while it is written names no path. */
const isOf = (error: unknown, path: string): error is Error => {
  const failure = fileSystemError(error);
  return failure !== undefined && (failure.path ?? path) === path;
};

function encodeRow(row: ArchivedEvent): Uint8Array {
  if (!Number.isSafeInteger(row.id) || row.id < 0) throw new RangeError(`not an id: ${row.id}`);
  if (!row.path.startsWith('/')) throw new RangeError(`not an event path: ${row.path}`);
  const path = Buffer.from(escapeCopyText(Buffer.from(row.path))).toString();
  const head = `${row.id}\t${formatTimestamp(row.receivedAt)}\t${path}\t`;
  return Buffer.concat([Buffer.from(head), escapeCopyText(row.body), Buffer.from('\n')]);
}
