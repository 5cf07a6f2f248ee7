import type { Logger } from 'pino';
import type { Database } from '../../base/store/database.ts';
import { postgresUrl } from '../../base/store/open.ts';
import { serialQueue } from '../../base/store/query-session.ts';
import { retrying } from '../../base/store/retry.ts';
import { otherNetwork } from '../../ingest/chain/witness.ts';
import { isKnownBlock, readGaps } from '../../ingest/indexer/gaps.ts';
import { diskFloor } from '../../ingest/journal/disk-floor.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { LargeBodies } from '../../ingest/node/event-server.ts';
import type { EventError } from '../../ingest/node/events/json.ts';
import type { NodeEvent } from '../../ingest/node/events/parse.ts';
import { openMetadataDb } from '../../metadata/open.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { BackgroundIndexer } from '../storage/background.ts';
import { schemaOf } from '../storage/generations.ts';
import { removeReplacedIndexes } from '../storage/holds.ts';
import { startIndexFollower } from '../storage/index-follower.ts';
import { lockStorage, writerLock } from '../storage/locks.ts';
import { newestOther } from '../storage/other-indexes.ts';
import { openJournal, openStorage } from '../storage/storage.ts';
import { readUnproven, unprovenText } from '../storage/unproven-load.ts';
import { type ArchiveLoading, type JournalAdderParts, leadLoad, type RunningLoad } from './archive-load.ts';
import { type Election, electLeader, type Leadership } from './election.ts';
import { type EventPortOptions, startEventPort } from './event-port.ts';
import { type FollowFigures, type Following, followTable } from './follow.ts';
import { largeBodiesInThread } from './large-bodies.ts';
import type { Message } from './messages.ts';
import type { KnownChain } from './orphan-limit.ts';
import { startRepairSocket } from './repair-socket.ts';

export interface WriterOptions extends EventPortOptions {
  readonly data: string;
  /** postgres:// URL; undefined for a directory. */
  readonly database: string | undefined;
  readonly chainId: number;
  /** See StorageLocation. */
  readonly isRecognised?: boolean;
  readonly burnForkDepth: number;
  /** recent: payloads that the index does not need are dropped. */
  readonly journal: 'full' | 'recent';
  /** Bytes that stay free on the disk of the directory. */
  readonly minFreeSpace: number;
  /** Stored bytes of events that may wait while an archive is loaded. */
  readonly maxWaitingBytes: number;
  readonly logLevel: string;
  /** postgres:// URL of a database whose table of events is a source. */
  readonly follow: string | undefined;
}

interface WriterParts {
  readonly logger: Logger;
  /** Ends the wait for an unreachable server. */
  readonly signal: AbortSignal;
  readonly onEvent: Metrics['event'];
  readonly onWrongNetwork: Metrics['wrongNetwork'];
  readonly onJournalLoss: Metrics['journalLoss'];
  /** Sends a message to other processes and to the API of this one. */
  readonly tell: (message: Message) => void;
  /** The index for reading; undefined until it can be read. */
  readonly index: () => Database | undefined;
  /** The indexer has failed with an error that a retry does not repair. */
  readonly onFailure: (error: unknown) => void;
  /** Archives to load while events are accepted. */
  readonly loading: ArchiveLoading;
  /** Repairs gaps while this process is the leader; undefined if the operator does not want it. */
  readonly repairing?: ((parts: JournalAdderParts) => { stop(): Promise<void> }) | undefined;
  /** Another index has become the current one. */
  readonly onSwitch: () => void;
}

export interface Writer {
  /** 0 if there is no event server. */
  readonly eventPort: number;
  /** Whether this process writes the index. In a directory it always does. */
  isActive(): boolean;
  /** Rejects while events cannot be accepted for lack of disk space. */
  ready(): Promise<void>;
  /** Undefined if this process follows no table. */
  followed(): FollowFigures | undefined;
  /** Call it when another process has added entries to the journal. */
  poke(): void;
  /** The node has taken this transaction (hex) into its mempool: stores its event before the node sends it. */
  announce(rawTx: string): Promise<void>;
  close(): Promise<void>;
}

/** How often the active writer checks for events that another process accepted. */
const POLL_MS = 500;
/** An event that the database does not store in this time gets 503, and the node sends it again. In ms. */
export const ACCEPT_MS = 15_000;

/**
 * Accepts events into the journal and keeps the index up to date. Of several writers on one PostgreSQL database all accept events, and
 * one is elected to write the index. A directory has one writer.
 * @throws IndexMismatch, DirectoryInUse, UnfinishedCopy, FatalDatabaseError; waits for an unreachable server until the signal is given
 */
export async function startWriter(options: WriterOptions, parts: WriterParts): Promise<Writer> {
  const unlock = lockStorage(options);
  const closers: (() => Promise<void>)[] = [];
  try {
    return await startLocked(options, parts, { unlock, closers });
  } catch (error) {
    for (const close of closers.reverse()) await close();
    unlock();
    throw error;
  }
}

/** Resources that a writer closes if it does not start, the last one first. */
interface Held {
  readonly unlock: () => void;
  readonly closers: (() => Promise<void>)[];
}

async function startLocked(options: WriterOptions, parts: WriterParts, { unlock, closers }: Held): Promise<Writer> {
  const { logger, tell } = parts;
  const patiently = <T>(work: () => Promise<T>) =>
    retrying(work, {
      signal: parts.signal,
      onFailure: error => logger.warn({ err: error }, 'database not available; trying again'),
    });
  const place = await patiently(() => openJournal(options, { writeTimeoutMs: ACCEPT_MS }));
  closers.push(() => place.journalDb.close());
  const journal = new Journal(place.journalDb, {
    maxWaitingBytes: options.maxWaitingBytes,
    onLoss: ({ stored, length }) => {
      parts.onJournalLoss();
      logger.error(
        { stored, length },
        'the database has lost events that were acknowledged: replay an archive of them',
      );
    },
  });
  // This process cannot see the disk of a PostgreSQL server.
  const floor = diskFloor(options.data, options.database === undefined ? options.minFreeSpace : 0);
  let indexer: BackgroundIndexer | undefined;
  let following: Following | undefined;
  // SQLite has one writer at a time, and this thread must not wait for the other one in a statement.
  const oneByOne = serialQueue();
  const accept = (delivery: Delivery) => store(() => journal.accept(delivery).then(() => undefined));

  const store = async (write: () => Promise<void>): Promise<void> => {
    await floor.check();
    await oneByOne(write);
    // Even for a repeated event: its first delivery may have been stored without a message to the indexer.
    if (indexer) indexer.poke();
    else tell({ kind: 'journal' });
  };

  const { sources } = parts.loading;
  // Before any event is accepted.
  if (sources) await patiently(() => journal.beginLoads(sources));

  const sayLate = (table: string) =>
    logger.info({ table }, 'the process that fills this index has not made some of its indexes: making them');

  async function lead(): Promise<Leadership> {
    const storage = await openStorage(options, sayLate);
    await removeReplacedIndexes(storage).catch(async error => {
      await storage.close();
      throw error;
    });
    const unproven = await storage.indexDb.read(readUnproven);
    if (unproven) logger.warn({ source: unproven.source }, unprovenText(unproven));
    if (options.journal === 'recent' && (await newestOther(storage)))
      logger.warn('no payload is dropped while another release has its index here: see `stacks-index drop-old`');
    let load: RunningLoad | undefined;
    let indexed = 0;
    const follower = startIndexFollower({
      storage,
      logger,
      chainId: options.chainId,
      isRecognised: options.isRecognised,
      burnForkDepth: options.burnForkDepth,
      journal: options.journal,
      logLevel: options.logLevel,
      onState: ({ position }, generation) => {
        indexed = position;
        load?.indexed(position);
        tell({ kind: 'index', generation, position });
      },
      onFailure: parts.onFailure,
      onSwitch: parts.onSwitch,
    });
    indexer = follower;
    load = await leadLoad({
      journalDb: storage.journalDb,
      loading: parts.loading,
      logger,
      inTurn: oneByOne,
      onJournal: () => follower.poke(),
      onFailure: parts.onFailure,
    }).catch(async error => {
      await follower.stop();
      throw error;
    });
    load?.indexed(indexed);
    const repair = parts.repairing?.({
      inTurn: oneByOne,
      onJournal: () => follower.poke(),
      onFailure: error => logger.error({ err: error }, 'gaps are no longer repaired: the thread has failed'),
    });
    // Messages of other writers may be lost. A directory has no other writers.
    const poll = options.database === undefined ? undefined : setInterval(() => follower.poke(), POLL_MS);
    // Of several processes only the leader reads another database.
    if (options.follow !== undefined)
      following = followTable(
        { ...options, url: options.follow },
        { journal, journalDb: place.journalDb, logger, store, onFailure: parts.onFailure },
      );
    const stop = async () => {
      await following?.stop();
      following = undefined;
      clearInterval(poll);
      indexer = undefined;
      await Promise.all([load?.stop(), repair?.stop(), follower.stop()]);
      await storage.journalDb.close();
    };
    return { stop };
  }

  const election = options.database === undefined ? alwaysLeader(await lead()) : await joinElection(options.database);

  closers.push(() => election.stepDown());

  async function joinElection(database: string): Promise<Election> {
    // An index that this program cannot write is refused before any event is accepted.
    await patiently(async () => (await openStorage(options, sayLate)).close());
    const name = writerLock(await patiently(() => schemaOf(place)));
    return electLeader({ url: postgresUrl(database), name, logger, lead, onFailure: parts.onFailure });
  }

  const refuse = (event: NodeEvent): EventError | undefined => {
    const refused = otherNetwork(event, options.chainId);
    if (refused) parts.onWrongNetwork();
    return refused;
  };

  // The API reads these tables even if nothing is fetched.
  await patiently(async () => (await openMetadataDb(options)).close());
  const largeBodies = largeBodiesInThread({
    data: options.data,
    database: options.database,
    chainId: options.chainId,
    maxWaitingBytes: options.maxWaitingBytes,
    limits: { maxBodyBytes: options.maxEventBytes, maxNesting: options.maxEventNesting },
    writeTimeoutMs: ACCEPT_MS,
  });
  const large: LargeBodies = {
    async check(post, body) {
      const checked = await largeBodies.check(post, body);
      if (!checked.ok && checked.error.code === 'wrong_network') parts.onWrongNetwork();
      return checked;
    },
    accept: () =>
      store(async () => {
        const entry = await largeBodies.store();
        if (entry) journal.storedElsewhere(entry);
      }),
  };
  const events =
    options.eventPort === 0
      ? undefined
      : await startEventPort(options, { ...parts, refuse, known: chainIn(parts.index), accept, large });
  // On PostgreSQL `gaps repair` writes the journal itself.
  const repairs =
    options.database === undefined ? await startRepairSocket({ ...options, ...parts, refuse, accept }) : undefined;

  return {
    eventPort: events?.port ?? 0,
    isActive: () => election.isLeader(),
    followed: () => following?.figures(),
    ready: () => floor.check(),
    poke: () => indexer?.poke(),
    announce: rawTx =>
      accept({
        path: '/new_mempool_tx',
        receivedAt: Date.now() * 1000,
        // The same bytes as the node's event.
        body: Buffer.from(JSON.stringify([rawTx])),
      }),
    close: async () => {
      await Promise.all([events?.close(), repairs?.close()]);
      await largeBodies.close();
      await election.stepDown();
      await place.journalDb.close();
      unlock();
    },
  };
}

const alwaysLeader = (leadership: Leadership): Election => ({
  isLeader: () => true,
  stepDown: () => leadership.stop(),
});

/** Queries of the index once it can be read; until then nothing is missing. */
const chainIn = (index: WriterParts['index']): KnownChain => ({
  isKnown: async hash => (await index()?.read(queries => isKnownBlock(queries, hash))) ?? true,
  gaps: async () => (await index()?.read(readGaps)) ?? [],
});
