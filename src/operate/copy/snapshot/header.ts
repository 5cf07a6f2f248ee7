import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { systemMessage } from '../../../base/lib/app-error.ts';
import type { Columns } from '../../../base/store/database.ts';
import type { TableDigest } from '../compare.ts';
import { type PartName, TABLES_OF_PART } from '../parts.ts';
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
  /** Blocks of the index that no node has delivered, and the fields that are unknown in some of them; absent without such blocks. */
  readonly rebuilt?: { readonly count: number; readonly unknown: readonly string[] };
  /** The state hash of the index (docs/operations.md#the-state-hash); absent in snapshots of older versions. */
  readonly stateHash?: string;
  readonly parts: readonly SnapshotPart[];
}

export const chainOf = ({ chainId }: SnapshotHeader): string => `0x${chainId.toString(16).padStart(8, '0')}`;

export interface SnapshotPart {
  readonly name: PartName;
  /** Length of the compressed part, and its SHA-256 as hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** In the order in which their rows are in the part. */
  readonly tables: readonly SnapshotTable[];
}

export interface SnapshotTable extends TableDigest {
  readonly name: string;
  readonly columns: Columns;
}

/** Writes the header at the start of the file. */
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
 * @throws CopyRefused if the file is no snapshot, has another format, or is damaged; the reason of the signal
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
    if (size !== end) throw damagedSnapshot(path, `it has ${size} bytes in place of ${end}`);
    for (const part of read.header.parts)
      if ((await digestOf(file, rangeOf(read.header, part), signal)) !== part.sha256)
        throw damagedSnapshot(path, `the part ${part.name} does not have its checksum`);
    return read;
  } finally {
    await file.close();
  }
}

/** The byte range of a part, both ends included, as createReadStream takes it. */
export function rangeOf({ parts }: SnapshotHeader, part: SnapshotPart): { start: number; end: number } {
  const start = endOf(parts.slice(0, parts.indexOf(part)));
  return { start, end: start + part.bytes - 1 };
}

const readHeader = async (file: FileHandle, path: string): Promise<ReadHeader> => parseHeader(await headIn(file), path);

/** The bytes of the header of a snapshot, which its publisher signs. */
export async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  return headIn(file).finally(() => file.close());
}

async function headIn(file: FileHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await file.read(bytes, 0, HEADER_BYTES, 0);
  return bytes.subarray(0, bytesRead);
}

/**
 * Reads the header from the first HEADER_BYTES of a snapshot.
 * @param name of the file, for messages
 * @throws CopyRefused as `checkSnapshot`
 */
export function parseHeader(bytes: Buffer, name: string): ReadHeader {
  const [, format, digest] = FIRST_LINE.exec(bytes.toString('latin1', 0, firstLine('').length)) ?? [];
  if (format === undefined || digest === undefined) throw noSnapshot(name);
  if (Number(format) !== FORMAT)
    throw new CopyRefused(
      `${name} has format ${format}; this program reads format ${FORMAT}`,
      'Restore it with the version of the program that made it.',
    );
  const body = bytes.subarray(firstLine('').length);
  if (bytes.length < HEADER_BYTES || sha256(body) !== digest)
    throw damagedSnapshot(name, 'the header does not have its checksum');
  const header = parseJson(body.toString());
  if (!isHeader(header)) throw damagedSnapshot(name, 'the header does not describe a snapshot');
  return { header, digest };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/*
 * A forger can compute checksums too, so a header can contain anything. This file checks its shape; contents.ts checks that the parts match its
 * description.
 */

type Guard<T> = (value: unknown) => value is T;
type Unknown<T> = { readonly [K in keyof T]?: unknown };

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText =
  (pattern: RegExp): Guard<string> =>
  (value): value is string =>
    typeof value === 'string' && pattern.test(value);
const isCount = (value: unknown, most = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
const isListOf = <T>(value: unknown, isEntry: Guard<T>): value is readonly T[] =>
  Array.isArray(value) && value.every(isEntry);

/** Texts for a terminal must have no control characters. */
const isVersion = isText(/^[\w.+-]{1,50}$/);
const isTime = isText(/^[\dT:.Z-]{1,30}$/);
const isBlockHash = isText(/^0x[0-9a-f]{64}$/);
const isSha256 = isText(/^[0-9a-f]{64}$/);
const isStateHash = isText(/^\d{1,3}-[0-9a-f]{64}$/);
const isName = isText(/^[a-z_][a-z0-9_]{0,62}$/);

function isHeader(value: unknown): value is SnapshotHeader {
  if (!isObject(value)) return false;
  const {
    program,
    schemaVersion,
    chainId,
    createdAt,
    tip,
    position,
    journalLength,
    rebuilt,
    stateHash,
    parts,
  }: Unknown<SnapshotHeader> = value;
  return (
    isVersion(program) &&
    isCount(schemaVersion) &&
    isCount(chainId, 0xffff_ffff) &&
    isTime(createdAt) &&
    (tip === null || isTip(tip)) &&
    isCount(journalLength) &&
    isCount(position, journalLength) &&
    (rebuilt === undefined || isRebuilt(rebuilt)) &&
    (stateHash === undefined || isStateHash(stateHash)) &&
    isListOf(parts, isPart) &&
    isEachOnce(parts)
  );
}

function isRebuilt(value: unknown): value is NonNullable<SnapshotHeader['rebuilt']> {
  if (!isObject(value)) return false;
  const { count, unknown }: Unknown<NonNullable<SnapshotHeader['rebuilt']>> = value;
  return isCount(count) && isListOf(unknown, isName);
}

function isTip(value: unknown): value is NonNullable<SnapshotHeader['tip']> {
  if (!isObject(value)) return false;
  const { height, indexBlockHash }: Unknown<NonNullable<SnapshotHeader['tip']>> = value;
  return isCount(height) && isBlockHash(indexBlockHash);
}

function isPart(value: unknown): value is SnapshotPart {
  if (!isObject(value)) return false;
  const { name, bytes, sha256, tables }: Unknown<SnapshotPart> = value;
  return (
    typeof name === 'string' &&
    Object.hasOwn(TABLES_OF_PART, name) &&
    isCount(bytes) &&
    bytes > 0 &&
    isSha256(sha256) &&
    isListOf(tables, isTable) &&
    isEachOnce(tables)
  );
}

function isTable(value: unknown): value is SnapshotTable {
  if (!isObject(value)) return false;
  const { name, columns, rows, digest }: Unknown<SnapshotTable> = value;
  return isName(name) && isObject(columns) && isCount(rows) && isSha256(digest);
}

const isEachOnce = (named: readonly { readonly name: string }[]): boolean =>
  new Set(named.map(({ name }) => name)).size === named.length;

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

export const damagedSnapshot = (path: string, what: string): CopyRefused =>
  new CopyRefused(
    `${path} is damaged: ${what}`,
    'Nothing was restored. Fetch the file again, or make a new snapshot where it came from.',
  );
