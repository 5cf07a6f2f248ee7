import type { Database } from '../../base/store/database.ts';
import { quoteName } from '../../base/store/ddl.ts';
import { type Location, openDatabase } from '../../base/store/open.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { mustWait } from '../../ingest/journal/archive-loads.ts';
import { JOURNAL_TABLES, Journal } from '../../ingest/journal/journal.ts';
import { metadataLocation } from '../../metadata/open.ts';
import { currentGeneration, inspect, type JournalPlace, locationOf, removeGeneration } from '../storage/generations.ts';
import { whileUnused } from '../storage/holds.ts';
import { lockStorage, ReindexRunning, whileReindexing } from '../storage/locks.ts';
import { openJournalToFill } from '../storage/storage.ts';
import { markUnfinishedCopy, readUnfinishedCopy, UNFINISHED_COPY } from '../storage/unfinished-copy.ts';
import { type Meter, type PartName, TABLES_OF_PART } from './parts.ts';
import { type CopyLocation, CopyRefused } from './source.ts';

/**
 * Opens the target of a copy and runs the work. Meanwhile no other process can fill it or build an index in it.
 * @throws DirectoryInUse, CopyRefused
 */
export async function whileFilling(to: CopyLocation, work: (target: JournalPlace) => Promise<void>): Promise<void> {
  const unlock = lockStorage(to);
  const target = openJournalToFill(to);
  try {
    await target.journalDb.create([UNFINISHED_COPY]); // on PostgreSQL this makes the schema, whose name the lock has
    await whileReindexing(target, () => work(target));
  } catch (error) {
    if (error instanceof ReindexRunning) throw inUse();
    throw error;
  } finally {
    await target.journalDb.close();
    unlock();
  }
}

/**
 * Makes an empty target an unfinished copy, or continues one of the same source.
 * @param source see identityOf
 * @throws CopyRefused if the target has anything else
 */
export async function beginFilling(target: JournalPlace, source: string): Promise<void> {
  const begun = await readUnfinishedCopy(target.journalDb);
  if (begun === source) return;
  if (begun !== undefined)
    throw new CopyRefused(
      'the target is the unfinished copy of another source, or the source has changed since',
      EMPTY,
    );
  const alone = await whileUnused(target, async () => {
    if (await hasContent(target)) throw new CopyRefused('the target has a journal or an index already', EMPTY);
    // An index without a block has rows too, such as its chain.
    await removeGeneration(target, await currentGeneration(target));
    await markUnfinishedCopy(target.journalDb, source);
  });
  if (!alone) throw inUse();
}

const EMPTY =
  'Name another directory or another ?schema= with --to (to restore a snapshot: --data, --database); or delete what the target has: the directory, or on PostgreSQL DROP SCHEMA ... CASCADE.';

const inUse = (): CopyRefused =>
  new CopyRefused(
    'another process uses the target',
    'Stop it, or wait until it is done: `serve`, `reindex`, or a copy.',
  );

async function hasContent(target: JournalPlace): Promise<boolean> {
  await target.journalDb.create(JOURNAL_TABLES, { indexes: 'none' });
  if ((await new Journal(target.journalDb).length()) > 0 || (await target.journalDb.read(mustWait))) return true;
  const state = await inspect(target, await currentGeneration(target), readState);
  return state !== undefined && state.position > 0;
}

/** Opens a part to fill. Its tables are the caller's business. */
export async function openPart(name: PartName, target: JournalPlace): Promise<Database> {
  switch (name) {
    case 'index':
      return openDatabase(durable(await locationOf(target, await currentGeneration(target))));
    case 'journal':
      return openJournalToFill(target).journalDb;
    case 'metadata':
      return openDatabase(durable(metadataLocation(target)));
    default:
      return name satisfies never;
  }
}

/**
 * Creates the tables of a part, without indexes. Empties the tables of the metadata: a worker may have changed them since an earlier,
 * interrupted copy, or a server may have fetched something in a place without a block.
 */
export async function createTables(name: PartName, db: Database): Promise<void> {
  const tables = TABLES_OF_PART[name];
  await db.create(tables, { indexes: 'none' });
  if (name !== 'metadata') return;
  await db.write(async tx => {
    for (const table of tables) await tx.run(`DELETE FROM ${quoteName(table.name)}`);
  });
}

/** Each in a transaction of its own, which on SQLite goes through the write-ahead log. */
export async function createIndexes(name: PartName, db: Database, meter: Meter): Promise<void> {
  for (const table of TABLES_OF_PART[name].filter(({ indexes, readIndexes }) => indexes || readIndexes)) {
    await meter('indexing', table, 0);
    await db.create([table]);
  }
}

export async function using<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** The copy counts as complete when its mark is removed: all rows must be on the disk by then. */
const durable = (location: Location): Location =>
  location.kind === 'sqlite' ? { ...location, durability: 'full' } : location;
