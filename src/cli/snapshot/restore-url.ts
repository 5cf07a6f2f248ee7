import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Journal } from '../../ingest/journal/journal.ts';
import type { CopyProgress } from '../../operate/copy/parts.ts';
import { chainOf, HEADER_BYTES, type SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { requireSchema, restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';
import { NothingStored, openJournalToRead } from '../../operate/storage/storage.ts';
import { readUnfinishedCopy } from '../../operate/storage/unfinished-copy.ts';
import type { Options } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { VERSION } from '../version.ts';
import { downloadSnapshot } from './download.ts';

interface Restoring {
  readonly bar: ProgressBar;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Fetches a snapshot beside the directory, shows what it is, restores it, and removes the file. */
export async function restoreFrom(
  url: URL,
  options: Options,
  { bar, onProgress, signal }: Restoring,
): Promise<SnapshotHeader> {
  const file = `${options.data.replace(/\/+$/, '')}.snapshot.partial`;
  const warn = (text: string) => {
    bar.clear();
    process.stderr.write(`${text}\n`);
  };
  if (options.snapshotKey === undefined)
    warn('No --snapshot-key: the checksums find damage, and the server is trusted. Run verify and compare afterwards.');
  await downloadSnapshot({
    url,
    file,
    signal,
    allowPrivate: options.allowPrivate,
    key: options.snapshotKey,
    version: VERSION,
    onRetry: ({ message, hint }) => warn(`${message}. ${hint}`),
    onHeader(header) {
      requireSchema(header);
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

/**
 * For `serve --snapshot`: restores a snapshot where nothing is stored yet, or continues a restore that was stopped; else it does nothing.
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

/** Chain, tip, events and version of a snapshot. @param seconds that it took; left out for a snapshot that is only described */
export function describeSnapshot(
  done: 'created' | 'found' | 'restored',
  header: SnapshotHeader,
  seconds?: number,
): string {
  const { program, schemaVersion, createdAt, tip, position, journalLength, rebuilt, parts } = header;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, HEADER_BYTES);
  return `${done}: ${bytes} bytes${seconds === undefined ? '' : ` in ${Math.round(seconds)} s`}
  chain:   ${chainOf(header)}
  tip:     ${tip ? `${tip.height} ${tip.indexBlockHash}` : 'none'}
  events:  ${journalLength}, of which ${position} are indexed
  made by: stacks-index ${program}, schema version ${schemaVersion}, ${createdAt}
${rebuilt ? `  note:    ${rebuiltText(rebuilt)}\n` : ''}`;
}
