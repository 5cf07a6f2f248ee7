import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Journal } from '../journal/journal.ts';
import type { Database } from '../store/database.ts';
import { openDatabase, parseLocation } from '../store/open.ts';
import { bindChain } from './chain-binding.ts';
import { Indexer } from './indexer.ts';

/** Where journal and index are. Plain data: it also tells a worker thread what to open. */
export interface StorageLocation {
  readonly data: string;
  readonly database: string | undefined;
  /** Undefined where the chain does not matter, as for an export. */
  readonly chainId: number | undefined;
}

export interface Storage {
  readonly journalDb: Database;
  readonly indexDb: Database;
  close(): Promise<void>;
}

/**
 * Opens journal and index, and creates what is missing. In a directory they are two SQLite files, so that writing the one
 * never waits for the other; on PostgreSQL they are tables of one schema.
 */
export async function openStorage({ data, database, chainId }: StorageLocation): Promise<Storage> {
  const storage = database === undefined ? openDirectory(data) : openServer(database);
  await Journal.create(storage.journalDb);
  await Indexer.create(storage.indexDb);
  if (chainId !== undefined) await bindChain(storage.indexDb, chainId);
  return storage;
}

function openDirectory(data: string): Storage {
  mkdirSync(data, { recursive: true });
  // The journal is what an acknowledged event relies on; the index can always be brought up to it again.
  const journalDb = openDatabase({ kind: 'sqlite', file: join(data, 'journal.sqlite'), durability: 'full' });
  const indexDb = openDatabase({ kind: 'sqlite', file: join(data, 'index.sqlite'), durability: 'normal' });
  const close = async () => {
    await indexDb.close();
    await journalDb.close();
  };
  return { journalDb, indexDb, close };
}

/**
 * Keeps others from writing the same directory until the result is called; the lock goes with the process, however it
 * ends. Does nothing on PostgreSQL.
 * @throws DirectoryInUse
 */
export function lockStorage({ data, database }: Pick<StorageLocation, 'data' | 'database'>): () => void {
  if (database !== undefined) return () => {};
  mkdirSync(data, { recursive: true });
  const lock = new DatabaseSync(join(data, 'lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DirectoryInUse(data);
  }
  return () => lock.close();
}

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  readonly hint = 'Stop the other process, or choose another --data directory.';

  constructor(data: string) {
    super(`${data} is in use by another process`);
  }
}

function openServer(database: string): Storage {
  const db = openDatabase(parseLocation({ database }));
  return { journalDb: db, indexDb: db, close: () => db.close() };
}
