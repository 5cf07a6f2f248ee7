import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Journal } from '../journal/journal.ts';
import type { Database } from '../store/database.ts';
import { ensureWritable } from '../store/directory.ts';
import { type Location, openDatabase, parseLocation } from '../store/open.ts';
import { holdShared, whileAlone } from '../store/postgres-lock.ts';
import { retrying } from '../store/retry.ts';
import { sqliteError } from '../store/sqlite-errors.ts';
import { bindChain, IndexMismatch } from './chain-binding.ts';
import { currentGeneration, type JournalPlace, openGeneration, removeGeneration, schemaOf } from './generations.ts';
import { readState } from './index-state.ts';
import { Indexer } from './indexer.ts';
import { META } from './tables.ts';
import { refuseUnfinishedCopy } from './unfinished-copy.ts';

/** Where journal and index are. Plain data: it also tells a worker thread what to open. */
export interface StorageLocation {
  readonly data: string;
  readonly database: string | undefined;
  readonly chainId: number;
  /** Which index of the journal; undefined: the current one (see generations.ts). */
  readonly generation?: number;
}

/** An index, held: while it is open, nobody removes it. */
export interface OpenIndex {
  readonly indexDb: Database;
  readonly generation: number;
  close(): Promise<void>;
}

/** A journal and an index of it; `close` closes both. */
export interface Storage extends OpenIndex, JournalPlace {
  readonly index: OpenIndex;
}

/**
 * Opens journal and index, and creates what is missing. In a directory they are two SQLite files, so that writing the one
 * never waits for the other; on PostgreSQL they are tables of one schema, or of two once the index was built anew.
 * @throws IndexMismatch when the index is one that this program, called like this, must not touch
 */
export async function openStorage(location: StorageLocation): Promise<Storage> {
  const place = await openJournal(location);
  try {
    const index = await openIndex(place, location.chainId, location.generation);
    await checkPrefix(place, index).catch(async error => {
      await index.close();
      throw error;
    });
    const close = async () => {
      await index.close();
      await place.journalDb.close();
    };
    return { ...place, ...index, index, close };
  } catch (error) {
    await place.journalDb.close();
    throw error;
  }
}

/** What the index knows must be in the journal; else events that come now would be numbered as some that it has applied. */
export async function checkPrefix({ journalDb }: JournalPlace, { indexDb }: Pick<OpenIndex, 'indexDb'>): Promise<void> {
  const { position } = await indexDb.read(readState);
  const length = await new Journal(journalDb).length();
  if (position <= length) return;
  throw new IndexMismatch(
    `the index is ahead of its journal: it has applied ${position} events, the journal holds ${length}`,
    'The journal has lost its end. Restore it from a backup, or build the index from what is left: stacks-index reindex',
  );
}

/** Opens the journal alone, and creates it if it is missing; the options are for PostgreSQL. @throws UnfinishedCopy */
export async function openJournal(
  location: Pick<StorageLocation, 'data' | 'database'>,
  options: { readonly writeTimeoutMs?: number } = {},
): Promise<JournalPlace> {
  const place = openJournalToFill(location, options);
  try {
    await refuseUnfinishedCopy(place.journalDb);
    await Journal.create(place.journalDb);
    return place;
  } catch (error) {
    await place.journalDb.close();
    throw error;
  }
}

/** Opens the database of the journal, also where that is not whole yet, and creates no table in it. */
export function openJournalToFill(
  { data, database }: Pick<StorageLocation, 'data' | 'database'>,
  options: { readonly writeTimeoutMs?: number } = {},
): JournalPlace {
  return { data, database, journalDb: openDatabase(journalLocation({ data, database }), options) };
}

/** Opens a journal that is there, for reading only. @throws FatalDatabaseError (ACCESS) when there is none */
export function openJournalToRead({ data, database }: Pick<StorageLocation, 'data' | 'database'>): JournalPlace {
  return { data, database, journalDb: openDatabase(journalLocation({ data, database }, true)) };
}

function journalLocation({ data, database }: Pick<StorageLocation, 'data' | 'database'>, readOnly = false): Location {
  if (database !== undefined) return parseLocation({ database });
  // The journal is only appended to: few of its pages are needed twice.
  return {
    kind: 'sqlite',
    file: join(data, 'journal.sqlite'),
    durability: 'full',
    readOnly,
    cacheBytes: 8 * 1024 * 1024,
  };
}

/** Opens an index of the journal, the current one where no other is named, and creates what is missing of it. */
export async function openIndex(place: JournalPlace, chainId: number, generation?: number): Promise<OpenIndex> {
  const held = await holdIndex(place, generation);
  const indexDb = await openGeneration(place, held.generation);
  const close = async () => {
    await indexDb.close();
    await held.release();
  };
  try {
    await indexDb.create([META]);
    await bindChain(indexDb, chainId);
    await Indexer.create(indexDb);
    return { indexDb, generation: held.generation, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the current index of the journal for reading only. @throws FatalDatabaseError (ACCESS) when there is none */
export async function openIndexToRead(place: JournalPlace): Promise<OpenIndex> {
  const { generation, release } = await holdIndex(place);
  try {
    const indexDb = await openGeneration(place, generation, true);
    const close = async () => {
      await indexDb.close();
      await release();
    };
    return { indexDb, generation, close };
  } catch (error) {
    await release();
    throw error;
  }
}

interface HeldGeneration {
  readonly generation: number;
  release(): Promise<void>;
}

/** @throws UnfinishedCopy */
async function holdIndex(place: JournalPlace, wanted?: number): Promise<HeldGeneration> {
  const held = await holdGeneration(place, wanted);
  try {
    // Not before: a copy begins only where nobody holds the index.
    await refuseUnfinishedCopy(place.journalDb);
    return held;
  } catch (error) {
    await held.release();
    throw error;
  }
}

/** Keeps an index from being removed by other processes; in a directory, `lockStorage` does. */
async function holdGeneration(place: JournalPlace, wanted?: number): Promise<HeldGeneration> {
  for (;;) {
    const generation = wanted ?? (await currentGeneration(place));
    if (place.database === undefined) return { generation, release: async () => {} };
    const release = await holdShared(urlOf(place.database), await holdName(place, generation));
    // Another one may have become current before this one was held.
    if (wanted !== undefined || (await currentGeneration(place)) === generation) return { generation, release };
    await release();
  }
}

/** As soon as PostgreSQL can be reached, keeps an index from being removed, until the result is called. */
export function holdOnceReachable(place: JournalPlace, generation: number): () => Promise<void> {
  const { database } = place;
  if (database === undefined) return async () => {};
  const released = new AbortController();
  const held = retrying(async () => holdShared(urlOf(database), await holdName(place, generation)), {
    signal: released.signal,
    onFailure: () => undefined,
  });
  held.catch(() => undefined);
  return async () => {
    released.abort();
    await held.then(
      release => release(),
      () => undefined,
    );
  };
}

const holdName = async (place: JournalPlace, generation: number): Promise<string> =>
  `stacks-index ${await schemaOf(place)} ${generation}`;

function urlOf(database: string): string {
  const location = parseLocation({ database });
  return location.kind === 'postgres' ? location.url : database;
}

/**
 * Removes the indexes that a newer one has taken the place of, except those that a process still reads. In a directory the
 * caller must hold the lock.
 * @returns false when one is still in use
 */
export async function removeReplacedIndexes(place: JournalPlace): Promise<boolean> {
  const current = await currentGeneration(place);
  let removedAll = true;
  for (let generation = 0; generation < current; generation++) {
    const remove = () => removeGeneration(place, generation);
    const removed =
      place.database === undefined
        ? await remove().then(() => true)
        : await whileAlone(urlOf(place.database), await holdName(place, generation), remove);
    removedAll &&= removed;
  }
  return removedAll;
}

/** Does the work while no process holds the current index; in a directory the caller must hold the lock. @returns false when one does */
export async function whileUnused(place: JournalPlace, work: () => Promise<void>): Promise<boolean> {
  if (place.database !== undefined)
    return whileAlone(urlOf(place.database), await holdName(place, await currentGeneration(place)), work);
  await work();
  return true;
}

/**
 * Keeps others from writing the same directory until the result is called; the lock goes with the process, however it
 * ends. Does nothing on PostgreSQL.
 * @throws DirectoryInUse
 */
export function lockStorage({ data, database }: Pick<StorageLocation, 'data' | 'database'>): () => void {
  if (database !== undefined) return () => {};
  const release = tryLock(data, 'lock');
  if (!release) throw new DirectoryInUse(data);
  return release;
}

/** Keeps others from building the next index; the lock goes with the process. @throws ReindexRunning */
export async function whileReindexing(place: JournalPlace, work: () => Promise<void>): Promise<void> {
  const { data, database } = place;
  if (database !== undefined) {
    const alone = await whileAlone(urlOf(database), `stacks-index ${await schemaOf(place)} reindex`, work);
    if (!alone) throw new ReindexRunning();
    return;
  }
  const release = tryLock(data, 'lock-reindex');
  if (!release) throw new ReindexRunning();
  try {
    await work();
  } finally {
    release();
  }
}

function tryLock(data: string, name: string): (() => void) | undefined {
  ensureWritable(data);
  let lock: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(join(data, name));
    lock = opened;
    opened.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return () => opened.close();
  } catch (error) {
    lock?.close();
    const failure = sqliteError(error);
    if (failure.code === 'BUSY') return undefined;
    throw failure;
  }
}

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  readonly hint =
    'Stop the other process, or choose another --data directory. To replay into a directory that is served, stop `serve` meanwhile: the node sends again what is not accepted.';

  constructor(data: string) {
    super(`${data} is in use by another process`);
  }
}

export class ReindexRunning extends Error {
  override readonly name = 'ReindexRunning';
  readonly hint = 'Wait for it, or stop it: the next one goes on where it was.';

  constructor() {
    super('another process builds the index anew already');
  }
}
