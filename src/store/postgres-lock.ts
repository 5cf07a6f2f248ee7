import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { translated } from './postgres-errors.ts';

/*
 * Locks of PostgreSQL on a name, which go with the process however it ends (PostgreSQL manual, "Advisory Locks"). Each has a
 * connection of its own: a pool would close one that is idle.
 */

const KEY = 'hashtextextended($1, 0)';
const RECONNECT_MS = 1_000;

interface Connection {
  readonly client: pg.Client;
  /** Resolves when it is closed or broken. */
  readonly ended: Promise<void>;
}

/** Holds a name together with whoever else does, until the result is called. A connection that breaks is made again. */
export async function holdShared(url: string, name: string): Promise<() => Promise<void>> {
  const released = new AbortController();
  let held = await take(url, name);

  async function keep(): Promise<void> {
    for (;;) {
      await held.ended;
      await delay(RECONNECT_MS, undefined, { signal: released.signal, ref: false });
      await take(url, name).then(
        next => {
          held = next;
        },
        () => undefined, // the server is away: `held` is still the ended one
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

/** Does the work while nobody else holds the name. @returns false, at once, when somebody does */
export async function whileAlone(url: string, name: string, work: () => Promise<void>): Promise<boolean> {
  const connection = await connect(url);
  try {
    const query = connection.client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${KEY}) AS taken`, [name]);
    if ((await translated(query)).rows[0]?.taken !== true) return false;
    await work();
    return true;
  } finally {
    await end(connection);
  }
}

async function take(url: string, name: string): Promise<Connection> {
  const connection = await connect(url);
  try {
    await translated(connection.client.query(`SELECT pg_advisory_lock_shared(${KEY})`, [name]));
    return connection;
  } catch (error) {
    await end(connection);
    throw error;
  }
}

async function connect(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url, fallback_application_name: 'stacks-index', keepAlive: true });
  client.on('error', () => undefined); // a connection that breaks also ends
  const ended = new Promise<void>(resolve => client.once('end', () => resolve()));
  await translated(client.connect().then(() => undefined));
  return { client, ended };
}

const end = ({ client }: Connection): Promise<void> => client.end().catch(() => undefined);
