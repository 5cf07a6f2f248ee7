import { basename } from 'node:path';
import { Journal } from '../../ingest/journal/journal.ts';
import { refusePartial } from '../../ingest/journal/journal-format.ts';
import type { ArchivedEvent } from '../../ingest/node/archive/row.ts';
import { writeArchive } from '../../ingest/node/archive/write.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import { refuseWaitingEvents } from '../../operate/storage/events-waiting.ts';
import { openJournalToRead } from '../../operate/storage/storage.ts';
import { refuseUnfinishedCopy } from '../../operate/storage/unfinished-copy.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';

const EXIT_STOPPED = 1;

/** `stacks-index export FILE` @returns the exit status */
export async function exportJournal(options: Options, signal: AbortSignal): Promise<number> {
  const [file] = options.operands;
  for (const flag of ['at', 'format', 'to'] as const)
    if (options[flag] !== undefined) throw new UsageError(`--${flag} needs --list`, 'export');
  if (file === undefined)
    throw new UsageError('export needs the file of an archive, or --list and --to for lists of the chain', 'export');
  const { journalDb } = await openJournalToRead(options);
  try {
    await refuseUnfinishedCopy(journalDb);
    await refuseWaitingEvents(journalDb);
    await refusePartial(
      journalDb,
      'an archive without them would be incomplete',
      'Use the archive that the events came from; or `stacks-index copy` or `snapshot create`, which keep the journal as it is.',
    );
    const journal = new Journal(journalDb);
    const total = await journal.length();
    const bar = new ProgressBar(basename(file));
    const count = await writeArchive(file, withProgress(journal, total, bar, options.withRebuilt, signal));
    bar.finish(`${count} events`);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write('\nStopped. No archive was made.\n');
    return EXIT_STOPPED;
  } finally {
    await journalDb.close();
  }
}

async function* withProgress(
  journal: Journal,
  total: number,
  bar: ProgressBar,
  withRebuilt: boolean,
  signal: AbortSignal,
): AsyncIterable<ArchivedEvent> {
  for await (const { seq, receivedAt, path, body } of journal.entries()) {
    signal.throwIfAborted();
    if (path !== REBUILT_PATH || withRebuilt) yield { id: seq, receivedAt, path, body };
    bar.update(
      seq / Math.max(total, 1),
      `${seq} of ${total} events · ${Math.round(seq / Math.max(bar.seconds, 0.001))}/s`,
    );
  }
}
