import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CopyProgress } from '../../operate/copy/parts.ts';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import { chainOf, HEADER_BYTES, type SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { requireSchema, restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { downloadSnapshot } from '../snapshot/download.ts';
import { VERSION } from '../version.ts';

const EXIT_STOPPED = 1;

/** `stacks-index snapshot create FILE`, `stacks-index snapshot restore FILE|URL` @returns the exit status */
export async function snapshot(options: Options, signal: AbortSignal): Promise<number> {
  const [action, file] = options.operands;
  if (file === undefined || (action !== 'create' && action !== 'restore'))
    throw new UsageError(`snapshot needs create or restore, not ${JSON.stringify(action)}, and a file`, 'snapshot');
  const url = action === 'restore' && /^https?:/i.test(file) ? URL.parse(file) : undefined;
  if (url === null) throw new UsageError(`${JSON.stringify(file)} is not a URL`, 'snapshot');
  const place = { data: options.data, database: options.database };
  const bar = new ProgressBar(basename(url?.pathname ?? file));
  const onProgress = ({ doing, table, done, total }: CopyProgress) =>
    bar.update(done / Math.max(total, 1), `${doing} ${table} · ${done} of ${total} rows`);
  try {
    let header: SnapshotHeader;
    if (url !== undefined) header = await restoreFrom(url, options, { bar, onProgress, signal });
    else if (action === 'create')
      header = await createSnapshot({ from: place, file, program: VERSION, onProgress, signal });
    else header = await restoreSnapshot({ file, to: place, onProgress, signal });
    bar.clear();
    process.stdout.write(describe(action === 'create' ? 'created' : 'restored', header, bar.seconds));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    const goOn = 'Run the same command again to continue; until then, no other command opens the target.';
    process.stderr.write(`\nStopped. ${action === 'create' ? 'No snapshot was made.' : goOn}\n`);
    return EXIT_STOPPED;
  }
}

interface Restoring {
  readonly bar: ProgressBar;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Fetches a snapshot beside the directory, shows what it is, restores it, and removes the file. */
async function restoreFrom(
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
      warn(describe('found', header).trimEnd());
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

/** @param seconds that it took; left out for a snapshot that is only described */
function describe(done: 'created' | 'found' | 'restored', header: SnapshotHeader, seconds?: number): string {
  const { program, schemaVersion, createdAt, tip, position, journalLength, rebuilt, parts } = header;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, HEADER_BYTES);
  return `${done}: ${bytes} bytes${seconds === undefined ? '' : ` in ${Math.round(seconds)} s`}
  chain:   ${chainOf(header)}
  tip:     ${tip ? `${tip.height} ${tip.indexBlockHash}` : 'none'}
  events:  ${journalLength}, of which ${position} are indexed
  made by: stacks-index ${program}, schema version ${schemaVersion}, ${createdAt}
${rebuilt ? `  note:    ${rebuiltText(rebuilt)}\n` : ''}`;
}
