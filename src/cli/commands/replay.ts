import { basename } from 'node:path';
import type { Logger } from 'pino';
import { FatalDatabaseError, RetryableDatabaseError } from '../../base/store/errors.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { WrongNetwork } from '../../ingest/chain/witness.ts';
import { countWaitingBlocks } from '../../ingest/indexer/gaps.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { diskFloor } from '../../ingest/journal/disk-floor.ts';
import { createFollowed, noteRow } from '../../ingest/journal/followed.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { batches } from '../../ingest/node/archive/batches.ts';
import { ArchiveError, type ArchiveRow } from '../../ingest/node/archive/row.ts';
import { openMetadataDb } from '../../metadata/open.ts';
import { emptyDatabase, rememberDirectory } from '../../operate/storage/fresh-directory.ts';
import { dropRecent } from '../../operate/storage/journal-drop.ts';
import { storedChain } from '../../operate/storage/known-chain.ts';
import { makeLate } from '../../operate/storage/late-indexes.ts';
import { lockStorage } from '../../operate/storage/locks.ts';
import { openJournal, openStorage, type Storage } from '../../operate/storage/storage.ts';
import { clearUnproven, markUnproven, readUnproven, unprovenText } from '../../operate/storage/unproven-load.ts';
import { type Options, UsageError } from '../options/options.ts';
import { lateIndexesBar, ProgressBar } from '../progress.ts';
import { addRows, CHUNK, limitHeap, patiently, type RowLoad } from '../replay/add-rows.ts';
import { firstWitnessOf, requireOneNetwork } from '../replay/network.ts';
import { DiskUse, describe } from '../replay/progress.ts';
import { restartsOf } from '../replay/restart.ts';
import { type Counts, deliveriesOf, EXIT_STRICT, reportBadLines } from '../replay/rows.ts';
import type { ReplaySource } from '../replay/source.ts';
import { requireSources, sourcesOf } from '../replay/sources.ts';

/** Exit status if the bytes of an archive differ from its published checksum. */
const EXIT_UNPROVEN = 1;

/** `stacks-index replay FILE|URL|-...`, or `--from URL` @returns the exit status */
export async function replay(options: Options, logger: Logger, signal: AbortSignal): Promise<number> {
  const hasOperands = options.operands.length > 0;
  if ((options.from !== undefined) === hasOperands)
    throw new UsageError(
      hasOperands ? 'replay takes archives or --from, not both' : 'replay needs archives, or --from',
      'replay',
    );
  // Before anything is made.
  const tables = await requireSources(options, signal);
  const takeBack = rememberDirectory(options);
  let unlock = () => {};
  let evenEvents = false;
  try {
    unlock = await patiently(async () => lockStorage(options), { signal });
    const { chain, isNew, sources } = await lookAt(sourcesOf(options, signal, { tables }), options, signal);
    if (signal.aborted) {
      process.stderr.write('Stopped before anything was loaded.\n');
      return 0;
    }
    evenEvents = isNew;
    const status = await (chain === undefined
      ? journalOnly(sources, options, signal)
      : replayInto(sources, { ...options, ...chain }, logger, signal));
    evenEvents = false;
    return status;
  } catch (error) {
    // An index that was empty keeps no events of a refused archive.
    evenEvents &&= error instanceof WrongNetwork;
    if (evenEvents) await patiently(() => emptyDatabase(options), { signal });
    throw error;
  } finally {
    unlock();
    takeBack({ evenEvents });
  }
}

/** The chain of the index to fill, and whether only events identify it. */
interface Chain {
  readonly chainId: number;
  readonly isRecognised: boolean;
}

/**
 * The chain that the operator names, or that of the stored data, or that of the first witness in the sources; undefined without any.
 * While the stored data name no chain, no event may be stored that is refused later. So files are read completely beforehand, and the first source that can be
 * read only once is read up to its first witness.
 * @returns also the sources, which still start from their first row
 * @throws WrongNetwork; IndexMismatch if the operator names another chain than that of the stored data
 */
async function lookAt(given: readonly ReplaySource[], options: Options, signal: AbortSignal) {
  const stored = await patiently(() => storedChain(options), { signal });
  const named = options.chainId ?? stored;
  const isNew = stored === undefined;
  if (!isNew) return { chain: chainOf(named, options), isNew, sources: given };
  const { witness, sources } = await firstWitnessOf(given, { signal, named });
  const chain = chainOf(named ?? witness?.chainId, options);
  if (chain) await requireOneNetwork(sources, chain.chainId, signal);
  return { chain, isNew, sources };
}

const chainOf = (chainId: number | undefined, { chainId: named }: Options): Chain | undefined =>
  chainId === undefined ? undefined : { chainId, isRecognised: named === undefined };

/** Stores events without an identified network. They are indexed when an event identifies it, here or at `serve`. */
async function journalOnly(sources: readonly ReplaySource[], options: Options, signal: AbortSignal): Promise<number> {
  const { journalDb } = await patiently(() => openJournal(options), { signal });
  try {
    const journal = new Journal(journalDb);
    let worst = 0;
    for (const { name, rows } of sources) {
      const counts: Counts = { read: 0, added: 0, bad: new Map() };
      for await (const batch of batches(rows(), CHUNK)) {
        for (const row of batch) if (row.kind === 'bad') counts.bad.set(row.line, row.reason);
        const events = batch.filter(row => row.kind === 'event');
        await patiently(
          async () => {
            const fresh = deliveriesOf(await journal.onlyNew(events), options, counts);
            await journal.append(fresh);
            counts.added += fresh.length;
          },
          { signal },
        );
        if (signal.aborted || (options.strict && counts.bad.size > 0)) break;
      }
      const waiting = counts.added > 0 ? 'The events wait in the journal' : 'Nothing of it was new';
      process.stderr.write(`${name}: no transaction identifies its network. ${waiting}.\n`);
      worst = Math.max(worst, reportBadLines(name, counts.bad, options.strict));
      if (signal.aborted) process.stderr.write('Stopped. Run the same command again to continue.\n');
      if (signal.aborted || worst === EXIT_STRICT) break;
    }
    return worst;
  } finally {
    await journalDb.close();
  }
}

async function replayInto(
  sources: readonly ReplaySource[],
  options: Options & Chain,
  logger: Logger,
  signal: AbortSignal,
): Promise<number> {
  limitHeap();
  const storage = await patiently(() => openStorage({ ...options, isFilled: true }), { signal });
  // A process with --mode readonly creates nothing, and also reads token metadata.
  await patiently(async () => (await openMetadataDb(options)).close(), { signal });
  try {
    const journal = new Journal(storage.journalDb);
    const indexer = new Indexer({
      db: storage.indexDb,
      journal,
      chainId: options.chainId,
      burnForkDepth: options.burnForkDepth,
      schema: INDEX_SCHEMA,
      logger,
    });
    await patiently(() => indexer.catchUp(undefined, signal), { signal });
    const replayed = { journal, indexer, storage, options, signal };
    const worst = await replayAll(sources, replayed).catch(async error => {
      if (!(error instanceof RetryableDatabaseError || error instanceof FatalDatabaseError))
        await makeLateIndexes(replayed);
      throw error;
    });
    await makeLateIndexes(replayed);
    const waiting = await patiently(() => storage.indexDb.read(countWaitingBlocks), { signal });
    if (waiting > 0 && !signal.aborted) process.stderr.write(waitingText(waiting));
    return worst;
  } finally {
    await storage.close();
  }
}

async function replayAll(sources: readonly ReplaySource[], replay: Replay): Promise<number> {
  let worst = 0;
  for (const source of sources) {
    if (replay.signal.aborted) break;
    worst = Math.max(worst, await replaySource(source, replay));
  }
  return worst;
}

/** Makes the late indexes, unless the load was stopped: the next replay continues without them, and any other process that opens the index to write makes them. */
async function makeLateIndexes({ storage, signal }: Replay): Promise<void> {
  if (signal.aborted) return;
  const { onLate, end } = lateIndexesBar();
  await patiently(() => makeLate(storage.indexDb, onLate, signal), { signal });
  end();
  if (signal.aborted) process.stderr.write(STOPPED);
}

const STOPPED = '\nStopped. Run the same command again to continue.\n';

const waitingText = (blocks: number): string =>
  `${blocks} blocks wait for a parent that was never delivered: stacks-index gaps lists what is missing, and the ways to get it.\n`;

/** With `--journal recent`, keeps the journal small during the load. */
async function dropOld(replay: Replay): Promise<void> {
  const { storage, signal, options } = replay;
  if (options.journal === 'full') return;
  await patiently(() => dropRecent(storage, { burnForkDepth: options.burnForkDepth, signal }), replay);
}

interface Replay extends RowLoad {
  readonly storage: Storage;
  readonly options: Options & Chain;
}

async function replaySource(source: ReplaySource, replay: Replay): Promise<number> {
  const { name, progress, rows } = source;
  const { indexer, options, signal } = replay;
  const bar = new ProgressBar(basename(name));
  const disk = new DiskUse(options.database === undefined ? options.data : undefined);
  const floor = diskFloor(options.data, options.database === undefined ? options.minFreeSpace : 0);
  const counts: Counts = { read: 0, added: 0, bad: new Map() };
  let state = await patiently(() => indexer.state(), replay);
  const restarts = await restartsOf(source, replay.storage.journalDb, {
    write: work => patiently(work, replay),
    isWhole: (await patiently(() => replay.storage.indexDb.read(readUnproven), replay)) !== undefined,
  });
  const line = () => describe(counts, state, progress, { disk, bar });
  try {
    for await (const batch of batches(rows(), CHUNK)) {
      await floor.check();
      state = (await addRows(batch, replay, counts)) ?? state;
      await dropOld(replay);
      if (counts.refused) throw new WrongNetwork(counts.refused.error, `${name}:${counts.refused.line}`);
      await noteLast(batch, source, replay);
      if (counts.bad.size === 0) await restarts.note(batch);
      const share = progress.bytesRead / Math.max(progress.bytesTotal, progress.bytesRead, 1);
      const warning = await disk.measure(progress.bytesTotal === 0 ? 0 : share);
      if (warning) process.stderr.write(`\n${warning}\n`);
      bar.update(progress.bytesTotal === 0 ? 0 : share, line());
      if (options.strict && counts.bad.size > 0) break;
      if (signal.aborted) break;
    }
  } catch (error) {
    if (source.proof && error instanceof ArchiveError && error.code === 'archive_damaged')
      await patiently(
        () => markUnproven(replay.storage.indexDb, { source: name, reason: 'the archive is damaged or cut off' }),
        replay,
      );
    throw error;
  }
  if (signal.aborted) {
    process.stderr.write(STOPPED);
    return 0;
  }
  bar.finish(line());
  await restarts.forget();
  return Math.max(reportBadLines(name, counts.bad, options.strict), await judge(source, replay));
}

/** Number of the last rows to search for one whose event is in the journal: rows may be invalid, or of ignored paths. */
const NOTED_AMONG = 64;

/** Notes the last row, behind which `serve --follow` of the same table begins. */
async function noteLast(rows: readonly ArchiveRow[], { followed }: ReplaySource, replay: Replay): Promise<void> {
  if (followed === undefined) return;
  const { journalDb } = replay.storage;
  const events = rows.slice(-NOTED_AMONG).filter(row => row.kind === 'event');
  await patiently(async () => {
    const missing = new Set(await replay.journal.onlyNew(events));
    const last = events.findLast(row => !missing.has(row));
    if (last === undefined) return;
    await createFollowed(journalDb);
    await noteRow(journalDb, followed, last);
  }, replay);
}

/** Reports whether the bytes of a source have the published checksum, and marks the index if not. @returns the exit status */
async function judge({ name, proof }: ReplaySource, replay: Replay): Promise<number> {
  const found = proof?.();
  switch (found?.kind) {
    case undefined:
      return 0;
    case 'unchecked':
      process.stderr.write(`${name}: checksum not checked: ${found.reason}.\n`);
      return 0;
    case 'proven':
      process.stderr.write(
        `${name}: every byte was read, and the published checksum is right (SHA-256 ${found.sha256}).\n`,
      );
      await patiently(() => clearUnproven(replay.storage.indexDb), replay);
      return 0;
    case 'wrong': {
      const { reason } = found;
      await patiently(() => markUnproven(replay.storage.indexDb, { source: name, reason }), replay);
      process.stderr.write(
        `${name}: the checksum is wrong: ${reason}.\nThe events are loaded, and the index is marked: ${unprovenText({ source: name, reason })}\n`,
      );
      return EXIT_UNPROVEN;
    }
    default:
      return found satisfies never;
  }
}
