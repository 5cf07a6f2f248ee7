import type pg from 'pg';
import type { Queries } from './database.ts';
import { RetryableDatabaseError } from './errors.ts';
import { translated } from './postgres-errors.ts';
import { beginReading, connect, type PostgresOptions, readerTimeout, sessionOfReader } from './postgres-pool.ts';
import type { Prepare } from './postgres-queries.ts';
import type { ReadTransaction } from './postgres-read-transaction.ts';
import { PostgresReader, type ReaderOptions } from './postgres-reader.ts';

/** A transaction that shows one state, as of its first query, on a connection of its own. */
interface PostgresSnapshot {
  readonly place: OnConnection | Promise<OnConnection>;
  /** Readers that got this snapshot, and `users`, those that still use it. It ends with the last user. */
  readers: number;
  users: number;
  /** The connection must not be used again. */
  isBroken: boolean;
}

/** A transaction and its connection. */
interface OnConnection {
  readonly reader: PostgresReader;
  readonly transaction: ReadTransaction;
}

/** Snapshots over the connections of a pool. */
interface PostgresSnapshots {
  /**
   * A new snapshot. With `sharing`, perhaps one that the same object got earlier in this turn of the event loop: beginning and ending a
   * transaction costs more than a short query.
   */
  take(sharing?: object): PostgresSnapshot;
  /** The queries of a new reader of a snapshot. */
  queriesOf(snapshot: PostgresSnapshot): Queries | Promise<Queries>;
  /** A reader releases its snapshot. */
  give(snapshot: PostgresSnapshot): void;
  /** A reader that has failed releases its snapshot. */
  giveAfter(error: unknown, snapshot: PostgresSnapshot): void;
}

/** Readers of one snapshot at most. Their queries run one after the other, those of different snapshots at once. */
const MOST_READERS = 8;
/** How long the readers of a shared snapshot wait for each other's statements, in milliseconds, unless an option changes it. */
const PATIENCE_MS = 25;
/** How long the end of a transaction waits for the next one, to be sent together: a message of its own costs as much as a short query. */
const REST_MS = 2;

/** @param pool its connections are not used by others @param prepare names statements */
export function openPostgresSnapshots(pool: pg.Pool, prepare: Prepare, options: PostgresOptions): PostgresSnapshots {
  let shared: { readonly by: object; readonly snapshot: PostgresSnapshot } | undefined;
  const readers = new WeakMap<pg.PoolClient, PostgresReader>();
  /** Connections without a snapshot that are not back in the pool, as the server has not reported the end of their transaction. */
  const resting = new Set<PostgresReader>();
  let isFlushing = false;
  const readerOptions: ReaderOptions = {
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    timeoutMs: readerTimeout(options),
    results: options.results,
    onIdle: release,
    onLost: release,
  };

  function release(reader: PostgresReader): void {
    if (resting.delete(reader)) reader.client.release(reader.isLost);
  }

  function rest(reader: PostgresReader): void {
    resting.add(reader);
    if (pool.waitingCount > 0 || !reader.isFree) {
      reader.flush();
      return;
    }
    if (isFlushing) return;
    isFlushing = true;
    setTimeout(() => {
      isFlushing = false;
      for (const each of resting) each.flush();
    }, REST_MS);
  }

  /** A connection that is still in use for the last moments of another snapshot. */
  function rested(): PostgresReader | undefined {
    if (pool.waitingCount > 0) return undefined; // they came first
    for (const reader of resting) {
      if (!reader.isFree) continue;
      resting.delete(reader);
      return reader;
    }
    return undefined;
  }

  async function connected(): Promise<OnConnection> {
    const client = await connect(pool);
    try {
      let reader = readers.get(client);
      if (reader === undefined) {
        reader = new PostgresReader(client, await boundsOn(client, options), readerOptions);
        readers.set(client, reader);
      }
      return { reader, transaction: reader.begin() };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  function fresh(): PostgresSnapshot {
    const reader = rested();
    const place = reader === undefined ? connected() : { reader, transaction: reader.begin() };
    if (place instanceof Promise) place.catch(() => undefined); // its readers await it
    return { place, readers: 0, users: 0, isBroken: false };
  }

  function share(snapshot: PostgresSnapshot, by: object): void {
    shared = { by, snapshot };
    setImmediate(unshare, snapshot);
  }

  function unshare(snapshot: PostgresSnapshot): void {
    if (shared?.snapshot === snapshot) shared = undefined;
  }

  /** Gives the connection back when the transaction has ended; no reader waits for that. */
  function end({ reader }: OnConnection, isBroken: boolean): void {
    if (isBroken || reader.isLost) {
      reader.client.release(true);
      return;
    }
    reader.end();
    rest(reader);
  }

  function give(snapshot: PostgresSnapshot): void {
    if (--snapshot.users > 0) return;
    unshare(snapshot);
    const { place, isBroken } = snapshot;
    if (!(place instanceof Promise)) end(place, isBroken);
    else
      place.then(
        begun => end(begun, isBroken),
        () => undefined,
      );
  }

  return {
    take(sharing) {
      const isShared = shared !== undefined && shared.by === sharing && shared.snapshot.readers < MOST_READERS;
      const snapshot = isShared && shared ? shared.snapshot : fresh();
      if (!isShared && sharing !== undefined) share(snapshot, sharing);
      snapshot.readers++;
      snapshot.users++;
      return snapshot;
    },

    queriesOf({ place }) {
      if (!(place instanceof Promise)) return place.transaction.readerOf(prepare);
      return place.then(({ transaction }) => transaction.readerOf(prepare));
    },

    give,

    giveAfter(error, snapshot) {
      unshare(snapshot);
      snapshot.isBroken ||= error instanceof RetryableDatabaseError;
      give(snapshot);
    },
  };
}

/**
 * The commands that begin and end a transaction on a new connection. A direct session of the server needs none: it gets the settings once.
 * Behind a pooler (pgbouncer in transaction mode) the next transaction may run on another connection; a pooler is recognised by a
 * process number that is not that of the server's process.
 */
async function boundsOn(client: pg.PoolClient, options: PostgresOptions) {
  const { rows } = await translated(client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'));
  const { processID } = client as unknown as { readonly processID: number | null };
  if (rows[0]?.pid !== processID) return { begin: beginReading(options), end: ['COMMIT'] };
  await translated(client.query(sessionOfReader(options)));
  return { begin: [], end: [] };
}
