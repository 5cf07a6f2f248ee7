import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStorage, type Storage } from '../../src/operate/storage/storage.ts';
import { TESTNET } from '../support/test-index.ts';

/** Where a program under test keeps its journal and index. */
export interface CrashStore {
  /** The options with which the program uses it. */
  readonly args: readonly string[];
  /** The directory; undefined on PostgreSQL. */
  readonly directory: string | undefined;
  /** The state that the next process will find. That process finds it untouched: a directory is read from a copy. */
  look<T>(work: (storage: Storage) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/** A new directory of SQLite files. */
export function directoryStore(parent = tmpdir()): CrashStore {
  return storeIn(mkdtempSync(join(parent, 'stacks-crash-')));
}

/** SQLite files in the directory `data` of a directory, which `remove` takes away. */
export function storeIn(directory: string): CrashStore {
  const data = join(directory, 'data');
  mkdirSync(data, { recursive: true });
  return {
    args: ['--data', data],
    directory: data,
    look: async work => {
      const copy = join(mkdtempSync(join(tmpdir(), 'stacks-look-')), 'data');
      try {
        cpSync(data, copy, { recursive: true });
        return await opened({ data: copy, database: undefined }, work);
      } finally {
        rmSync(join(copy, '..'), { recursive: true, force: true });
      }
    },
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

let schemas = 0;

/** A new schema of the PostgreSQL server at a URL. */
export function schemaStore(url: string): CrashStore {
  const schema = `crash_${process.pid}_${++schemas}_${Date.now().toString(36)}`;
  const withSchema = new URL(url);
  withSchema.searchParams.set('schema', schema);
  return {
    args: ['--database', withSchema.href],
    directory: undefined,
    look: work => opened({ data: '', database: withSchema.href }, work),
    remove: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      // What killed processes left behind on the server may still be ending.
      await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await client.end();
    },
  };
}

async function opened<T>(
  place: { data: string; database: string | undefined },
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage({ ...place, chainId: TESTNET });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
