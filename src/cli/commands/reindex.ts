import { basename } from 'node:path';
import type { Logger } from 'pino';
import { chainIdText } from '../../ingest/chain/witness.ts';
import { type ArchiveSearch, type ReindexOptions, reindex } from '../../operate/storage/reindex.ts';
import { openJournal, openJournalToRead } from '../../operate/storage/storage.ts';
import { unprovenText } from '../../operate/storage/unproven-load.ts';
import type { Options } from '../options/options.ts';
import { lateIndexesBar, ProgressBar } from '../progress.ts';
import { requireSources, sourcesOf } from '../replay/sources.ts';

/** `stacks-index reindex` @returns the exit status */
export async function rebuildIndex(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  await (await openJournalToRead(options)).journalDb.close(); // before anything is made
  const archive = await archiveOf(options, signal);
  const place = await openJournal(options);
  const bar = new ProgressBar('reindex');
  let first: number | undefined;
  const onProgress: ReindexOptions['onProgress'] = ({ position, tip }, length) => {
    first ??= position;
    const rate = Math.round((position - first) / Math.max(bar.seconds, 0.001));
    bar.update(position / length, `height ${tip?.height ?? 0} · ${position} of ${length} events · ${rate}/s`);
  };
  const late = lateIndexesBar();
  try {
    const { finished, state, removedOld, kept, otherChain } = await reindex({
      place,
      chainId: options.chainId,
      burnForkDepth: options.burnForkDepth,
      ...(archive && { archive }),
      logger,
      onProgress,
      onLate: late.onLate,
      signal,
    });
    late.end();
    if (!finished) {
      process.stderr.write('\nStopped. Run the same command again to continue; the index in use has not changed.\n');
      return 0;
    }
    bar.finish(`height ${state.tip?.height ?? 0} · ${state.position} events`);
    if (kept !== undefined) process.stderr.write(keptText(kept));
    if (!removedOld) process.stderr.write(otherChain === undefined ? STILL_USED : leftBehind(otherChain));
    return 0;
  } finally {
    await place.journalDb.close();
  }
}

/** The archive that the operator names. */
async function archiveOf(options: Options, signal: AbortSignal): Promise<ArchiveSearch | undefined> {
  if (options.archive === undefined) return undefined;
  const named = { ...options, operands: [options.archive] };
  await requireSources(named, signal);
  const limits = { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting };
  return {
    search: async payloads => {
      for (const { name, progress, rows, proof } of sourcesOf(named, signal)) {
        const bar = new ProgressBar(basename(name));
        let count = 0;
        const text = () => `${count} events searched · ${payloads.left} payloads missing`;
        const onRow = () => {
          count++;
          bar.update(progress.bytesRead / Math.max(progress.bytesTotal, progress.bytesRead, 1), text());
        };
        await payloads.search(rows(), { limits, onRow, signal });
        bar.finish(text());
        const found = proof?.();
        if (found?.kind !== 'wrong') continue;
        const load = { source: name, reason: found.reason };
        process.stderr.write(`The index will be marked: ${unprovenText(load)}\n`);
        return load;
      }
      return undefined;
    },
    onMissing: position => process.stdout.write(`${position}\n`),
  };
}

const leftBehind = (chainId: number): string =>
  `The new index is now the current one, of chain ${chainIdText(chainId)}. Running servers go on with the old one, of another chain: start them anew with
--chain-id ${chainIdText(chainId)}, or without the option.
`;

const keptText = (schemaVersion: number): string =>
  `The index of schema version ${schemaVersion} stays: the release that made it goes on with it, also after a restart. To free its space later: stacks-index drop-old
`;

const STILL_USED = `The new index is now the current one. The old one is still in use and will be removed later. Running servers move to the new index
within seconds. Restart replays.
`;
