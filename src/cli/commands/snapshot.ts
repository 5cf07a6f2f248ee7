import { basename } from 'node:path';
import type { CopyProgress } from '../../operate/copy/parts.ts';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import { chainOf, HEADER_BYTES, type SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { VERSION } from '../version.ts';

const EXIT_STOPPED = 1;

/** `stacks-index snapshot create|restore FILE` @returns the exit status */
export async function snapshot(options: Options, signal: AbortSignal): Promise<number> {
  const [action, file] = options.operands;
  if (file === undefined || (action !== 'create' && action !== 'restore'))
    throw new UsageError(`snapshot needs create or restore, not ${JSON.stringify(action)}, and a file`, 'snapshot');
  const place = { data: options.data, database: options.database };
  const bar = new ProgressBar(basename(file));
  const onProgress = ({ doing, table, done, total }: CopyProgress) =>
    bar.update(done / Math.max(total, 1), `${doing} ${table} · ${done} of ${total} rows`);
  try {
    const header =
      action === 'create'
        ? await createSnapshot({ from: place, file, program: VERSION, onProgress, signal })
        : await restoreSnapshot({ file, to: place, onProgress, signal });
    bar.clear();
    process.stdout.write(describe(action, header, bar.seconds));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    const goOn = 'Run the same command again to continue; until then, no other command opens the target.';
    process.stderr.write(`\nStopped. ${action === 'create' ? 'No snapshot was made.' : goOn}\n`);
    return EXIT_STOPPED;
  }
}

function describe(action: 'create' | 'restore', header: SnapshotHeader, seconds: number): string {
  const { program, schemaVersion, createdAt, tip, position, journalLength, rebuilt, parts } = header;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, HEADER_BYTES);
  return `${action === 'create' ? 'created' : 'restored'}: ${bytes} bytes in ${Math.round(seconds)} s
  chain:   ${chainOf(header)}
  tip:     ${tip ? `${tip.height} ${tip.indexBlockHash}` : 'none'}
  events:  ${journalLength}, of which ${position} are indexed
  made by: stacks-index ${program}, schema version ${schemaVersion}, ${createdAt}
${rebuilt ? `  note:    ${rebuiltText(rebuilt)}\n` : ''}`;
}
