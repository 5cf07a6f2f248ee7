import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../base/lib/app-error.ts';
import { ensureWritable } from '../../base/store/directory.ts';
import { postgresLocks, postgresUrl } from '../../base/store/open.ts';
import { sqliteError } from '../../base/store/sqlite-errors.ts';
import { DirectoryInUse } from './directory-in-use.ts';
import { type JournalPlace, schemaOf } from './generations.ts';
import { openJournal } from './storage.ts';

/**
 * Prevents other processes from writing the same directory until the result is called; the lock ends with the process,
 * however it ends. Does nothing on PostgreSQL.
 * @throws DirectoryInUse
 */
export function lockStorage({ data, database }: Pick<JournalPlace, 'data' | 'database'>): () => void {
  if (database !== undefined) return () => {};
  const release = tryLock(data, 'lock');
  if (!release) throw new DirectoryInUse(data);
  return release;
}

/** The lock on PostgreSQL of the process that writes the index. */
export const writerLock = (schema: string): string => `stacks-index ${schema} writer`;

/** Runs work while no other process writes the index. @throws DirectoryInUse, WriterRunning */
export async function whileOnlyWriter(
  { data, database }: Pick<JournalPlace, 'data' | 'database'>,
  work: () => Promise<void>,
): Promise<void> {
  if (database !== undefined) {
    const place = await openJournal({ data, database });
    const schema = await schemaOf(place).finally(() => place.journalDb.close());
    const { whileAlone } = await postgresLocks();
    if (!(await whileAlone(postgresUrl(database), writerLock(schema), work))) throw new WriterRunning();
    return;
  }
  const unlock = lockStorage({ data, database });
  try {
    await work();
  } finally {
    unlock();
  }
}

/** Runs work while no other process can build the next index; the lock ends with the process. @throws ReindexRunning */
export async function whileReindexing(place: JournalPlace, work: () => Promise<void>): Promise<void> {
  const { data, database } = place;
  if (database !== undefined) {
    const { whileAlone } = await postgresLocks();
    const alone = await whileAlone(postgresUrl(database), `stacks-index ${await schemaOf(place)} reindex`, work);
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

/** Takes a lock of a directory, which it creates. Returns a function that releases the lock; undefined while another process, or this one, has it. */
export function tryLock(data: string, name: string): (() => void) | undefined {
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

export class WriterRunning extends AppError {
  override readonly name = 'WriterRunning';
  override readonly kind = 'operator';

  constructor() {
    super('another process writes the index', {
      hint: 'Stop the processes that take events (mode default or writeonly) meanwhile: the node sends again what is not accepted.',
    });
  }
}

export class ReindexRunning extends AppError {
  override readonly name = 'ReindexRunning';
  override readonly kind = 'operator';

  constructor() {
    super('another process builds the index anew already', {
      hint: 'Wait for it, or stop it: the next one goes on where it was.',
    });
  }
}
