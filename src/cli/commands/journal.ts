import { Journal } from '../../ingest/journal/journal.ts';
import { readDropped } from '../../ingest/journal/journal-format.ts';
import { type DropOutcome, dropPayloads } from '../../operate/storage/journal-drop.ts';
import { requireChain } from '../../operate/storage/known-chain.ts';
import { whileOnlyWriter, whileReindexing } from '../../operate/storage/locks.ts';
import { refuseBesideOther } from '../../operate/storage/other-indexes.ts';
import { openJournalToRead, openStorage } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';

/** `stacks-index journal [drop --below HEIGHT]` @returns the exit status */
export function journal(options: Options, signal: AbortSignal): Promise<number> {
  const [action] = options.operands;
  const { below } = options;
  if (action === undefined) {
    if (below !== undefined) throw new UsageError('--below belongs to journal drop', 'journal');
    return show(options);
  }
  if (action !== 'drop') throw new UsageError(`journal knows no action ${JSON.stringify(action)}`, 'journal');
  if (below === undefined) throw new UsageError('journal drop needs --below HEIGHT', 'journal');
  return drop({ ...options, below }, signal);
}

async function show(options: Options): Promise<number> {
  const { journalDb } = await openJournalToRead(options);
  try {
    const length = await new Journal(journalDb).length();
    const { dropped, completeFrom } = await readDropped(journalDb);
    process.stdout.write(`entries:  ${length}\ndropped:  ${dropped}\ncomplete: from position ${completeFrom}\n`);
    return 0;
  } finally {
    await journalDb.close();
  }
}

async function drop(options: Options & { readonly below: number }, signal: AbortSignal): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  await whileOnlyWriter(options, async () => {
    const chainId = await requireChain(options);
    const storage = await openStorage({ ...options, chainId });
    const bar = new ProgressBar('drop');
    try {
      // Excludes a reindex, which reads the payloads that would be dropped.
      await whileReindexing(storage, async () => {
        await refuseBesideOther(storage);
        const outcome = await dropPayloads({
          ...{ journalDb: storage.journalDb, indexDb: storage.indexDb, signal },
          below: options.below,
          burnForkDepth: options.burnForkDepth,
          onProgress: (position, end) => bar.update(position / Math.max(end, 1), `${position} of ${end} entries`),
        });
        bar.clear();
        process.stdout.write(describe(outcome));
      });
    } finally {
      await storage.close();
    }
  });
  return 0;
}

function describe({ entries, bytes, end, isDone, unused }: DropOutcome): string {
  const lines = [
    `${entries} payloads dropped, which took ${bytes} bytes; entries from position ${end} on have theirs`,
    ...(isDone ? [] : ['Stopped. Run the same command again to continue.']),
    ...(unused ? [`${unused} bytes stay in the file of the journal, and later events will use them.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
