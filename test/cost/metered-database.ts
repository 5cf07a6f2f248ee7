import type { Database, Queries, Row, SqlValue } from '../../src/base/store/database.ts';

/** A statement that a request ran, and the engine's account of its work. */
export interface Statement {
  readonly sql: string;
  /** Rows that came back. */
  readonly rows: number;
  /** PostgreSQL: the plan as executed, JSON. SQLite: the lines of EXPLAIN QUERY PLAN. */
  readonly plan: string;
}

/** A Database that reports the cost of its reads. */
export interface MeteredDatabase extends Database {
  /** Runs `work` and gives the statements of all reads meanwhile. Not to be nested. */
  statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; statements: readonly Statement[] }>;
}

/**
 * The tables of a test are small: the planner of PostgreSQL likes to read those that fit some pages as a whole, to join them by hashes.
 * With cheap lookups it plans as for large tables, and reads one as a whole only where there is no other way.
 */
const AS_FOR_LARGE_TABLES = Object.entries({
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  random_page_cost: '0.1',
})
  .map(([setting, value]) => `set_config('${setting}', '${value}', true)`)
  .join(', ');

/** Every query is run a second time, to be explained in the same snapshot. */
export function meteredDatabase(db: Database): MeteredDatabase {
  let statements: Statement[] | undefined;
  const explain = db.engine === 'postgres' ? explainOnPostgres : explainOnSqlite;

  const metered = (queries: Queries, into: Statement[]): Queries => {
    const note = async (sql: string, params: readonly SqlValue[], rows: number) => {
      into.push({ sql, rows, plan: await explain(queries, sql, params) });
    };
    return {
      all: async <R extends Row>(sql: string, params: readonly SqlValue[] = []) => {
        const rows = await queries.all<R>(sql, params);
        await note(sql, params, rows.length);
        return rows;
      },
      get: async <R extends Row>(sql: string, params: readonly SqlValue[] = []) => {
        const row = await queries.get<R>(sql, params);
        await note(sql, params, row === undefined ? 0 : 1);
        return row;
      },
    };
  };

  return {
    engine: db.engine,
    create: tables => db.create(tables),
    write: work => db.write(work),
    reclaim: table => db.reclaim(table),
    close: () => db.close(),
    read: work =>
      db.read(async queries => {
        if (statements === undefined) return work(queries);
        if (db.engine === 'postgres') await queries.all(`SELECT ${AS_FOR_LARGE_TABLES}`);
        return work(metered(queries, statements));
      }),
    async statementsOf(work) {
      const seen: Statement[] = [];
      statements = seen;
      try {
        return { result: await work(), statements: seen };
      } finally {
        statements = undefined;
      }
    },
  };
}

async function explainOnPostgres(queries: Queries, sql: string, params: readonly SqlValue[]): Promise<string> {
  const rows = await queries.all(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${sql}`, params);
  return String(rows[0]?.['QUERY PLAN'] ?? '[]');
}

async function explainOnSqlite(queries: Queries, sql: string, params: readonly SqlValue[]): Promise<string> {
  const rows = await queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
  return rows.map(({ detail }) => detail).join('\n');
}
