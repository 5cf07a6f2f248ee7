import { basename } from 'node:path';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import type { SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { urlOf } from '../replay/url.ts';
import { describeSnapshot, restoreFrom, rowsOn } from '../snapshot/restore-url.ts';
import { VERSION } from '../version.ts';

const EXIT_STOPPED = 1;

/** `stacks-index snapshot create FILE`, `stacks-index snapshot restore FILE|URL` @returns the exit status */
export async function snapshot(options: Options, signal: AbortSignal): Promise<number> {
  const [action, file] = options.operands;
  if (file === undefined || (action !== 'create' && action !== 'restore'))
    throw new UsageError(`snapshot needs create or restore, not ${JSON.stringify(action)}, and a file`, 'snapshot');
  const url = action === 'restore' && /^https?:/i.test(file) ? urlOf(file, 'snapshot') : undefined;
  const place = { data: options.data, database: options.database };
  const bar = new ProgressBar(basename(url?.pathname ?? file));
  const onProgress = rowsOn(bar);
  try {
    let header: SnapshotHeader;
    if (url !== undefined) header = await restoreFrom(url, options, { bar, onProgress, signal });
    else if (action === 'create')
      header = await createSnapshot({ from: place, file, program: VERSION, onProgress, signal });
    else header = await restoreSnapshot({ file, to: place, onProgress, signal });
    bar.clear();
    process.stdout.write(describeSnapshot(action === 'create' ? 'created' : 'restored', header, bar.seconds));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    const goOn = 'Run the same command again to continue; until then, no other command opens the target.';
    process.stderr.write(`\nStopped. ${action === 'create' ? 'No snapshot was made.' : goOn}\n`);
    return EXIT_STOPPED;
  }
}
