import { basename } from 'node:path';
import { createSnapshot } from '../../operate/copy/snapshot/create.ts';
import type { SnapshotHeader } from '../../operate/copy/snapshot/header.ts';
import { publishSnapshot } from '../../operate/copy/snapshot/publish.ts';
import { restoreSnapshot } from '../../operate/copy/snapshot/restore.ts';
import { stateHash } from '../../operate/verify/state-hash.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { urlOf } from '../replay/url.ts';
import { describeSnapshot } from '../snapshot/describe.ts';
import { publishPlaceOf } from '../snapshot/publish-target.ts';
import { type Restoring, restoreFrom, rowsOn } from '../snapshot/restore-url.ts';
import { VERSION } from '../version.ts';

const EXIT_STOPPED = 1;

const ACTIONS = ['create', 'restore', 'publish'] as const;
type Action = (typeof ACTIONS)[number];

/** `stacks-index snapshot create FILE`, `restore FILE|URL` and `publish FILE TARGET` @returns the exit status */
export async function snapshot(options: Options, signal: AbortSignal): Promise<number> {
  const [given, file, target] = options.operands;
  const action = ACTIONS.find(each => each === given);
  if (file === undefined || action === undefined)
    throw new UsageError(
      `snapshot needs create, restore or publish, not ${JSON.stringify(given)}, and a file`,
      'snapshot',
    );
  if ((target === undefined) === (action === 'publish'))
    throw new UsageError(
      action === 'publish' ? 'snapshot publish needs a target' : `snapshot ${action} needs one operand`,
      'snapshot',
    );
  const url = action === 'restore' && /^https?:/i.test(file) ? urlOf(file, 'snapshot') : undefined;
  const bar = new ProgressBar(basename(url?.pathname ?? file));
  const running = { bar, onProgress: rowsOn(bar), signal };
  try {
    if (action === 'publish') await publish(options, file, target ?? '', running);
    else await makeOrRestore(action, options, file, url, running);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write(`\nStopped. ${ON_STOP[action]}\n`);
    return EXIT_STOPPED;
  }
}

const ON_STOP: Readonly<Record<Action, string>> = {
  create: 'No snapshot was made.',
  restore: 'Run the same command again to continue; until then, no other command opens the target.',
  publish: 'Readers find the snapshot of before. Run the same command again.',
};

async function makeOrRestore(
  action: Exclude<Action, 'publish'>,
  options: Options,
  file: string,
  url: URL | undefined,
  { bar, onProgress, signal }: Restoring,
): Promise<void> {
  const place = { data: options.data, database: options.database };
  let header: SnapshotHeader;
  if (url !== undefined) header = await restoreFrom(url, options, { bar, onProgress, signal });
  else if (action === 'create')
    header = await createSnapshot({
      ...{ from: place, file, program: VERSION, onProgress, signal },
      stateHashOf: async index => (await stateHash(index, signal)).hash,
    });
  else header = await restoreSnapshot({ file, to: place, onProgress, signal });
  bar.clear();
  process.stdout.write(describeSnapshot(action === 'create' ? 'created' : 'restored', header, bar.seconds));
}

async function publish(options: Options, file: string, target: string, { bar, signal }: Restoring): Promise<void> {
  const { header, latest, isSigned } = await publishSnapshot({
    ...{ file, to: publishPlaceOf(target, options), key: options.snapshotKey, signal },
    onProgress: (bytes, total) => bar.update(bytes / Math.max(total, 1), `${bytes} of ${total} bytes`),
  });
  bar.clear();
  process.stdout.write(
    `${describeSnapshot('published', header, bar.seconds)}  latest:  ${latest.serial} ${latest.file}\n`,
  );
  if (!isSigned)
    process.stderr.write(
      `There is no ${file}.minisig: readers must give --insecure. docs/operations.md#publish-snapshots explains how to sign.\n`,
    );
}
