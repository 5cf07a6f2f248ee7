import type { Row, Value } from './database.ts';

/** The queries of an engine as it gives them: SQLite at once, PostgreSQL in time. */
export interface EngineQueries {
  all<R extends Row>(sql: string, params?: readonly Value[]): R[] | Promise<R[]>;
  get<R extends Row>(sql: string, params?: readonly Value[]): R | undefined | Promise<R | undefined>;
}
