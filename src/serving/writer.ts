import type { Logger } from 'pino';
import { type Delivery, Journal } from '../journal/journal.ts';
import { openMetadataDb } from '../metadata/open.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { defaultEventServerLimits, type EventServer, startEventServer } from '../node/event-server.ts';
import type { BackgroundIndexer } from '../storage/background.ts';
import { schemaOf } from '../storage/generations.ts';
import { removeReplacedIndexes } from '../storage/holds.ts';
import { followIndex } from '../storage/index-follower.ts';
import { lockStorage } from '../storage/locks.ts';
import { openJournal, openStorage } from '../storage/storage.ts';
import { postgresUrl } from '../store/open.ts';
import { retrying } from '../store/retry.ts';
import { type Candidacy, type Office, stand } from './election.ts';
import type { Message } from './messages.ts';

export interface WriterOptions {
  readonly data: string;
  /** Set when PostgreSQL is meant. */
  readonly database: string | undefined;
  readonly chainId: number;
  readonly eventHost: string;
  /** 0: no events are taken. */
  readonly eventPort: number;
  readonly eventSecret: string | undefined;
  readonly maxEventBytes: number;
  readonly maxEventNesting: number;
  readonly logLevel: string;
}

export interface WriterParts {
  readonly logger: Logger;
  readonly onEvent: Metrics['event'];
  /** What other processes, and the API of this one, may want to know. */
  readonly tell: (message: Message) => void;
  /** The indexer has failed for good. */
  readonly onFailure: (error: unknown) => void;
  /** Another index is current now. */
  readonly onSwitch: () => void;
}

export interface Writer {
  /** 0 when no events are taken. */
  readonly eventPort: number;
  /** Whether this is the process that writes the index; in a directory there is no other. */
  isActive(): boolean;
  /** Another process has added to the journal. */
  poke(): void;
  close(): Promise<void>;
}

/** How often the active writer looks for events that another process took. */
const POLL_MS = 500;
/** An event that a hanging server does not take in this time is answered 503, and comes again. */
const ACCEPT_MS = 15_000;

/**
 * Takes events into the journal, and keeps the index up to date. Of several writers on one PostgreSQL database all take events;
 * one is elected to write the index. A directory has one.
 * @throws IndexMismatch, DirectoryInUse, UnfinishedCopy, FatalDatabaseError; waits for a server that is away
 */
export async function startWriter(options: WriterOptions, parts: WriterParts): Promise<Writer> {
  const { logger, tell } = parts;
  const unlock = lockStorage(options);
  const patiently = <T>(work: () => Promise<T>) =>
    retrying(work, {
      onFailure: error => logger.warn({ err: error, hint: error.hint }, 'database not available; trying again'),
    });
  const place = await patiently(() => openJournal(options, { writeTimeoutMs: ACCEPT_MS }));
  const journal = new Journal(place.journalDb);
  let indexer: BackgroundIndexer | undefined;

  async function takeOffice(): Promise<Office> {
    const storage = await openStorage(options);
    await removeReplacedIndexes(storage).catch(async error => {
      await storage.close();
      throw error;
    });
    const follower = followIndex({
      storage,
      logger,
      chainId: options.chainId,
      logLevel: options.logLevel,
      onState: ({ position }, generation) => tell({ kind: 'index', generation, position }),
      onFailure: parts.onFailure,
      onSwitch: parts.onSwitch,
    });
    indexer = follower;
    // Messages of other writers may be lost; in a directory there are none.
    const poll = options.database === undefined ? undefined : setInterval(() => follower.poke(), POLL_MS);
    const stop = async () => {
      clearInterval(poll);
      indexer = undefined;
      await follower.stop();
      await storage.journalDb.close();
    };
    return { stop };
  }

  const post = options.database === undefined ? alwaysElected(await takeOffice()) : await candidate(options.database);

  async function candidate(database: string): Promise<Candidacy> {
    // What cannot be written by this program is refused before any event is taken.
    await patiently(async () => (await openStorage(options)).close());
    const name = `stacks-index ${await patiently(() => schemaOf(place))} writer`;
    return stand({ url: postgresUrl(database), name, logger, takeOffice, onFailure: parts.onFailure });
  }

  // The API reads them, also where nothing is fetched.
  await patiently(async () => (await openMetadataDb(options)).close());
  const events: EventServer | undefined =
    options.eventPort === 0
      ? undefined
      : await startEvents(options, parts, async delivery => {
          await journal.accept(delivery);
          // Also for a repeat: of the first delivery it may not have been known that it was stored.
          if (indexer) indexer.poke();
          else tell({ kind: 'journal' });
        });

  return {
    eventPort: events?.port ?? 0,
    isActive: () => post.isElected(),
    poke: () => indexer?.poke(),
    close: async () => {
      await events?.close();
      await post.withdraw();
      await place.journalDb.close();
      unlock();
    },
  };
}

const alwaysElected = (office: Office): Candidacy => ({ isElected: () => true, withdraw: () => office.stop() });

function startEvents(
  options: WriterOptions,
  { logger, onEvent }: WriterParts,
  accept: (delivery: Delivery) => Promise<void>,
): Promise<EventServer> {
  if (options.eventSecret === undefined && !isLoopback(options.eventHost))
    logger.warn({ host: options.eventHost }, 'anybody who reaches the event port can write events: set --event-secret');
  const { eventHost: host, eventPort: port, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting } = options;
  return startEventServer({
    host,
    port,
    limits: { ...defaultEventServerLimits, maxBodyBytes, maxNesting, closeDeadlineMs: 3000 },
    logger,
    ...(options.eventSecret !== undefined && { secret: options.eventSecret }),
    onEvent,
    accept,
  });
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);
