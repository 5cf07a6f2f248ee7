import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Indexer } from '../indexer/indexer.ts';
import { bindChain } from '../indexer/chain-binding.ts';
import { Journal } from '../journal/journal.ts';
import type { Database } from '../store/database.ts';
import { openDatabase, parseLocation } from '../store/open.ts';

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

function openServer(database: string): Storage {
  const db = openDatabase(parseLocation({ database }));
  return { journalDb: db, indexDb: db, close: () => db.close() };
}
