import type { DatabaseTransaction, Queries } from './database.ts';
import { FatalDatabaseError } from './errors.ts';
import { type EngineQueries, observed, type QueryObserver } from './query-observer.ts';
import { checkKeys, checkKeysDiffer, checkParams, checkRows } from './values.ts';

/**
 * The rules of a transaction that hold on both engines, in one place:
 * - values are checked before the engine sees them;
 * - after a failed call nothing more is done and nothing is committed, even if the caller swallowed the error
 *   (PostgreSQL turns such a COMMIT silently into a ROLLBACK, SQLite would commit the rest);
 * - no call is still running at the end, and no call is accepted after it: it would land in the next transaction.
 */
interface QuerySession<Q extends Queries> {
  readonly queries: Q;
  /** Ends the session. Throws the first error of its calls, or FatalDatabaseError (MISUSE) if a call still runs. */
  finish(): void;
  /** Ends the session and throws nothing. */
  abandon(): void;
}

/** Does the work in a session and ends it: with the result, or with the first error of the work or of its calls. */
export async function workIn<Q extends Queries, T>(
  session: QuerySession<Q>,
  work: (queries: Q) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(session.queries);
    session.finish();
    return result;
  } finally {
    session.abandon();
  }
}

/** A read session over the raw queries of an engine. */
export function readSession(engine: EngineQueries, observer?: QueryObserver): QuerySession<Queries> {
  const gate = openGate();
  const queries = observer === undefined ? engine : observed(engine, observer);
  return { queries: guardedQueries(queries, gate), finish: gate.finish, abandon: gate.abandon };
}

/** A write session over the raw transaction of an engine. The engine is not called for empty lists of rows. */
export function writeSession(
  engine: Omit<DatabaseTransaction, keyof Queries> & EngineQueries,
): QuerySession<DatabaseTransaction> {
  const gate = openGate();
  const queries: DatabaseTransaction = {
    ...guardedQueries(engine, gate),
    run: (sql, params = []) =>
      gate.pass(() => {
        checkParams(params);
        return engine.run(sql, params);
      }),
    insertMany: (table, rows) =>
      gate.pass(async () => {
        checkRows(table, rows);
        if (rows.length > 0) await engine.insertMany(table, rows);
      }),
    upsertMany: (table, rows) =>
      gate.pass(async () => {
        checkRows(table, rows);
        checkKeysDiffer(table, rows);
        if (rows.length > 0) await engine.upsertMany(table, rows);
      }),
    find: (table, keys) =>
      gate.pass(async () => {
        checkKeys(table, keys);
        return keys.length > 0 ? engine.find(table, keys) : [];
      }),
    deleteMany: (table, keys) =>
      gate.pass(async () => {
        checkKeys(table, keys);
        if (keys.length > 0) await engine.deleteMany(table, keys);
      }),
  };
  return { queries, finish: gate.finish, abandon: gate.abandon };
}

interface Gate {
  pass<T>(call: () => T | Promise<T>): Promise<T>;
  finish(): void;
  abandon(): void;
}

function openGate(): Gate {
  let over = false;
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  return {
    async pass(call) {
      if (over) throw new FatalDatabaseError('MISUSE', 'a database call came after the end of its transaction');
      if (failure !== undefined) throw failure.error;
      running++;
      try {
        const result = call();
        return result instanceof Promise ? await result : result; // await costs time even for a value
      } catch (error) {
        failure ??= { error };
        throw error;
      } finally {
        running--;
      }
    },
    finish() {
      over = true;
      if (failure !== undefined) throw failure.error;
      if (running > 0) throw new FatalDatabaseError('MISUSE', 'a transaction ended before all its calls were awaited');
    },
    abandon() {
      over = true;
    },
  };
}

function guardedQueries(engine: EngineQueries, gate: Gate): Queries {
  return {
    all: (sql, params = []) =>
      gate.pass(() => {
        checkParams(params);
        return engine.all(sql, params);
      }),
    get: (sql, params = []) =>
      gate.pass(() => {
        checkParams(params);
        return engine.get(sql, params);
      }),
  };
}

type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

/**
 * Gives a function that runs jobs one after the other, in the order of its calls; each call gives the result of its job.
 * A job that fails does not stop the next one.
 */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return job => {
    const result = last.then(job);
    last = result.catch(() => undefined);
    return result;
  };
}
