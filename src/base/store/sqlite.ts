import { dirname } from 'node:path';
import type { CreateOptions, Database, DatabaseTransaction, Queries, Table } from './database.ts';
import { createSql } from './ddl.ts';
import { ensureWritable } from './directory.ts';
import { FatalDatabaseError, RetryableDatabaseError } from './errors.ts';
import type { QueryObserver } from './query-observer.ts';
import { readSession, serialQueue, workIn, writeSession } from './query-session.ts';
import { type Checkpointer, canCheckpointInThread, checkpointInThread } from './sqlite-checkpointer.ts';
import { type HandleOptions, openSqliteHandle, type SqliteHandle } from './sqlite-handle.ts';
import { openSqliteSnapshots } from './sqlite-snapshots.ts';

export interface SqliteOptions extends HandleOptions {
  /** Opens an existing file; `write` and `create` are refused. */
  readonly readOnly?: boolean;
  /** The most `read` calls that hold a snapshot at once; further ones wait. Default 4. */
  readonly readers?: number;
  /** For heavy writers: a thread copies commits into the file (sqlite-checkpointer.ts), where SQLite supports it. */
  readonly checkpointThread?: boolean;
  /** Receives the cost of each read. */
  readonly observer?: QueryObserver | undefined;
}

/** Most pages that one call of `reclaim` gives back. Each may move a page from the end of the file, while other writers wait. */
const RECLAIMED_PAGES = 500;

/**
 * A Database in one SQLite file, in WAL mode, whose directory is made if missing. Throws FatalDatabaseError (ACCESS, CORRUPT)
 * or RetryableDatabaseError (BUSY). A `read` within a `read`, or a `write` within a `write`, may wait for itself: never nest them.
 */
export function openSqlite(file: string, options: SqliteOptions): Database {
  if (file === '' || file.startsWith(':memory:')) {
    throw new FatalDatabaseError('ACCESS', 'an in-memory SQLite database cannot be shared by a writer and readers');
  }
  const writer = options.readOnly ? undefined : openWriter(file, options);
  const snapshots = openSqliteSnapshots(() => openSqliteHandle(file, 'reader', options), options.readers ?? 4);
  const checkpointer = writer && checkpointerOf(writer, file, options);
  const inOrder = serialQueue();
  let closed: Promise<void> | undefined;

  /** Runs transactions one after the other; each commits all that `work` did, or nothing. */
  function transact<T>(work: (handle: SqliteHandle) => Promise<T>): Promise<T> {
    return inOrder(async () => {
      if (writer === undefined) throw new FatalDatabaseError('READ_ONLY', 'the database was opened for reading only');
      await checkpointer?.beforeWrite();
      writer.beginWrite();
      let result: T;
      try {
        result = await work(writer);
        writer.commit();
      } catch (error) {
        writer.rollback();
        throw error;
      }
      checkpointer?.afterWrite();
      return result;
    });
  }

  /** Waits while all connections are in use. */
  async function waitFor<T>(taken: Promise<T>): Promise<T> {
    const start = performance.now();
    const snapshot = await taken;
    options.observer?.waited(performance.now() - start);
    return snapshot;
  }

  function checkOpen(): void {
    if (closed !== undefined) throw new FatalDatabaseError('CLOSED', 'the database is closed');
  }

  return {
    engine: 'sqlite',

    async create(tables: readonly Table[], options?: CreateOptions) {
      checkOpen();
      // SQLite sorts the keys of a new index in files: in memory, those of a large table would fill it.
      const statements = [
        'PRAGMA temp_store = FILE',
        ...createSql(tables, 'sqlite', options).map(({ sql }) => sql),
        'PRAGMA temp_store = MEMORY',
      ];
      await transact(async handle => handle.exec(statements.join(';\n')));
    },

    async write<T>(work: (tx: DatabaseTransaction) => Promise<T>) {
      checkOpen();
      return transact(async handle => workIn(writeSession(handle.queries), work));
    },

    async read<T>(work: (queries: Queries) => Promise<T>, sharing?: object) {
      checkOpen();
      const taken = snapshots.take(sharing);
      const snapshot = taken instanceof Promise ? await waitFor(taken) : taken;
      try {
        const result = await workIn(readSession(snapshot.handle.queries, options.observer), work);
        // A failed query of another reader may have ended the transaction; later queries saw another state.
        if (!snapshot.handle.inTransaction()) throw new RetryableDatabaseError('CONFLICT', 'the snapshot has ended');
        return result;
      } catch (error) {
        snapshots.unshare(snapshot);
        throw error;
      } finally {
        snapshots.give(snapshot);
      }
    },

    reclaim() {
      checkOpen();
      return inOrder(async () => {
        if (writer === undefined) throw new FatalDatabaseError('READ_ONLY', 'the database was opened for reading only');
        return writer.shrink(RECLAIMED_PAGES);
      });
    },

    close() {
      closed ??= inOrder(async () => {
        await snapshots.close();
        await checkpointer?.close();
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

function checkpointerOf(writer: SqliteHandle, file: string, options: SqliteOptions): Checkpointer | undefined {
  if (!options.checkpointThread || !canCheckpointInThread()) return undefined;
  return checkpointInThread(writer, { file, durability: options.durability });
}
