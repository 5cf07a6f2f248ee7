import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Journal } from '../../ingest/journal/journal.ts';
import type { CopyProgress } from '../../operate/copy/parts.ts';
import type { SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { requireSchema, restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { NothingStored, openJournalToRead } from '../../operate/storage/storage.ts';
import { readUnfinishedCopy } from '../../operate/storage/unfinished-copy.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { VERSION } from '../version.ts';
import { describeSnapshot } from './describe.ts';
import { downloadSnapshot } from './download.ts';
import { findLatest, namesLatest } from './latest-seen.ts';

/** Progress display of a command, and its signal. */
export interface Restoring {
  readonly bar: ProgressBar;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Fetches a snapshot to a file beside the directory, describes it, restores it, and removes the file. */
export async function restoreFrom(
  url: URL,
  options: Options,
  { bar, onProgress, signal }: Restoring,
): Promise<SnapshotHeader> {
  requireTrust(options);
  const file = `${options.data.replace(/\/+$/, '')}.snapshot.partial`;
  const warn = (text: string) => {
    bar.clear();
    process.stderr.write(`${text}\n`);
  };
  if (options.snapshotKey === undefined)
    warn(
      'No signature is checked: the checksums find damage, and the server is trusted. Run verify and compare afterwards.',
    );
  const http = {
    ...{ signal, allowPrivate: options.allowPrivate, version: VERSION },
    onRetry: ({ message, hint }: { readonly message: string; readonly hint: string }) => warn(`${message}. ${hint}`),
  };
  const named = namesLatest(url) ? await findLatest(url, options.data, http) : undefined;
  await downloadSnapshot({
    ...http,
    url: named?.url ?? url,
    file,
    key: options.snapshotKey,
    async onHeader(header, digest) {
      requireSchema(header);
      await named?.accept(header, digest);
      warn(describeSnapshot('found', header).trimEnd());
    },
    onProgress: (bytes, total) => bar.update(bytes / total, `fetching · ${bytes} of ${total} bytes`),
  });
  const header = await restoreSnapshot({
    file,
    to: { data: options.data, database: options.database },
    onProgress,
    signal,
  });
  await rm(file);
  return header;
}

/** Requires a key or `--insecure` for a snapshot from the network. @throws UsageError */
function requireTrust({ snapshotKey, insecure, command }: Options): void {
  if (snapshotKey !== undefined || insecure) return;
  throw new UsageError(
    'a snapshot from a URL needs --snapshot-key KEY, the public key of its publisher; --insecure takes it without a signature',
    command,
  );
}

/**
 * For `serve --snapshot`: restores a snapshot if nothing is stored yet, or continues a stopped restore; else does nothing.
 * @throws the errors of `restoreFrom`; the reason of the signal
 */
export async function restoreIfEmpty(text: string, options: Options, signal: AbortSignal): Promise<void> {
  if (!(await isToBeRestored(options))) return;
  const url = new URL(text);
  const bar = new ProgressBar(basename(url.pathname));
  await restoreFrom(url, options, { bar, onProgress: rowsOn(bar), signal });
  bar.clear();
}

/** Shows the progress of a snapshot that is made or restored. */
export const rowsOn =
  (bar: ProgressBar) =>
  ({ doing, table, done, total }: CopyProgress): void =>
    bar.update(done / Math.max(total, 1), `${doing} ${table} · ${done} of ${total} rows`);

async function isToBeRestored({ data, database }: Options): Promise<boolean> {
  try {
    const { journalDb } = await openJournalToRead({ data, database });
    try {
      return (await readUnfinishedCopy(journalDb)) !== undefined || (await new Journal(journalDb).length()) === 0;
    } finally {
      await journalDb.close();
    }
  } catch (error) {
    if (error instanceof NothingStored) return true;
    throw error;
  }
}
