import { readFile } from 'node:fs/promises';
import { type MinisignKey, verifyMinisign } from '../../../base/lib/minisign.ts';
import { CopyRefused } from '../source.ts';
import { chainOf, checkSnapshot, endOf, readHead, type SnapshotHeader } from './header.ts';
import { isOlder, LATEST, type LatestSnapshot, latestText, parseLatest, publishedName, SIGNATURE } from './latest.ts';

/** Where snapshots are published: a directory that a web server serves, or a bucket. */
export interface PublishPlace {
  /** The text of a small file; undefined for a missing file. @throws CopyRefused */
  read(name: string): Promise<string | undefined>;
  /** Writes a small file atomically: readers find the old one or the new one. @throws CopyRefused */
  write(name: string, text: string): Promise<void>;
  /** Uploads a file that readers do not know yet, unless it exists there with this length. @throws CopyRefused; the reason of the signal */
  upload(name: string, file: string, upload: UploadOptions): Promise<void>;
}

interface UploadOptions {
  readonly onProgress: (bytes: number, total: number) => void;
  readonly signal: AbortSignal;
}

interface PublishOptions {
  /** A snapshot; its signature is beside it, with `.minisig` behind the name. */
  readonly file: string;
  readonly to: PublishPlace;
  /** The key whose signature it must have; undefined: any signature, or none. */
  readonly key: MinisignKey | undefined;
  readonly onProgress: (bytes: number, total: number) => void;
  readonly signal: AbortSignal;
}

interface Published {
  readonly header: SnapshotHeader;
  readonly latest: LatestSnapshot;
  readonly isSigned: boolean;
}

/**
 * Uploads a snapshot and its signature, then makes `latest.json` name it. If it is stopped before the end, readers find the previous snapshot; the next run
 * sends the missing files.
 * @throws CopyRefused for a snapshot that is damaged, lacks the signature of the key, is of another chain than the previous one, or is older; the reason of the signal
 */
export async function publishSnapshot({ file, to, key, onProgress, signal }: PublishOptions): Promise<Published> {
  const { header, digest } = await checkSnapshot(file, signal);
  const signature = await signatureOf(file, key, digest);
  const before = await previous(to);
  const name = publishedName(header, digest);
  const latest: LatestSnapshot = {
    serial: before?.digest === digest ? before.serial : (before?.serial ?? 0) + 1,
    file: name,
    digest,
    bytes: endOf(header.parts),
    chainId: chainOf(header),
    tip: header.tip,
    schemaVersion: header.schemaVersion,
    createdAt: header.createdAt,
  };
  if (before) requireNewer(latest, before);
  await to.upload(name, file, { onProgress, signal });
  if (signature !== undefined) await to.write(`${name}${SIGNATURE}`, signature);
  signal.throwIfAborted();
  await to.write(LATEST, latestText(latest));
  return { header, latest, isSigned: signature !== undefined };
}

async function signatureOf(file: string, key: MinisignKey | undefined, digest: string): Promise<string | undefined> {
  const signature = await readFile(`${file}${SIGNATURE}`, 'latin1').catch(() => undefined);
  if (key === undefined) return signature;
  const head = await readHead(file);
  const verified = signature === undefined ? undefined : verifyMinisign(head, signature, key);
  if (verified?.ok) return signature;
  throw new CopyRefused(
    verified === undefined ? `${file} has no signature beside it` : `the signature of ${file} ${verified.error}`,
    `Sign its header (the first 64 KiB, snapshot ${digest.slice(0, 16)}) with minisign into ${file}${SIGNATURE}. Nothing was published.`,
  );
}

async function previous(to: PublishPlace): Promise<LatestSnapshot | undefined> {
  const text = await to.read(LATEST);
  if (text === undefined) return undefined;
  const latest = parseLatest(text);
  if (latest) return latest;
  throw new CopyRefused(`${LATEST} there is not one of this program`, 'Publish into another directory or prefix.');
}

function requireNewer(latest: LatestSnapshot, before: LatestSnapshot): void {
  if (latest.chainId !== before.chainId)
    throw new CopyRefused(
      `the snapshot is of chain ${latest.chainId}, that of before of ${before.chainId}`,
      'Publish each chain into a directory or prefix of its own.',
    );
  if (isOlder(latest, before))
    throw new CopyRefused(
      `the snapshot was made at ${latest.createdAt}, that of before at ${before.createdAt}`,
      'Readers refuse one that is older than one that they have seen: make a new one with `stacks-index snapshot create`.',
    );
}
