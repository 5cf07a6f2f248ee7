import { dirname } from 'node:path';
import type { CreateOptions, Database, Queries, Table, Transaction } from './database.ts';
import { createSql } from './ddl.ts';
import { ensureWritable } from './directory.ts';
import { FatalDatabaseError } from './errors.ts';
import { serialQueue } from './queue.ts';
import { readSession, workIn, writeSession } from './session.ts';
import { type HandleOptions, openSqliteHandle, type SqliteHandle } from './sqlite-handle.ts';

export interface SqliteOptions extends HandleOptions {
  /** Opens an existing file; `write` and `create` are refused. */
  readonly readOnly?: boolean;
  /** The most `read` calls that hold a snapshot at once; further ones wait. Default 4. */
  readonly readers?: number;
}

/**
 * A Database in one SQLite file, in WAL mode, whose directory is made if missing. Throws FatalDatabaseError (ACCESS, CORRUPT)
 * or RetryableDatabaseError (BUSY). A `read` within a `read`, or a `write` within a `write`, may wait for itself: never nest them.
 */
export function openSqlite(file: string, options: SqliteOptions): Database {
  if (file === '' || file.startsWith(':memory:')) {
    throw new FatalDatabaseError('ACCESS', 'an in-memory SQLite database cannot be shared by a writer and readers');
  }
  const writer = options.readOnly ? undefined : openWriter(file, options);
  const readers = readerPool(() => openSqliteHandle(file, 'reader', options), options.readers ?? 4);
  const inOrder = serialQueue();
  let closed: Promise<void> | undefined;

  /** One after the other: commits what `work` did, or nothing. */
  function transact<T>(work: (handle: SqliteHandle) => Promise<T>): Promise<T> {
    return inOrder(async () => {
      if (writer === undefined) throw new FatalDatabaseError('READ_ONLY', 'the database was opened for reading only');
      writer.beginWrite();
      try {
        const result = await work(writer);
        writer.commit();
        return result;
      } catch (error) {
        writer.rollback();
        throw error;
      }
    });
  }

  function checkOpen(): void {
    if (closed !== undefined) throw new FatalDatabaseError('CLOSED', 'the database is closed');
  }

  return {
    engine: 'sqlite',

    async create(tables: readonly Table[], options?: CreateOptions) {
      checkOpen();
      // The keys of a new index are sorted: in files, as those of a large table would fill the memory.
      const statements = [
        'PRAGMA temp_store = FILE',
        ...createSql(tables, 'sqlite', options).map(({ sql }) => sql),
        'PRAGMA temp_store = MEMORY',
      ];
      await transact(async handle => handle.exec(statements.join(';\n')));
    },

    async write<T>(work: (tx: Transaction) => Promise<T>) {
      checkOpen();
      return transact(async handle => workIn(writeSession(handle.queries), work));
    },

    async read<T>(work: (queries: Queries) => Promise<T>) {
      checkOpen();
      const handle = await readers.take();
      try {
        handle.beginRead();
        return await workIn(readSession(handle.queries), work);
      } finally {
        readers.give(handle);
      }
    },

    close() {
      closed ??= inOrder(async () => {
        await readers.close();
        writer?.close();
      });
      return closed;
    },
  };
}

function openWriter(file: string, options: SqliteOptions): SqliteHandle {
  ensureWritable(dirname(file));
  return openSqliteHandle(file, 'writer', options);
}

interface ReaderPool {
  /** A handle that nobody else uses: a free one, a new one below the limit, or the next one given back. */
  take(): Promise<SqliteHandle>;
  /** Ends the snapshot of the handle and passes it on. */
  give(handle: SqliteHandle): void;
  /** Waits until every handle is given back, then closes them all. */
  close(): Promise<void>;
}

function readerPool(open: () => SqliteHandle, limit: number): ReaderPool {
  // The first is opened at once: a file that cannot be read shows at the start.
  const free: SqliteHandle[] = [open()];
  const waiting: ((handle: SqliteHandle) => void)[] = [];
  let opened = 1;

  function nextGivenBack(): Promise<SqliteHandle> {
    return new Promise(resolve => waiting.push(resolve));
  }

  async function take(): Promise<SqliteHandle> {
    const handle = free.pop();
    if (handle !== undefined) return handle;
    if (opened >= limit) return nextGivenBack();
    const fresh = open();
    opened++;
    return fresh;
  }

  function give(handle: SqliteHandle): void {
    try {
      handle.rollback(); // a snapshot that stays open would keep the WAL from being cut back
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(handle);
      else next(handle);
    }
  }

  async function close(): Promise<void> {
    for (; opened > 0; opened--) {
      const handle = free.pop() ?? (await nextGivenBack());
      handle.close();
    }
  }

  return { take, give, close };
}
