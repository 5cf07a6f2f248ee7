import { type DatabaseError, FatalDatabaseError, isDatabaseError, RetryableDatabaseError } from './errors.ts';

/**
 * An error of node:sqlite (or anything else thrown) as one of the two classes. Source: sqlite.org/rescode.html.
 * @param file the one that was to be opened, if any
 */
export function sqliteError(error: unknown, file?: string): DatabaseError {
  if (isDatabaseError(error)) return error;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  const text = `SQLite: ${message ?? String(error)}${file === undefined ? '' : `: ${file}`}`;
  if (code === 'ERR_OUT_OF_RANGE' || code === 'ERR_INVALID_ARG_TYPE') {
    return new FatalDatabaseError('INVALID_VALUE', text, { cause: error });
  }
  // The low byte is the primary result code, the rest refines it.
  const primary = (errcode ?? 0) & 0xff;
  const retryable = RETRYABLE[errcode ?? 0] ?? RETRYABLE[primary];
  if (retryable !== undefined) return new RetryableDatabaseError(retryable, text, { cause: error });
  if (errcode === NO_TEMPORARY_DIRECTORY)
    return new FatalDatabaseError('ACCESS', 'SQLite: there is no directory for temporary files', {
      hint: 'Name one that this program may write to: TMPDIR.',
      cause: error,
    });
  const fatal = FATAL[primary] ?? 'UNKNOWN';
  return new FatalDatabaseError(fatal, text, { cause: error });
}

/** SQLITE_IOERR_GETTEMPPATH: the database itself is whole. */
const NO_TEMPORARY_DIRECTORY = 6410;

const RETRYABLE: Readonly<Record<number, RetryableDatabaseError['code']>> = {
  5: 'BUSY', // SQLITE_BUSY
  6: 'BUSY', // SQLITE_LOCKED
  13: 'DISK_FULL', // SQLITE_FULL
  15: 'BUSY', // SQLITE_PROTOCOL
  778: 'DISK_FAILED', // SQLITE_IOERR_WRITE
  1034: 'DISK_FAILED', // SQLITE_IOERR_FSYNC: the frames that may be lost are written again
  1290: 'DISK_FAILED', // SQLITE_IOERR_DIR_FSYNC
  1546: 'DISK_FAILED', // SQLITE_IOERR_TRUNCATE
  4874: 'DISK_FULL', // SQLITE_IOERR_SHMSIZE: the index of the WAL cannot grow
};

const FATAL: Readonly<Record<number, FatalDatabaseError['code']>> = {
  1: 'SCHEMA', // SQLITE_ERROR: syntax, unknown table or column
  3: 'ACCESS', // SQLITE_PERM
  8: 'READ_ONLY', // SQLITE_READONLY
  10: 'CORRUPT', // SQLITE_IOERR: the disk cannot be read
  11: 'CORRUPT', // SQLITE_CORRUPT
  14: 'ACCESS', // SQLITE_CANTOPEN
  17: 'SCHEMA', // SQLITE_SCHEMA
  18: 'INVALID_VALUE', // SQLITE_TOOBIG
  19: 'CONSTRAINT', // SQLITE_CONSTRAINT
  20: 'INVALID_VALUE', // SQLITE_MISMATCH
  25: 'INVALID_VALUE', // SQLITE_RANGE: more parameters than placeholders
  26: 'CORRUPT', // SQLITE_NOTADB
};
