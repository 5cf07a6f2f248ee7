import type { Row, SqlValue } from './database.ts';

/** The queries of an engine: SQLite returns results at once, PostgreSQL promises. */
export interface EngineQueries {
  all<R extends Row>(sql: string, params?: readonly SqlValue[]): R[] | Promise<R[]>;
  get<R extends Row>(sql: string, params?: readonly SqlValue[]): R | undefined | Promise<R | undefined>;
}

/** Receives the costs of the reads of a database, in the async context of the reader. Times are milliseconds. */
export interface QueryObserver {
  /**
   * A statement has ended.
   * @param rows undefined if it failed
   * @param ms on PostgreSQL including the round trip, and earlier statements on the same connection
   */
  statement(sql: string, rows: number | undefined, ms: number): void;
  /** A read waited for a free connection. */
  waited(ms: number): void;
}

/** The same queries; each is reported to the observer. */
export function observed(engine: EngineQueries, observer: QueryObserver): EngineQueries {
  return {
    all: (sql, params) =>
      observe(
        observer,
        sql,
        rows => rows.length,
        () => engine.all(sql, params),
      ),
    get: (sql, params) =>
      observe(
        observer,
        sql,
        row => (row === undefined ? 0 : 1),
        () => engine.get(sql, params),
      ),
  };
}

/** SQLite is synchronous, and measured synchronously: a measurement that awaits a promise would include the statements after it. */
function observe<T>(
  observer: QueryObserver,
  sql: string,
  rowsOf: (result: NonNullable<T> | T) => number,
  query: () => T | Promise<T>,
): T | Promise<T> {
  const start = performance.now();
  const done = (result: T): T => {
    observer.statement(sql, rowsOf(result), performance.now() - start);
    return result;
  };
  const failed = (error: unknown): never => {
    observer.statement(sql, undefined, performance.now() - start);
    throw error;
  };
  let result: T | Promise<T>;
  try {
    result = query();
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? result.then(done, failed) : done(result);
}
