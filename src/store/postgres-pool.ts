import pg from 'pg';
import { postgresError } from './postgres-errors.ts';
import { postgresTypes } from './postgres-types.ts';

export interface PostgresOptions {
  /** All tables live in this schema, which `create` makes if it is missing. Default: what the server says. */
  readonly schema?: string;
  /** The most connections for `read`; the writer has one more of its own, made with the first write. Default 10. */
  readonly poolSize?: number;
  /** A query of a `read` is stopped after so many milliseconds (RetryableDatabaseError, TIMEOUT). Default: no limit. */
  readonly statementTimeoutMs?: number;
  /** false: the last commits may be lost in a crash of the server, never half of one. Default true. */
  readonly synchronousCommit?: boolean;
}

/** How long to wait for a connection, new or free, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

export interface PoolOptions {
  readonly size: number;
  readonly pipeline: boolean;
  /** Statements that each new connection runs first. */
  readonly setup: string;
}

/** A pool of clients that parse results into Values. Connects with the first use. */
export function openPool(url: string, { size, pipeline, setup }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    fallback_application_name: 'stacks-index',
    max: size,
    pipeline,
    types: postgresTypes,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onConnect: client => client.query(setup),
  });
  // Both only tell of a connection that broke: the pool drops it, and a query that ran on it fails by itself.
  pool.on('error', () => undefined);
  pool.on('connect', client => client.on('error', () => undefined));
  return pool;
}

/** A client of the pool, to be released. Throws the two database errors. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw postgresError(error); // also thrown at once, for a URL that cannot be read
  }
}

export function readerSetup({ schema, statementTimeoutMs }: PostgresOptions): string {
  const limit = statementTimeoutMs === undefined ? '' : `SET statement_timeout = ${Math.trunc(statementTimeoutMs)};`;
  return `${commonSetup(schema)} ${limit}`;
}

export function writerSetup({ schema, synchronousCommit = true }: PostgresOptions): string {
  // A server set to more than "on" (remote_apply) keeps it.
  const durability = synchronousCommit
    ? `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';`
    : 'SET synchronous_commit = off;';
  return `${commonSetup(schema)} ${durability}`;
}

/** The settings that results depend on are not left to the server. */
function commonSetup(schema: string | undefined): string {
  const path = schema === undefined ? '' : `SET search_path TO ${pg.escapeIdentifier(schema)};`;
  return `SET client_encoding = 'UTF8'; SET bytea_output = 'hex'; ${path}`;
}
