import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { postgresError, translated } from './postgres-errors.ts';
import { PRESENT } from './postgres-pool.ts';

/*
 * Locks of PostgreSQL on a name, which end with the process, however it ends (PostgreSQL manual, "Advisory Locks"). A transaction
 * on a connection of its own holds the lock, stays open and does nothing else. So locks work behind a pooler (pgbouncer in
 * transaction mode), and do not hold back VACUUM, as the transaction has no snapshot.
 */

const KEY = 'hashtextextended($1, 0)';
const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** How often a holder checks its connection, and how long it waits for the response. */
const PING_MS = 1_000;
const PING_TIMEOUT_MS = 3_000;

const BEGIN = `BEGIN; ${PRESENT} SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0;
  SET LOCAL statement_timeout = 0;`;

interface Connection {
  readonly client: pg.Client;
  /** Resolves when the connection is closed or broken. */
  readonly ended: Promise<void>;
}

/** A name that is held by this process alone. */
export interface Held {
  /** Resolves when it is held no longer: released, or the connection to the server is gone. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** Holds a name, shared with other holders, until the result is called. A connection that breaks is made again. */
export async function holdShared(url: string, name: string): Promise<() => Promise<void>> {
  const released = new AbortController();
  let held = await takeShared(url, name);

  async function keep(): Promise<void> {
    for (;;) {
      await held.ended;
      await delay(RECONNECT_MS, undefined, { signal: released.signal, ref: false });
      await takeShared(url, name).then(
        next => {
          held = next;
        },
        () => undefined, // no connection to the server: `held` is still the ended one
      );
      if (released.signal.aborted) await end(held);
    }
  }
  keep().catch(() => undefined); // it ends by the signal

  return async () => {
    released.abort();
    await end(held);
  };
}

/** Does the work while it alone holds the name. @returns false, at once, when another connection holds it */
export async function whileAlone(url: string, name: string, work: () => Promise<void>): Promise<boolean> {
  const connection = await takeAlone(url, name);
  if (!connection) return false;
  try {
    await work();
    return true;
  } finally {
    await end(connection);
  }
}

/**
 * Takes the exclusive lock on the name.
 * @returns undefined, at once, when another connection holds it.
 * @throws the two database errors
 */
export async function tryHold(url: string, name: string): Promise<Held | undefined> {
  const connection = await takeAlone(url, name);
  if (!connection) return undefined;
  watch(connection).catch(() => cut(connection));
  return { lost: connection.ended, release: () => end(connection) };
}

/** Pings the server periodically; rejects when it does not respond. */
async function watch(connection: Connection): Promise<void> {
  let isOver = false;
  connection.ended.then(() => {
    isOver = true;
  });
  for (;;) {
    await delay(PING_MS, undefined, { ref: false });
    if (isOver) return;
    await ping(connection);
  }
}

async function takeShared(url: string, name: string): Promise<Connection> {
  const connection = await begin(url);
  try {
    await translated(connection.client.query(`SELECT pg_advisory_xact_lock_shared(${KEY})`, [name]));
    return connection;
  } catch (error) {
    await end(connection);
    throw error;
  }
}

async function takeAlone(url: string, name: string): Promise<Connection | undefined> {
  const connection = await begin(url);
  try {
    const query = connection.client.query<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock(${KEY}) AS taken`, [
      name,
    ]);
    if ((await translated(query)).rows[0]?.taken === true) return connection;
  } catch (error) {
    await end(connection);
    throw error;
  }
  await end(connection);
  return undefined;
}

async function begin(url: string): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    fallback_application_name: 'stacks-index',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // a connection that breaks also ends
  const ended = new Promise<void>(resolve => client.once('end', () => resolve()));
  const connection = { client, ended };
  try {
    await client.connect();
    await client.query(BEGIN);
    return connection;
  } catch (error) {
    cut(connection);
    throw postgresError(error);
  }
}

/** Rejects when the server does not respond in time. */
async function ping({ client }: Connection): Promise<void> {
  const late = new AbortController();
  const timeout = delay(PING_TIMEOUT_MS, undefined, { signal: late.signal, ref: false });
  const responded = client.query('SELECT 1').then(() => true);
  responded.catch(() => undefined); // the race reports it, or it no longer matters
  try {
    if ((await Promise.race([responded, timeout])) !== true) throw new Error('no response');
  } finally {
    late.abort();
    timeout.catch(() => undefined);
  }
}

/** Closes the connection without sending a message, as the server may not respond. */
function cut({ client }: Connection): void {
  // Not in the types of pg; without a socket there is nothing to close.
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}

const end = ({ client }: Connection): Promise<void> => client.end().catch(() => undefined);
