import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../../base/lib/app-error.ts';
import type { Database } from '../../base/store/database.ts';
import { isDatabaseError } from '../../base/store/errors.ts';
import { retrying } from '../../base/store/retry.ts';
import { WrongNetwork, witnessRefused } from '../../ingest/chain/witness.ts';
import { type ArchiveLoad, openLoads } from '../../ingest/journal/archive-loads.ts';
import { diskFloor } from '../../ingest/journal/disk-floor.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { type BatchLimits, batches } from '../../ingest/node/archive/batches.ts';
import type { UnprovenLoad } from '../../operate/storage/unproven-load.ts';
import type { Options } from '../options/options.ts';
import { firstWitnessOf } from '../replay/network.ts';
import { restartsOf } from '../replay/restart.ts';
import { type Counts, deliveriesOf, SHOWN_BAD_LINES } from '../replay/rows.ts';
import type { ReplaySource } from '../replay/source.ts';
import { loadNameOf, sourcesOf } from '../replay/sources.ts';
import { LoadEstimate } from './estimate.ts';

/** Options of a load; plain data. */
export interface LoadOptions
  extends Pick<
    Options,
    'data' | 'database' | 'maxEventBytes' | 'maxEventNesting' | 'zstdWindowLog' | 'allowPrivate' | 'minFreeSpace'
  > {
  /** Files and URLs, in their order. */
  readonly archives: readonly string[];
}

interface LoadParts {
  readonly journalDb: Database;
  readonly chainId: number;
  /** Whether the operator names the network and the stored data do not: then an archive of another network is refused before any of its rows is stored. */
  readonly isUnwitnessed: () => Promise<boolean>;
  /** Runs work while nothing else in this process writes the journal. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether the index is marked. */
  readonly isUnproven: () => Promise<boolean>;
  /** Marks the index, or clears its mark. */
  readonly onProof: (unproven: UnprovenLoad | undefined) => Promise<void>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Limits of the rows that are read, checked and stored at once; by default 400 rows or 4 MB. */
  readonly part?: BatchLimits;
  /** See urlSource. */
  readonly restartBytes?: number;
}

/** Limits of the rows that are read, checked and stored at once; meanwhile live events wait for their turn. */
const PART: BatchLimits = { rows: 400, bytes: 4 * 1024 * 1024 };
/** Milliseconds between two notes of the progress of an archive while its rows are not new. */
const NOTE_MS = 2_000;
/** Milliseconds before another attempt for an archive that could not be reached, or changed. */
const AGAIN_MS = 30_000;

const WAY_OUT =
  'Events of the node wait meanwhile. Start `serve` with another archive in --replay, or with --replay none to go on with what is loaded.';

/**
 * Loads the open archives into the journal, in their order (docs/mainnet.md). Then the waiting events of the node join it. A failure caused by an archive is
 * noted and logged, and the rest stays open.
 * @throws errors that no archive caused, such as FatalDatabaseError
 */
export async function loadArchives(options: LoadOptions, parts: LoadParts): Promise<void> {
  const { logger, signal, journalDb } = parts;
  const journal = new Journal(journalDb);
  const context = { ...parts, options, journal };
  const open = await patiently(() => journalDb.read(openLoads), parts);
  for (const archive of options.archives) {
    const load = open.find(({ source }) => source === loadNameOf(archive));
    if (load && !(await loadArchive(archive, load, context))) return;
  }
  let joined = 0;
  while (!signal.aborted) {
    const count = await store(context, () => journal.joinWaiting());
    joined += count;
    if (count === 0) break;
  }
  if (joined > 0) logger.info({ events: joined }, 'the events that waited have joined the journal');
}

interface Context extends LoadParts {
  readonly options: LoadOptions;
  readonly journal: Journal;
}

/** @returns whether the archive is complete now */
async function loadArchive(archive: string, load: ArchiveLoad, context: Context): Promise<boolean> {
  const { logger, signal } = context;
  logger.info({ source: load.source }, 'loading an archive; events of the node wait for its end');
  while (!signal.aborted)
    try {
      return await readArchive(archive, load, context);
    } catch (error) {
      if (signal.aborted) return false;
      if (!isOfArchive(error)) throw error;
      if (!isPassing(error)) {
        if (error.code === 'archive_damaged') await context.onProof({ source: load.source, reason: CUT_OFF });
        await fail(load, `${error.message}. ${error.hint}`, context);
        return false;
      }
      logger.warn({ source: load.source, reason: error.message }, 'reading the archive again from its start');
      await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  return false;
}

const CUT_OFF = 'the archive is damaged or cut off';

const isOfArchive = (error: unknown): error is AppError =>
  error instanceof AppError && !isDatabaseError(error) && (error.kind === 'operator' || error.kind === 'usage');

/** Whether another attempt may succeed: archives that are published every night change while they are read. Each attempt skips stored rows, so it gets further. */
const isPassing = ({ code }: AppError): boolean => code === 'url_unreachable' || code === 'url_changed';

/** Reads an archive from its start, and stores new rows. @returns whether it is complete now */
async function readArchive(archive: string, load: ArchiveLoad, context: Context): Promise<boolean> {
  const { options, journal, chainId, signal, logger, part = PART } = context;
  const source = await ofNetwork(sourceOf(archive, options, context), context);
  const restarts = await restartsOf(source, context.journalDb, {
    write: work => store(context, work),
    isWhole: await patiently(() => context.isUnproven(), context),
  });
  const { progress } = source;
  const floor = diskFloor(options.data, options.database === undefined ? options.minFreeSpace : 0);
  const counts: Counts = { read: 0, added: 0, bad: new Map() };
  const estimate = new LoadEstimate();
  let notedAt = 0;
  const now = (): ArchiveLoad => {
    const { bytesRead, bytesTotal } = progress;
    const estimatedEnd = estimate.endOf(bytesRead, bytesTotal, Date.now());
    return { ...load, state: 'loading', reason: '', bytesRead, bytesTotal, estimatedEnd };
  };
  for await (const batch of batches(source.rows(), part)) {
    if (signal.aborted) return false;
    await patiently(() => floor.check(), context);
    for (const row of batch) if (row.kind === 'bad') counts.bad.set(row.line, row.reason);
    const events = batch.filter(row => row.kind === 'event');
    const fresh = await patiently(() => journal.onlyNew(events), context);
    const deliveries = deliveriesOf(fresh, { ...options, strict: false }, counts, chainId);
    if (deliveries.length > 0) counts.added += (await store(context, () => journal.append(deliveries, now()))).length;
    else if (performance.now() - notedAt > NOTE_MS) {
      await store(context, () => journal.noteLoad(now()));
      notedAt = performance.now();
    }
    if (counts.refused) throw new WrongNetwork(counts.refused.error, `${source.name}:${counts.refused.line}`);
    if (counts.bad.size === 0) await restarts.note(batch);
  }
  if (signal.aborted) return false;
  if (counts.bad.size > 0)
    logger.warn(
      { source: load.source, lines: counts.bad.size, first: [...counts.bad].slice(0, SHOWN_BAD_LINES) },
      'lines of the archive cannot be read and were skipped',
    );
  await restarts.forget();
  return judge(source, { ...now(), estimatedEnd: null }, counts.added, context);
}

/** Compares the bytes with the published checksum, which decides whether the archive is complete. */
async function judge({ proof }: ReplaySource, load: ArchiveLoad, events: number, context: Context): Promise<boolean> {
  const { logger, journal, onProof } = context;
  const { source } = load;
  const found = proof?.() ?? { kind: 'unchecked', reason: 'it is a file' };
  switch (found.kind) {
    case 'wrong':
      await onProof({ source, reason: found.reason });
      await fail(load, `The checksum is wrong: ${found.reason}.`, context);
      return false;
    case 'proven':
      await onProof(undefined);
      break;
    case 'unchecked':
      break;
    default:
      found satisfies never;
  }
  await store(context, () => journal.noteLoad({ ...load, state: 'complete' }));
  logger.info({ source, events, checksum: found.kind }, 'the archive is loaded');
  return true;
}

async function fail(load: ArchiveLoad, problem: string, context: Context): Promise<void> {
  const reason = `${problem} ${WAY_OUT}`;
  await store(context, () => context.journal.noteLoad({ ...load, state: 'failed', reason, estimatedEnd: null }));
  context.logger.error({ source: load.source, reason }, 'the archive cannot be loaded');
}

/** @throws WrongNetwork for an archive whose first witness is of another network, while the stored data name none */
async function ofNetwork(source: ReplaySource, { chainId, signal, isUnwitnessed }: Context): Promise<ReplaySource> {
  if (!(await isUnwitnessed())) return source;
  const named = source.isReadOnce ? chainId : undefined;
  const { witness, sources } = await firstWitnessOf([source], { signal, named });
  if (witness && witness.chainId !== chainId) throw new WrongNetwork(witnessRefused(witness, chainId), witness.place);
  return sources[0] ?? source;
}

/**
 * The network of the first block in the archives that names one. Stores nothing.
 * @returns undefined when the signal comes first, or if no archive names one, which is logged
 */
export async function recogniseChain(
  options: LoadOptions,
  { logger, signal }: Pick<LoadParts, 'logger' | 'signal'>,
): Promise<number | undefined> {
  for (const archive of options.archives)
    for (let isRead = false; !isRead && !signal.aborted; ) {
      const closing = new AbortController();
      try {
        const whileOpen = AbortSignal.any([signal, closing.signal]);
        const source = sourceOf(archive, options, { logger, signal: whileOpen });
        const { witness } = await firstWitnessOf([source], { signal: whileOpen, named: undefined });
        if (witness) return witness.chainId;
        isRead = true;
      } catch (error) {
        if (!isOfArchive(error)) throw error;
        logger.error(
          { source: loadNameOf(archive), reason: error.message, hint: error.hint },
          'the archive cannot be read',
        );
        isRead = !isPassing(error);
        if (!isRead) await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      } finally {
        closing.abort();
      }
    }
  if (!signal.aborted)
    logger.error('no archive identifies its network, and events of the node wait: name it with --chain-id');
  return undefined;
}

function sourceOf(
  archive: string,
  options: LoadOptions,
  { logger, signal, restartBytes }: Pick<LoadParts, 'logger' | 'signal' | 'restartBytes'>,
): ReplaySource {
  const onRetry = ({ message, hint }: { readonly message: string; readonly hint: string }) =>
    logger.warn({ hint }, message);
  const [source] = sourcesOf({ ...options, from: undefined, operands: [archive] }, signal, { onRetry, restartBytes });
  if (!source) throw new Error('an archive is one source');
  return source;
}

/** Writes the journal, in turn. Retries while the database is unreachable or full; between two tries others may write. */
const store = <T>(context: Context, write: () => Promise<T>): Promise<T> =>
  patiently(() => context.inTurn(write), context);

const patiently = <T>(work: () => Promise<T>, { signal, logger }: Pick<LoadParts, 'signal' | 'logger'>): Promise<T> =>
  retrying(work, {
    signal,
    onFailure: error => logger.warn({ err: error }, 'the load waits for the database; trying again'),
  });
