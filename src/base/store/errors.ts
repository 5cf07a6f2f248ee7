/**
 * What can go wrong in a database, in two kinds: worth trying again, or not. Both drivers translate their engine's errors
 * into these, so that no other module knows a SQLSTATE or a SQLite result code.
 */

import { AppError, errorOfThread } from '../lib/app-error.ts';

export type RetryableCode =
  /** The connection broke while a statement ran. */
  | 'CONNECTION_LOST'
  /** No connection could be made. */
  | 'CONNECTION_REFUSED'
  /** The connection broke during COMMIT: the transaction may or may not have happened. Look before trying again. */
  | 'COMMIT_UNKNOWN'
  /** Another process holds the lock. */
  | 'BUSY'
  /** The engine gave up on this transaction in favour of another (serialization failure, deadlock). */
  | 'CONFLICT'
  /** The server is stopping or starting. */
  | 'SHUTDOWN'
  | 'TIMEOUT'
  /** The server has no connection or no memory left. */
  | 'OVERLOADED'
  /** The server takes no writes: it is a standby, or about to become the primary. */
  | 'STANDBY'
  /** Until space is freed; what is stored can be read meanwhile. */
  | 'DISK_FULL'
  /** The disk takes no writes, as Linux makes it after an error; what is stored can be read meanwhile. */
  | 'DISK_FAILED'
  /** A prepared statement no longer fits its table; a new connection prepares it anew. */
  | 'STALE_PLAN';

export type FatalCode =
  /** The statement and the schema do not fit: unknown table or column, syntax, type. */
  | 'SCHEMA'
  | 'CONSTRAINT'
  | 'READ_ONLY'
  | 'CORRUPT'
  /** The database cannot be opened: path, rights, password, name. */
  | 'ACCESS'
  /** A value the engines do not store alike: NUL in text, an unsafe integer, undefined, a wrong type. */
  | 'INVALID_VALUE'
  /** The response to one statement exceeds ResultLimits. */
  | 'RESULT_TOO_LARGE'
  /** The program broke a rule of the Database interface. */
  | 'MISUSE'
  /** A payload of the journal is needed that was dropped to free its space. */
  | 'PAYLOAD_DROPPED'
  /** A newer version of the program has made the database. */
  | 'NEWER_FORMAT'
  | 'CLOSED'
  | 'UNKNOWN';

export type DatabaseError = RetryableDatabaseError | FatalDatabaseError;

/** The same call may succeed later, on a new connection if need be. */
export class RetryableDatabaseError extends AppError {
  override readonly name = 'RetryableDatabaseError';
  override readonly kind = 'retry';
  declare readonly code: RetryableCode;

  constructor(code: RetryableCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { code, hint: options.hint ?? RETRYABLE_HINTS[code], cause: options.cause });
  }
}

/** Trying again changes nothing: the program, the schema or the rights must change first. */
export class FatalDatabaseError extends AppError {
  override readonly name = 'FatalDatabaseError';
  override readonly kind = 'operator';
  declare readonly code: FatalCode;

  constructor(code: FatalCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { code, hint: options.hint ?? FATAL_HINTS[code], cause: options.cause });
  }
}

/** Is this one of the two classes above? */
export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof RetryableDatabaseError || error instanceof FatalDatabaseError;
}

/** An error as another thread threw it: an AppError if it was one there, of its class if it is an error of a database. */
export function revivedError(error: unknown): unknown {
  const revived = errorOfThread(error);
  if (!revived || revived === error) return error;
  const { name, message, code, hint } = revived;
  const options = { hint, cause: error };
  if (name === 'FatalDatabaseError') return new FatalDatabaseError(code as FatalCode, message, options);
  if (name === 'RetryableDatabaseError') return new RetryableDatabaseError(code as RetryableCode, message, options);
  return revived;
}

const RETRYABLE_HINTS: Readonly<Record<RetryableCode, string>> = {
  CONNECTION_LOST: 'The database server went away: wait until it is back.',
  CONNECTION_REFUSED: 'Check that the database server runs and that its host and port are right.',
  COMMIT_UNKNOWN: 'Read back the stored state before repeating the transaction.',
  BUSY: 'Another process writes to this database; only one may.',
  CONFLICT: 'Another transaction was in the way; repeat this one.',
  SHUTDOWN: 'The database server is stopping or starting; wait for it.',
  TIMEOUT: 'The database is slow or overloaded; look at its load and at the time limits.',
  OVERLOADED: 'Raise the limits of the database server, or lower the pool size.',
  STANDBY: 'Wait until a replica is promoted, or point the address of the database to the primary.',
  DISK_FULL:
    'Free space on the disk of the database and, if keys of new indexes are sorted at this time, on that of TMPDIR.',
  DISK_FAILED:
    'The disk of the database takes no writes: see the log of the system, repair it, then start this program anew.',
  STALE_PLAN: 'The schema changed under a running process; repeat the call.',
};

const FATAL_HINTS: Readonly<Record<FatalCode, string>> = {
  SCHEMA: 'The database was made by another version of this program, or the statement is wrong.',
  CONSTRAINT: 'The rows break a rule of the schema; this is a defect of the program or of the stored data.',
  READ_ONLY: 'Connect to the primary server, or make the database file and its directory writable.',
  CORRUPT: 'The database is damaged: check the disk, then rebuild the index or restore a backup.',
  ACCESS: 'Check the path or the URL of the database, its user, password and rights.',
  INVALID_VALUE: 'A defect of the program: this value must be changed before it is stored.',
  RESULT_TOO_LARGE: 'Check that the URL names a PostgreSQL server.',
  MISUSE: 'A defect of the program: the call breaks a rule of the Database interface.',
  PAYLOAD_DROPPED:
    'Only an archive of the events has it. `stacks-index reindex --archive ARCHIVE|URL` builds the index anew with one.',
  NEWER_FORMAT: 'Run a newer version of this program.',
  CLOSED: 'The program is stopping.',
  UNKNOWN: 'See the cause.',
};
