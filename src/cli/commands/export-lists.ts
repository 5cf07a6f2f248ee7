import { exportList } from '../../operate/export/export.ts';
import { findPin } from '../../operate/export/pinned-reads.ts';
import { openIndexToRead, openJournalToRead } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';
import { VERSION } from '../version.ts';

const EXIT_STOPPED = 1;

/** `stacks-index export --list LISTS --to DIR` @returns the exit status */
export async function exportLists(options: Options, signal: AbortSignal): Promise<number> {
  const { list = [], to, format = 'parquet', at, partTransactions: size } = options;
  if (options.operands.length > 0)
    throw new UsageError('export writes an archive to a file, or with --list lists to --to; not both', 'export');
  if (options.withRebuilt) throw new UsageError('--with-rebuilt is for archives, not for --list', 'export');
  if (to === undefined) throw new UsageError('--list needs --to DIR', 'export');
  if (/^postgres(ql)?:/.test(to)) throw new UsageError('--to of export is a directory, not a database', 'export');
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    try {
      const pin = await findPin(index.indexDb, at);
      for (const name of list) {
        const bar = new ProgressBar(name);
        const onProgress = (share: number, rows: number) =>
          bar.update(share, `${rows} rows · ${Math.round(rows / Math.max(bar.seconds, 0.001))}/s`);
        const terms = { list: name, format, pin, to, size, program: VERSION };
        const done = await exportList({ ...terms, db: index.indexDb, signal, onProgress });
        bar.clear();
        const parts = `parts: ${done.written} written, ${done.kept} kept`;
        process.stdout.write(
          `${name}  ${done.rows} rows, ${done.bytes} bytes; ${parts}; as of block ${pin.height} ${pin.indexBlockHash}\n`,
        );
      }
      return 0;
    } finally {
      await index.close();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write('\nStopped. Run the same command again to continue: finished parts stay.\n');
    return EXIT_STOPPED;
  } finally {
    await place.journalDb.close();
  }
}
