import type pg from 'pg';
import type { Queries, Row, SqlValue } from './database.ts';
import { RetryableDatabaseError } from './errors.ts';
import { StatementLine } from './postgres-line.ts';
import { connect } from './postgres-pool.ts';
import { begin, isAborted, type Prepare, queriesOver } from './postgres-queries.ts';

/** A transaction that shows one state, as of its first query, on a connection of its own. */
interface PostgresSnapshot {
  readonly client: Promise<pg.PoolClient>;
  /** The queries of a new reader. */
  readonly queries: Promise<() => Queries>;
  /** Fails if the transaction could not start. */
  readonly begun: Promise<unknown>;
  /** How many were given it, and how many of them use it still; it ends with the last one. */
  readers: number;
  users: number;
  /** The connection is not used again. */
  broken: boolean;
}

/** Snapshots over the connections of a pool. */
interface PostgresSnapshots {
  /**
   * A new snapshot, or with `sharing` one that was given for the same object before, in this turn of the event loop: what begins and
   * ends a transaction costs more than a short query.
   */
  take(sharing?: object): PostgresSnapshot;
  /** The reader needs its snapshot no more. */
  give(snapshot: PostgresSnapshot): void;
  /** The reader has failed. @returns the error for its caller */
  giveAfter(error: unknown, snapshot: PostgresSnapshot): unknown;
}

/** Readers of one snapshot at most. Their queries run one after the other, those of different snapshots at once. */
const MOST_READERS = 4;

/**
 * @param toRead begins a transaction
 * @param prepare names its statements
 * @param patienceMs for which readers wait for each other's statements
 */
export function openPostgresSnapshots(
  pool: pg.Pool,
  toRead: string,
  prepare: Prepare,
  patienceMs?: number,
): PostgresSnapshots {
  let shared: { readonly by: object; readonly snapshot: PostgresSnapshot } | undefined;

  function fresh(): PostgresSnapshot {
    const client = connect(pool);
    const begun = client.then(connected => begin(connected, toRead));
    begun.catch(() => undefined); // readers await it after their work
    const queries = client.then(connected => readersOf(queriesOver(connected, prepare), new StatementLine(patienceMs)));
    queries.catch(() => undefined);
    return { client, begun, queries, readers: 0, users: 0, broken: false };
  }

  function share(snapshot: PostgresSnapshot, by: object): void {
    shared = { by, snapshot };
    setImmediate(unshare, snapshot);
  }

  function unshare(snapshot: PostgresSnapshot): void {
    if (shared?.snapshot === snapshot) shared = undefined;
  }

  function give(snapshot: PostgresSnapshot): void {
    if (--snapshot.users > 0) return;
    unshare(snapshot);
    void end(snapshot);
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

    give,

    giveAfter(error, snapshot) {
      unshare(snapshot);
      snapshot.broken ||= error instanceof RetryableDatabaseError;
      give(snapshot);
      // A query that fails ends the snapshot for all its readers.
      return isAborted(error)
        ? new RetryableDatabaseError('CONFLICT', 'the snapshot has ended', { cause: error })
        : error;
    },
  };
}

/**
 * The queries of each reader of one connection. A statement without parameters runs once: in one snapshot its result does not change, and
 * all readers query the position of the index.
 */
function readersOf(queries: Queries, line: StatementLine): () => Queries {
  const results = new Map<string, Promise<Row[]>>();
  function once<R extends Row>(reader: object, sql: string): Promise<R[]> {
    const known = results.get(sql);
    if (known) return line.wait(reader, known as Promise<R[]>);
    return line.run(reader, () => {
      const result = queries.all<R>(sql);
      results.set(sql, result);
      return result;
    });
  }
  const isFixed = (params: readonly SqlValue[] = []) => params.length === 0;
  return () => {
    const reader = {};
    return {
      all: (sql, params) => (isFixed(params) ? once(reader, sql) : line.run(reader, () => queries.all(sql, params))),
      get: async <R extends Row>(sql: string, params?: readonly SqlValue[]) =>
        isFixed(params) ? (await once<R>(reader, sql))[0] : line.run(reader, () => queries.get<R>(sql, params)),
    };
  };
}

/** Gives the client back when the transaction has ended; no reader waits for that. */
async function end({ client, broken }: PostgresSnapshot): Promise<void> {
  const connected = await client.catch(() => undefined);
  if (broken) {
    connected?.release(true);
    return;
  }
  connected?.query('COMMIT').then(
    () => connected.release(),
    () => connected.release(true),
  );
}
