import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/*
 * Short texts between the processes that use one database (PostgreSQL manual, NOTIFY). They only save time: a signal may be lost
 * while the connection is broken, and a pooler in transaction mode delivers none, so listeners also poll.
 */

interface Signals {
  /** Notifies all other processes; does nothing while the server is away. @param text at most 7,900 bytes */
  send(text: string): void;
  close(): Promise<void>;
}

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Listens on a channel of the server until it is closed. A connection that breaks is made again. */
export function openSignals(url: string, channel: string, onSignal: (text: string) => void): Signals {
  const closed = new AbortController();
  let client: pg.Client | undefined;

  async function listen(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      fallback_application_name: 'stacks-index',
      keepAlive: true,
      pipeline: true, // signals need not wait for each other
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    const ended = new Promise<void>(resolve => next.once('end', () => resolve()));
    next.on('error', () => undefined); // a connection that breaks also ends
    // The server delivers our own signals too.
    next.on('notification', ({ payload, processId }) => {
      if (payload !== undefined && processId !== ownProcess(next)) onSignal(payload);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      client = next;
      if (closed.signal.aborted) await next.end();
      await ended;
    } finally {
      client = undefined;
      next.end().catch(() => undefined);
    }
  }

  async function keepListening(): Promise<void> {
    while (!closed.signal.aborted) {
      await listen().catch(() => undefined);
      await delay(RECONNECT_MS, undefined, { signal: closed.signal, ref: false });
    }
  }

  const listening = keepListening().catch(() => undefined); // it ends by the signal
  return {
    send: text => {
      client?.query('SELECT pg_notify($1, $2)', [channel, text]).catch(() => undefined);
    },
    close: async () => {
      closed.abort();
      await client?.end().catch(() => undefined);
      await listening;
    },
  };
}

/** The number of the server's process for this connection; pg has it, its types do not. */
const ownProcess = (client: pg.Client): number | undefined => (client as unknown as { processID?: number }).processID;
