import {
  type DatabaseError,
  type FatalCode,
  FatalDatabaseError,
  isDatabaseError,
  type RetryableCode,
  RetryableDatabaseError,
} from './errors.ts';

/** An error of pg, of the server or of the network as one of the two classes. Source: PostgreSQL manual, appendix A. */
export function postgresError(error: unknown): DatabaseError {
  if (isDatabaseError(error)) return error;
  const { code, message, detail } = error as { code?: string; message?: string; detail?: string };
  const text = `PostgreSQL: ${message || code || String(error)}${detail ? ` (${detail})` : ''}`;
  const retryable = retryableCode(code ?? '', message ?? '');
  if (retryable !== undefined) return new RetryableDatabaseError(retryable, text, { cause: error });
  return new FatalDatabaseError(fatalCode(code ?? ''), text, { cause: error });
}

/** The same promise, rejecting with the two classes. */
export function translated<T>(promise: Promise<T>): Promise<T> {
  return promise.catch(error => {
    throw postgresError(error);
  });
}

/**
 * Like postgresError, for a failed COMMIT. If the connection broke, the outcome is unknown. It is also unknown if the server
 * closed the connection: its message may have replaced the response to a successful commit.
 */
export function commitError(error: unknown): DatabaseError {
  const translated = postgresError(error);
  if (!OUTCOME_UNKNOWN.has(translated.code)) return translated;
  return new RetryableDatabaseError('COMMIT_UNKNOWN', translated.message, { cause: error });
}

/** As postgresError, for a transaction that writes: if the server is read-only, it is not the primary, or not yet. */
export function writeError(error: unknown): unknown {
  if (!(error instanceof FatalDatabaseError) || error.code !== 'READ_ONLY') return error;
  return new RetryableDatabaseError('STANDBY', error.message, { cause: error });
}

const OUTCOME_UNKNOWN: ReadonlySet<string> = new Set<RetryableCode>(['CONNECTION_LOST', 'SHUTDOWN', 'TIMEOUT']);

function retryableCode(code: string, message: string): RetryableCode | undefined {
  return (
    RETRYABLE[code] ?? RETRYABLE_CLASSES[sqlClass(code)] ?? RETRYABLE_MESSAGES.find(([part]) => part.test(message))?.[1]
  );
}

function fatalCode(code: string): FatalCode {
  return FATAL[code] ?? FATAL_CLASSES[sqlClass(code)] ?? 'UNKNOWN';
}

/** The first two characters of a SQLSTATE. Codes of Node (ECONNRESET) have another length. */
function sqlClass(code: string): string {
  return code.length === 5 ? code.slice(0, 2) : '';
}

const RETRYABLE: Readonly<Record<string, RetryableCode>> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ENOTFOUND: 'CONNECTION_REFUSED',
  ENOENT: 'CONNECTION_REFUSED', // no such socket file
  EAI_AGAIN: 'CONNECTION_REFUSED',
  EHOSTUNREACH: 'CONNECTION_REFUSED',
  ENETUNREACH: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_LOST',
  EPIPE: 'CONNECTION_LOST',
  ETIMEDOUT: 'TIMEOUT',
  '26000': 'STALE_PLAN', // prepared statement does not exist
  '25P03': 'TIMEOUT', // idle_in_transaction_session_timeout
  '25P04': 'TIMEOUT', // transaction_timeout
  '40001': 'CONFLICT', // serialization_failure, also "conflict with recovery" on a standby
  '40P01': 'CONFLICT', // deadlock_detected
  '55P03': 'BUSY', // lock_not_available
  '53100': 'DISK_FULL',
  '53200': 'OVERLOADED', // out_of_memory
  '53300': 'OVERLOADED', // too_many_connections
  '57014': 'TIMEOUT', // query_canceled: statement_timeout
  '57P01': 'SHUTDOWN', // admin_shutdown
  '57P02': 'SHUTDOWN', // crash_shutdown
  '57P03': 'SHUTDOWN', // cannot_connect_now
  '57P05': 'TIMEOUT', // idle_session_timeout
};

const RETRYABLE_CLASSES: Readonly<Record<string, RetryableCode>> = { '08': 'CONNECTION_LOST' };

/** Errors without a code, or with one that covers different causes. */
const RETRYABLE_MESSAGES: readonly (readonly [RegExp, RetryableCode])[] = [
  [/timeout exceeded when trying to connect|connection timeout|timeout expired|Query read timeout/i, 'TIMEOUT'],
  [/cached plan must not change/, 'STALE_PLAN'],
  [/Connection terminated|not queryable|Connection ended/i, 'CONNECTION_LOST'],
];

const FATAL: Readonly<Record<string, FatalCode>> = {
  '25006': 'READ_ONLY', // read_only_sql_transaction: also every write on a standby
  '42501': 'ACCESS', // insufficient_privilege
  '3D000': 'ACCESS', // no such database
  '21000': 'MISUSE', // an upsert touches a row twice
  '58030': 'CORRUPT', // io_error
  EACCES: 'ACCESS',
  ERR_INVALID_URL: 'ACCESS',
};

const FATAL_CLASSES: Readonly<Record<string, FatalCode>> = {
  '22': 'INVALID_VALUE',
  '23': 'CONSTRAINT',
  '28': 'ACCESS', // password or user refused
  '3F': 'SCHEMA',
  '42': 'SCHEMA',
  XX: 'CORRUPT',
};
