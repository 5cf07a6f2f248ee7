import { chainOf, type SnapshotHeader } from './header.ts';

/*
 * A small file names the newest of a publisher's snapshots. The publisher replaces it atomically after the snapshot is uploaded, so a reader finds the old or
 * the new one. Readers do not trust the file: they compare it with the header that it names by digest, which the publisher has signed.
 */

/** The name of the file. */
export const LATEST = 'latest.json';

/** Ending of the file with the signature of a snapshot's header. */
export const SIGNATURE = '.minisig';

export interface LatestSnapshot {
  /** Grows by one with each published snapshot. */
  readonly serial: number;
  /** The name of the snapshot beside this file. */
  readonly file: string;
  /** SHA-256 of its header, as hex. */
  readonly digest: string;
  readonly bytes: number;
  readonly chainId: string;
  readonly tip: SnapshotHeader['tip'];
  readonly schemaVersion: number;
  /** When the snapshot was made, ISO 8601. */
  readonly createdAt: string;
}

const FORMAT = 1;

/** The text of the file. */
export const latestText = (latest: LatestSnapshot): string =>
  `${JSON.stringify({ format: FORMAT, ...latest }, null, 2)}\n`;

/** The name under which a snapshot is published. */
export const publishedName = (header: SnapshotHeader, digest: string): string =>
  `${chainOf(header)}-${header.tip?.height ?? 0}-${digest.slice(0, 16)}.snapshot`;

/** A name in the same folder. */
const NAME = /^[0-9a-z][0-9a-z.-]{0,120}\.snapshot$/;

/** Reads the text of such a file; undefined for anything else, and for another format. */
export function parseLatest(text: string): LatestSnapshot | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    format,
    serial,
    file,
    digest,
    bytes,
    chainId,
    tip,
    schemaVersion,
    createdAt,
  }: Partial<Record<string, unknown>> = { ...value };
  const isRight =
    format === FORMAT &&
    isCount(serial) &&
    isText(file, NAME) &&
    isText(digest, /^[0-9a-f]{64}$/) &&
    isCount(bytes) &&
    isText(chainId, /^0x[0-9a-f]{8}$/) &&
    isCount(schemaVersion) &&
    isText(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/);
  return isRight ? { serial, file, digest, bytes, chainId, tip: tipOf(tip), schemaVersion, createdAt } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

/** The tip, for display; null for anything but a tip. */
function tipOf(value: unknown): LatestSnapshot['tip'] {
  if (typeof value !== 'object' || value === null) return null;
  const { height, indexBlockHash }: { readonly height?: unknown; readonly indexBlockHash?: unknown } = value;
  return isCount(height) && isText(indexBlockHash, /^0x[0-9a-f]{64}$/) ? { height, indexBlockHash } : null;
}

/** Whether a reader that has seen one must refuse the other as older. */
export const isOlder = (
  latest: Pick<LatestSnapshot, 'serial' | 'createdAt'>,
  seen: Pick<LatestSnapshot, 'serial' | 'createdAt'>,
): boolean => latest.serial < seen.serial || latest.createdAt < seen.createdAt;
