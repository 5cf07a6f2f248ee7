import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type MinisignKey, verifyMinisign } from '../../base/lib/minisign.ts';
import { HttpFile, type HttpFileOptions, textBeside } from '../../base/net/http-file.ts';
import { shownUrl } from '../../base/net/http-file-error.ts';
import {
  damagedSnapshot,
  endOf,
  HEADER_BYTES,
  parseHeader,
  rangeOf,
  type SnapshotHeader,
} from '../../operate/copy/snapshot/header.ts';
import { CopyRefused } from '../../operate/copy/source.ts';

const CHUNK_BYTES = 1024 * 1024;

interface DownloadOptions extends HttpFileOptions {
  readonly url: URL;
  /** The file for the complete or partial snapshot. */
  readonly file: string;
  /** The key of the signature, which is at the URL with `.minisig` behind the path; undefined: unsigned snapshots are accepted too. */
  readonly key: MinisignKey | undefined;
  /** Called before anything is written, with the header and its SHA-256; its errors end the download. */
  readonly onHeader: (header: SnapshotHeader, digest: string) => void | Promise<void>;
  readonly onProgress: (bytes: number, total: number) => void;
}

/**
 * Fetches a snapshot. Keeps the bytes that an earlier call fetched of the same snapshot, and requests the rest; compares each part with its checksum as soon as
 * it is complete.
 * @throws CopyRefused for a file that is no snapshot, lacks the signature of the key, is damaged, or does not fit the disk; HttpFileError; the reason of the signal
 */
export async function downloadSnapshot(options: DownloadOptions): Promise<void> {
  const { url, file, key, onHeader, signal } = options;
  const head = await firstBytes(new HttpFile(url, options), HEADER_BYTES);
  signal.throwIfAborted();
  const { header, digest } = parseHeader(head, shownUrl(url));
  if (key !== undefined) requireSignature(head, await textBeside(url, '.minisig', options), shownUrl(url), key);
  await onHeader(header, digest);
  const end = endOf(header.parts);
  await mkdir(dirname(resolve(file)), { recursive: true });
  const output = await open(file, 'a+', 0o600);
  try {
    const kept = await keptBytes(output, head, end);
    await requireSpace(file, end - kept);
    await fetchRest(output, { ...options, head, header, kept });
  } finally {
    await output.close();
  }
}

/** Checks the signature of the header, which covers the snapshot, as the header has the checksums of all parts. */
function requireSignature(head: Buffer, signature: string | undefined, name: string, key: MinisignKey): void {
  const verified = signature === undefined ? undefined : verifyMinisign(head, signature, key);
  if (verified?.ok) return;
  throw new CopyRefused(
    verified === undefined ? `${name} has no signature` : `the signature of ${name} ${verified.error}`,
    'Nothing was written. Compare the key with the one that the publisher of the snapshot names; --insecure in place of --snapshot-key takes a snapshot without a signature.',
  );
}

interface Rest extends DownloadOptions {
  readonly head: Buffer;
  readonly header: SnapshotHeader;
  /** Bytes that the file has. */
  readonly kept: number;
}

/** Appends the missing bytes. Removes a damaged file, so that the next call does not continue it. */
async function fetchRest(output: FileHandle, { url, file, onProgress, head, header, kept, ...http }: Rest) {
  const name = shownUrl(url);
  const end = endOf(header.parts);
  const parts = new PartChecks(header, name);
  try {
    const known = await readKept(output, kept, parts);
    if (known.bytes === 0) await append(output, head, parts, known.hash);
    const start = { bytes: Math.max(known.bytes, HEADER_BYTES), hash: known.hash };
    if (start.bytes < end) {
      const source = new HttpFile(url, http, start);
      for await (const chunk of source.chunks()) {
        if (source.bytesRead > end) throw damagedSnapshot(name, `it has more than ${end} bytes`);
        await append(output, chunk, parts);
        onProgress(source.bytesRead, end);
      }
      http.signal.throwIfAborted();
      if (source.bytesRead < end) throw damagedSnapshot(name, `it has ${source.bytesRead} bytes in place of ${end}`);
    }
    await output.sync();
  } catch (error) {
    if (error instanceof CopyRefused) await rm(file, { force: true });
    throw error;
  }
}

/** @returns fewer bytes only of a shorter file, and when the signal ends the reading */
async function firstBytes(source: HttpFile, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.chunks()) {
    chunks.push(chunk);
    if (source.bytesRead >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}

/** Number of bytes of the same snapshot in a file; empties a file of another snapshot. */
async function keptBytes(file: FileHandle, head: Buffer, end: number): Promise<number> {
  const { size } = await file.stat();
  const own = Buffer.alloc(head.length);
  const { bytesRead } = await file.read(own, 0, head.length, 0);
  if (bytesRead === head.length && own.equals(head) && size <= end) return size;
  await file.truncate(0);
  return 0;
}

/** @throws CopyRefused when a disk has fewer free bytes */
async function requireSpace(file: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(resolve(file)));
  if (bavail * bsize >= bytes) return;
  throw new CopyRefused(
    `the snapshot has ${bytes} bytes to fetch; the disk of ${dirname(resolve(file))} has ${bavail * bsize} free`,
    'Make room, also for what is restored from it, or choose a directory on a larger disk with --data.',
  );
}

/** Compares the kept bytes with the checksums of their parts. @returns their length and hash; zero bytes if the file was damaged meanwhile */
async function readKept(file: FileHandle, kept: number, parts: PartChecks): Promise<{ bytes: number; hash: Hash }> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let at = 0; at < kept; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, kept - at), at);
      if (bytesRead === 0) throw new Error('the file became shorter');
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      parts.add(chunk);
      at += bytesRead;
    }
    return { bytes: kept, hash };
  } catch (error) {
    if (!(error instanceof CopyRefused)) throw error;
    await file.truncate(0);
    parts.restart();
    return { bytes: 0, hash: createHash('sha256') };
  }
}

async function append(file: FileHandle, bytes: Buffer, parts: PartChecks, hash?: Hash): Promise<void> {
  hash?.update(bytes);
  parts.add(bytes);
  await file.appendFile(bytes);
}

/** Compares the parts of a snapshot with their checksums while its bytes come, in order. */
class PartChecks {
  readonly #header: SnapshotHeader;
  readonly #name: string;
  #position = 0;
  #part = 0;
  #hash = createHash('sha256');

  constructor(header: SnapshotHeader, name: string) {
    this.#header = header;
    this.#name = name;
  }

  /** @throws CopyRefused when they complete a part with a wrong checksum */
  add(bytes: Buffer): void {
    let rest = bytes.subarray(Math.min(bytes.length, Math.max(0, HEADER_BYTES - this.#position)));
    this.#position += bytes.length - rest.length;
    while (rest.length > 0) {
      const part = this.#header.parts[this.#part];
      if (part === undefined) throw damagedSnapshot(this.#name, 'bytes follow its last part');
      const { end } = rangeOf(this.#header, part);
      const own = rest.subarray(0, end + 1 - this.#position);
      this.#hash.update(own);
      this.#position += own.length;
      rest = rest.subarray(own.length);
      if (this.#position <= end) continue;
      if (this.#hash.digest('hex') !== part.sha256)
        throw damagedSnapshot(this.#name, `the part ${part.name} does not have its checksum`);
      this.#part++;
      this.#hash = createHash('sha256');
    }
  }

  restart(): void {
    this.#position = 0;
    this.#part = 0;
    this.#hash = createHash('sha256');
  }
}
