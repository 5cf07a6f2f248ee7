import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/lib/partial-file.ts';
import { type HttpFileOptions, textBeside } from '../../base/net/http-file.ts';
import { shownUrl } from '../../base/net/http-file-error.ts';
import { makeDirectory } from '../../base/store/directory.ts';
import type { SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { isOlder, LATEST, type LatestSnapshot, parseLatest } from '../../operate/copy/snapshot/latest.ts';
import { CopyRefused } from '../../operate/copy/source.ts';

/** Name of the file in a data directory that remembers seen snapshots, by the URL of `latest.json`. */
const SEEN = 'snapshots-seen.json';

/** A snapshot that `latest.json` names. */
interface NamedSnapshot {
  readonly url: URL;
  /**
   * Compares the header with `latest.json`, and remembers that it was seen.
   * @throws CopyRefused when they differ
   */
  readonly accept: (header: SnapshotHeader, digest: string) => Promise<void>;
}

/** Whether a URL is that of a `latest.json`. */
export const namesLatest = ({ pathname }: URL): boolean => pathname.endsWith(`/${LATEST}`);

/**
 * Finds the newest snapshot of a publisher. Refuses one that is older than a snapshot seen at the same URL: a server, or a proxy, could serve
 * an old one for ever, with a valid signature.
 * @param data the directory that remembers seen snapshots
 * @throws CopyRefused; HttpFileError
 */
export async function findLatest(url: URL, data: string, options: HttpFileOptions): Promise<NamedSnapshot> {
  const name = shownUrl(url);
  const text = await textBeside(url, '', options);
  const latest = text === undefined ? undefined : parseLatest(text);
  if (latest === undefined)
    throw new CopyRefused(
      `${name} names no snapshot`,
      'Check the URL: `stacks-index snapshot publish` writes this file.',
    );
  const seen = readSeen(data);
  const before = seen[name];
  if (before && isOlder(latest, before)) throw older(name, latest, before, join(data, SEEN));
  const named = new URL(latest.file, url);
  named.search = url.search;
  return {
    url: named,
    accept: async (header, digest) => {
      if (digest !== latest.digest || header.createdAt !== latest.createdAt)
        throw new CopyRefused(
          `${shownUrl(named)} is not the snapshot that ${name} names`,
          'Nothing was written. It may be published at this moment: run the command again. If that does not help, report it to the publisher.',
        );
      const { serial, createdAt } = latest;
      await writeSeen(data, { ...seen, [name]: { serial, createdAt } });
    },
  };
}

type Seen = Readonly<Record<string, Pick<LatestSnapshot, 'serial' | 'createdAt'>>>;

/** The seen snapshots; empty if the file cannot be read. */
function readSeen(data: string): Seen {
  const file = join(data, SEEN);
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(
      entries.filter(([, { serial, createdAt }]) => typeof serial === 'number' && typeof createdAt === 'string'),
    );
  } catch {
    return {};
  }
}

function writeSeen(data: string, seen: Seen): Promise<void> {
  makeDirectory(data);
  return replaceFile(join(data, SEEN), `${JSON.stringify(seen, null, 2)}\n`);
}

const older = (name: string, latest: LatestSnapshot, before: Seen[string], file: string): CopyRefused =>
  new CopyRefused(
    `${name} names snapshot ${latest.serial} of ${latest.createdAt}; snapshot ${before.serial} of ${before.createdAt} was there before`,
    `Nothing was written. A cache may be old: try again later. If the publisher has begun anew, remove ${file}; or name the snapshot itself in place of ${LATEST}.`,
  );
