import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { systemMessage } from '../../../base/lib/app-error.ts';
import type { Columns } from '../../../base/store/database.ts';
import type { TableDigest } from '../compare.ts';
import type { PartName } from '../parts.ts';
import { CopyRefused } from '../source.ts';

/*
 * A snapshot is one file. It begins with the header, 64 KiB of text that `head -n 2` shows: a line with the format and the SHA-256 of the
 * rest of the header, then a line of JSON, filled up with blanks. The parts follow, one after the other, each compressed by zstd.
 */

const FORMAT = 1;
export const HEADER_BYTES = 64 * 1024;

/** The description at the start of a snapshot. */
export interface SnapshotHeader {
  /** Version of the program that made it. */
  readonly program: string;
  readonly schemaVersion: number;
  readonly chainId: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly tip: { readonly height: number; readonly indexBlockHash: string } | null;
  /** Entries of the journal that the index has applied. */
  readonly position: number;
  /** Entries of the journal; never fewer. */
  readonly journalLength: number;
  readonly parts: readonly SnapshotPart[];
}

export interface SnapshotPart {
  readonly name: PartName;
  /** Of the compressed part, and their SHA-256 as hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** In the order in which their rows are in the part. */
  readonly tables: readonly SnapshotTable[];
}

export interface SnapshotTable extends TableDigest {
  readonly name: string;
  readonly columns: Columns;
}

/** Writes the header in its place. */
export async function writeHeader(file: FileHandle, header: SnapshotHeader): Promise<void> {
  const json = Buffer.from(JSON.stringify(header));
  const body = Buffer.alloc(HEADER_BYTES - firstLine('').length, ' ');
  if (json.length >= body.length) throw new RangeError(`a header of ${json.length} bytes is too long`);
  json.copy(body);
  body.write('\n', body.length - 1);
  await file.write(Buffer.concat([Buffer.from(firstLine(sha256(body))), body]), 0, HEADER_BYTES, 0);
}

/** The header of a snapshot, and its SHA-256, which identifies the snapshot. */
interface ReadHeader {
  readonly header: SnapshotHeader;
  readonly digest: string;
}

/**
 * Reads a header, and compares it and every part with their checksums.
 * @throws CopyRefused when the file is no snapshot, one of another format, or damaged; the reason of the signal
 */
export async function checkSnapshot(path: string, signal: AbortSignal): Promise<ReadHeader> {
  const file = await open(path).catch(error => {
    throw new CopyRefused(`${path} cannot be read: ${systemMessage(error)}`, 'Check the path of the snapshot.', {
      cause: error,
    });
  });
  try {
    if (!(await file.stat()).isFile()) throw noSnapshot(path);
    const read = await readHeader(file, path);
    const end = endOf(read.header.parts);
    const { size } = await file.stat();
    if (size !== end) throw damaged(path, `it has ${size} bytes in place of ${end}`);
    for (const part of read.header.parts)
      if ((await digestOf(file, rangeOf(read.header, part), signal)) !== part.sha256)
        throw damaged(path, `the part ${part.name} does not have its checksum`);
    return read;
  } finally {
    await file.close();
  }
}

/** Where a part is, both ends included, as createReadStream takes them. */
export function rangeOf({ parts }: SnapshotHeader, part: SnapshotPart): { start: number; end: number } {
  const start = endOf(parts.slice(0, parts.indexOf(part)));
  return { start, end: start + part.bytes - 1 };
}

async function readHeader(file: FileHandle, path: string): Promise<ReadHeader> {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await file.read(bytes, 0, HEADER_BYTES, 0);
  const [, format, digest] = FIRST_LINE.exec(bytes.toString('latin1', 0, firstLine('').length)) ?? [];
  if (format === undefined || digest === undefined) throw noSnapshot(path);
  if (Number(format) !== FORMAT)
    throw new CopyRefused(
      `${path} has format ${format}; this program reads format ${FORMAT}`,
      'Restore it with the version of the program that made it.',
    );
  const body = bytes.subarray(firstLine('').length);
  if (bytesRead < HEADER_BYTES || sha256(body) !== digest) throw damaged(path, 'the header does not have its checksum');
  return { header: JSON.parse(body.toString()) as SnapshotHeader, digest };
}

const noSnapshot = (path: string): CopyRefused =>
  new CopyRefused(`${path} is no snapshot`, 'Name a file that `stacks-index snapshot create` has made.');

const firstLine = (digest: string): string => `stacks-index snapshot ${FORMAT} ${digest.padEnd(64)}\n`;
const FIRST_LINE = /^stacks-index snapshot (\d) ([0-9a-f]{64})\n$/;

/** Where the next part begins after these, or the file ends. */
export const endOf = (parts: readonly SnapshotPart[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, HEADER_BYTES);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function digestOf(file: FileHandle, range: { start: number; end: number }, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const chunks = file.createReadStream({ ...range, autoClose: false, highWaterMark: 1024 * 1024, signal });
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

const damaged = (path: string, what: string): CopyRefused =>
  new CopyRefused(
    `${path} is damaged: ${what}`,
    'Nothing was restored. Fetch the file again, or make a new snapshot where it came from.',
  );
