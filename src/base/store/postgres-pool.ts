import pg from 'pg';
import type { SqlValue } from './database.ts';
import { quoteAnyName } from './ddl.ts';
import { FatalDatabaseError } from './errors.ts';
import { postgresError } from './postgres-errors.ts';
import { clientWithin, type ResultLimits } from './postgres-results.ts';
import type { QueryObserver } from './query-observer.ts';

export interface PostgresOptions {
  /** All tables live in this schema, which `create` makes if it is missing. Default: the server's search path. */
  readonly schema?: string;
  /** false: no statement is prepared by name, as the pooler in front does not keep them. Default true. */
  readonly prepare?: boolean;
  /** The most connections for `read`; the writer has one more of its own, made with the first write. Default 10. */
  readonly poolSize?: number;
  /**
   * The server stops a query of a `read` after that time (RetryableDatabaseError, TIMEOUT). If it does not report the stop soon
   * after, the connection is closed. Default: no limit.
   */
  readonly statementTimeoutMs?: number;
  /** How long reads that share a connection wait for each other's statements, in milliseconds. Default 25. */
  readonly patienceMs?: number;
  /** Receives the cost of each read. */
  readonly observer?: QueryObserver | undefined;
  /** Time limit of a statement of a `write`, in milliseconds; then the connection is closed. Default: no limit. */
  readonly writeTimeoutMs?: number;
  /** Limits on the responses to a `read`, for a server that is not the operator's own. Default: no limit. */
  readonly results?: ResultLimits | undefined;
  /** Aborting it ends all connections of `read`, and fails their reads: a server that is not the operator's own may never respond. */
  readonly signal?: AbortSignal | undefined;
  /** false: a crash of the server may lose the last commits, never half of one. Default true. */
  readonly synchronousCommit?: boolean;
}

/** How long to wait for a connection, new or free, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
/** A connection on which nothing arrives is probed after this time: a server that vanished does not close it. */
const KEEP_ALIVE_MS = 10_000;
/** Time for a server to report that it has stopped a query. */
const STOPPING_MS = 5_000;

interface PoolOptions {
  readonly size: number;
  readonly pipeline?: boolean;
  /** Milliseconds after which the connection of a query without a result is closed. */
  readonly queryTimeoutMs?: number | undefined;
  readonly results?: ResultLimits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A pool of clients that parse results into Values. Connects with the first use. */
export function openPool(
  url: string,
  { size, pipeline = false, queryTimeoutMs, results, signal }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    fallback_application_name: 'stacks-index',
    max: size,
    pipeline,
    types: postgresTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    ...(queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs }),
    ...(results && { Client: clientWithin(results) }),
  });
  // Both only report a broken connection: the pool drops it, and a query that ran on it fails by itself.
  pool.on('error', () => undefined);
  pool.on('connect', client => client.on('error', () => undefined));
  if (signal) endOnSignal(pool, signal);
  return pool;
}

/** Ends the connections of a pool on a signal, those in the middle of a query too. The signal may outlive many pools. */
function endOnSignal(pool: pg.Pool, signal: AbortSignal): void {
  const clients = new Set<pg.PoolClient>();
  const end = (client: pg.PoolClient): void => void client.end().catch(() => undefined);
  const endAll = () => clients.forEach(end);
  pool.on('connect', client => {
    clients.add(client);
    if (signal.aborted) end(client);
    else signal.addEventListener('abort', endAll);
  });
  pool.on('remove', client => {
    clients.delete(client);
    if (clients.size === 0) signal.removeEventListener('abort', endAll);
  });
}

/** A client of the pool, to be released. Throws the two database errors. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw postgresError(error); // also thrown at once, for a URL that cannot be read
  }
}

export const readerTimeout = ({ statementTimeoutMs }: PostgresOptions): number | undefined =>
  statementTimeoutMs === undefined ? undefined : statementTimeoutMs + STOPPING_MS;

/*
 * Clients set everything that results depend on. Settings end with their transaction: behind a pooler (pgbouncer in transaction mode) the
 * next transaction may run on another connection.
 */

/** The commands that begin a transaction that reads. */
export function beginReading({ schema, statementTimeoutMs }: PostgresOptions): readonly string[] {
  const limit =
    statementTimeoutMs === undefined ? [] : [`SET LOCAL statement_timeout = ${Math.trunc(statementTimeoutMs)}`];
  return ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...settings(schema), ...limit];
}

/** The same for all transactions of a session. */
export function sessionOfReader({ schema, statementTimeoutMs = 0 }: PostgresOptions): string {
  const path = schema === undefined ? '' : `SET search_path TO ${quoteAnyName(schema)};`;
  return `SET default_transaction_isolation TO 'repeatable read'; SET default_transaction_read_only TO on; ${path}
    SET statement_timeout = ${Math.trunc(statementTimeoutMs)};`;
}

/**
 * READ COMMITTED: after a transaction got a lock, it must read what the previous holder wrote. With more isolation, which may be the default of a
 * server, it would read the state from before it waited.
 */
export function beginWriting({ schema, synchronousCommit = true }: PostgresOptions): string {
  // A server set to more than "on" (remote_apply) keeps it.
  const durability = synchronousCommit
    ? `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';`
    : 'SET LOCAL synchronous_commit = off;';
  return `${['BEGIN ISOLATION LEVEL READ COMMITTED', ...settings(schema)].join('; ')}; ${PRESENT} ${durability}`;
}

/**
 * Other transactions wait for its locks. If its client vanishes without closing the connection (a dead machine, a cut network),
 * these settings let the server notice within seconds and roll back.
 */
export const PRESENT = `SET LOCAL tcp_keepalives_idle = 2; SET LOCAL tcp_keepalives_interval = 1; SET LOCAL tcp_keepalives_count = 3;
  SET LOCAL tcp_user_timeout = 5000;`;

function settings(schema: string | undefined): readonly string[] {
  return schema === undefined ? [] : [`SET LOCAL search_path TO ${quoteAnyName(schema)}`];
}

/** Object ids of types, from pg_type. */
const PARSERS: Readonly<Record<number, (text: string) => SqlValue>> = {
  16: text => (text === 't' ? 1 : 0), // boolean, as SQLite gives it
  17: bytes,
  20: integer, // bigint, count(*)
  21: integer,
  23: integer,
  26: integer,
  700: Number,
  701: Number,
  1700: numeric, // sum(bigint)
};

/** Parsers for the clients of one pool: every type becomes a Value, and the same one that SQLite gives. */
export const postgresTypes = {
  getTypeParser: (oid: number): ((text: string) => SqlValue) => PARSERS[oid] ?? text,
};

function text(value: string): SqlValue {
  return value;
}

/**
 * bytea in its hex form, `\x0102`, or in the escape form, where the server is set to it; no escaped value begins with `\x`. Setting the form would
 * cost each transaction a statement. Source: PostgreSQL manual, "Binary Data Types".
 */
function bytes(value: string): Uint8Array {
  const buffer = value.startsWith('\\x') ? Buffer.from(value.slice(2), 'hex') : Buffer.from(unescaped(value), 'latin1');
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** A backslash is doubled; an octet that is not printable ASCII is a backslash and three octal digits. */
const unescaped = (value: string): string =>
  value.replace(/\\(\\|[0-3][0-7]{2})/g, (_, what: string) =>
    what === '\\' ? what : String.fromCharCode(Number.parseInt(what, 8)),
  );

function integer(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new FatalDatabaseError('INVALID_VALUE', `the integer ${value} of a result is not below 2^53`);
}

function numeric(value: string): number {
  return /^-?\d+$/.test(value) ? integer(value) : Number(value);
}
