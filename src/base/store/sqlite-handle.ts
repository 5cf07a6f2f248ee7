import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { BoundedCache } from '../lib/bounded-cache.ts';
import type { DatabaseTransaction, Queries, Reclaimed, Row, SqlValue, Table } from './database.ts';
import { insertIntoSql, onConflictSql, quoteName, quoteNames } from './ddl.ts';
import type { EngineQueries } from './query-observer.ts';
import { sqliteError } from './sqlite-errors.ts';

/** More statements than the program has; the bound, of one generation, is for lists of varying length. */
const MOST_STATEMENTS = 500;
/** How long a statement waits for a lock of another process, in milliseconds. It blocks the event loop meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns of its result; none when it gives no rows. */
  readonly columns: readonly string[];
}

/** One connection to a SQLite file: its prepared statements and the plain operations on it. */
export interface SqliteHandle {
  readonly queries: Omit<DatabaseTransaction, keyof Queries> & EngineQueries;
  /** BEGIN DEFERRED: takes its snapshot with the first query. */
  beginRead(): void;
  /** BEGIN IMMEDIATE: takes the write lock at once. */
  beginWrite(): void;
  commit(): void;
  /** Rolls back if a transaction is open. */
  rollback(): void;
  /** Whether a transaction is open; SQLite itself may have ended it (disk full, I/O error). */
  inTransaction(): boolean;
  /** Runs statements without parameters and forgets the prepared ones, whose result columns may have changed. */
  exec(sql: string): void;
  /** Returns up to that many unused pages to the file system, if the file was made to shrink (HandleOptions.shrinks). */
  shrink(pages: number): Reclaimed;
  /** The length of the WAL; zeros if it is unknown. */
  wal(): WalLength;
  /** Whether COMMIT copies the WAL into the file when it has 1000 pages or more. It does at first. */
  checkpointInCommit(on: boolean): void;
  close(): void;
}

interface WalLength {
  /** Written since it was started. */
  readonly pages: number;
  /** Those of them that are in the file too. */
  readonly copied: number;
}

type SqliteRole = 'reader' | 'writer';

export interface HandleOptions {
  /** full: a committed transaction survives a power failure. normal: the last ones may be lost, never half of one. */
  readonly durability: 'full' | 'normal';
  /** Memory for pages that the writer uses, default 48 MiB. */
  readonly cacheBytes?: number;
  /** Whether readers map the file into memory, at most 2 GB of it: its pages count as memory of the process then. Default true. */
  readonly mapped?: boolean;
  /** Whether a file that is made now can become smaller; an existing one stays as it was made. It costs a page in 800. */
  readonly shrinks?: boolean;
}

/** The most that SQLite allows. */
const MOST_MAPPED = 2_147_418_112;
const DEFAULT_CACHE_BYTES = 48 * 1024 * 1024;

/** Opens one connection. Throws FatalDatabaseError or RetryableDatabaseError. */
export function openSqliteHandle(file: string, role: SqliteRole, options: HandleOptions): SqliteHandle {
  if (role === 'reader') rollBackUnfinished(file);
  return translated(() => {
    const db = new DatabaseSync(file, { readOnly: role === 'reader', timeout: BUSY_TIMEOUT_MS });
    try {
      db.exec(pragmas(role, options));
      return handleOver(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }, file);
}

/**
 * A process that was killed while it made the file has left a rollback journal. Only a writer may roll it back, and until then no reader can read.
 * SQLite does not touch the journal while the process that writes it lives. If the rollback fails, the reader's error has the
 * reason.
 */
function rollBackUnfinished(file: string): void {
  if (!existsSync(`${file}-journal`) || !existsSync(file)) return;
  try {
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    } finally {
      db.close();
    }
  } catch {}
}

/**
 * WAL: readers never wait for the writer. A reader maps the file, so that a page read is no
 * system call; the writer does not, as every page it touches would count as memory of the process.
 */
function pragmas(role: SqliteRole, options: HandleOptions): string {
  const { durability, cacheBytes = DEFAULT_CACHE_BYTES, mapped = true, shrinks = false } = options;
  const common = 'PRAGMA temp_store = MEMORY;';
  if (role === 'reader') return `${common} PRAGMA mmap_size = ${mapped ? MOST_MAPPED : 0}; PRAGMA cache_size = -8192;`;
  // Before the mode: that writes the first page.
  const vacuum = shrinks ? 'PRAGMA auto_vacuum = INCREMENTAL;' : '';
  return `${vacuum} PRAGMA journal_mode = WAL; ${common} PRAGMA cache_size = -${Math.ceil(cacheBytes / 1024)};
    PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}; PRAGMA journal_size_limit = 67108864;`;
}

/** The only SQL function of our statements whose name differs in SQLite. */
const inSqlite = (sql: string): string => sql.replaceAll(/\bencode\((\w+), 'hex'\)/g, 'lower(hex($1))');

function handleOver(db: DatabaseSync): SqliteHandle {
  let statements = new BoundedCache<string, Prepared>(MOST_STATEMENTS);
  const begin = { deferred: db.prepare('BEGIN DEFERRED'), immediate: db.prepare('BEGIN IMMEDIATE') };
  const end = { commit: db.prepare('COMMIT'), rollback: db.prepare('ROLLBACK') };

  function prepare(sql: string): Prepared {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(inSqlite(sql));
    // Arrays, because rows that node:sqlite builds itself have no prototype, unlike those of the other engine.
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(column => column.name) };
    statements.set(sql, prepared);
    return prepared;
  }

  /** Runs one statement, which returns no rows, for every tuple. */
  function each(sql: string, tuples: readonly (readonly SqlValue[])[]): void {
    const { statement } = prepare(sql);
    // Not `run`, which makes an object for each to count the changed rows.
    for (const tuple of tuples) statement.get(...tuple);
  }

  const queries: SqliteHandle['queries'] = {
    all: <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
      translated(() => {
        const { statement, columns } = prepare(sql);
        const rows = statement.all(...bindable(params)) as unknown as SqlValue[][];
        return rows.map(row => toRow(columns, row) as R);
      }),
    get: <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
      translated(() => {
        const { statement, columns } = prepare(sql);
        const row = statement.get(...bindable(params)) as unknown as SqlValue[] | undefined;
        return row === undefined ? undefined : (toRow(columns, row) as R);
      }),
    run: async (sql, params = []) => translated(() => Number(prepare(sql).statement.run(...bindable(params)).changes)),
    insertMany: async (table, rows) => translated(() => each(insertSql(table), rows)),
    upsertMany: async (table, rows) => translated(() => each(upsertSql(table), rows)),
    find: async (table, keys) =>
      translated(() => {
        const { statement } = prepare(findSql(table));
        // Statements return arrays (prepare); the types of node:sqlite only know objects.
        return keys.flatMap(key => statement.all(...bindable(key)) as unknown as SqlValue[][]);
      }),
    deleteMany: async (table, keys) => translated(() => each(deleteSql(table), keys)),
  };

  return {
    queries,
    beginRead: () => translated(() => void begin.deferred.run()),
    beginWrite: () => translated(() => void begin.immediate.run()),
    commit: () => translated(() => void end.commit.run()),
    rollback: () => translated(() => (db.isTransaction ? void end.rollback.run() : undefined)),
    inTransaction: () => db.isTransaction,
    exec: sql =>
      translated(() => {
        statements = new BoundedCache(MOST_STATEMENTS);
        db.exec(sql);
      }),
    shrink: pages =>
      translated(() => {
        const number = (pragma: string): number => {
          const row: unknown = prepare(`PRAGMA ${pragma}`).statement.get();
          return Array.isArray(row) ? Number(row[0]) : 0;
        };
        const before = number('freelist_count');
        // The checkpoint shortens the file. It waits for no reader: writers of the journal would wait with it.
        db.exec(`PRAGMA incremental_vacuum(${pages}); PRAGMA wal_checkpoint(PASSIVE)`);
        const after = number('freelist_count');
        return { isMore: after > 0 && after < before, unused: after * number('page_size') };
      }),
    wal() {
      try {
        // NOOP only counts. -1 if there is no WAL, or while another connection recovers it.
        const [, pages, copied] = prepare('PRAGMA wal_checkpoint(NOOP)').statement.get() as unknown as number[];
        return { pages: Math.max(0, pages ?? 0), copied: Math.max(0, copied ?? 0) };
      } catch {
        return { pages: 0, copied: 0 };
      }
    },
    checkpointInCommit: on => translated(() => db.exec(`PRAGMA wal_autocheckpoint = ${on ? 1000 : 0}`)),
    close: () => translated(() => db.close()),
  };
}

/** node:sqlite binds numbers as floating point, so that `? / 2` of 5 would be 2.5 here and 2 in PostgreSQL. */
function bindable(params: readonly SqlValue[]): (string | bigint | Uint8Array | null)[] {
  return params.map(value => (typeof value === 'number' ? BigInt(value) : value));
}

function toRow(columns: readonly string[], values: readonly SqlValue[]): Row {
  const row: Record<string, SqlValue> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as SqlValue;
  return row;
}

function insertSql(table: Table): string {
  const marks = Object.keys(table.columns).map(() => '?');
  return `${insertIntoSql(table)} VALUES (${marks.join(', ')})`;
}

function upsertSql(table: Table): string {
  return `${insertSql(table)} ${onConflictSql(table)}`;
}

function deleteSql(table: Table): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE ${hasKey(table)}`;
}

function findSql(table: Table): string {
  return `SELECT ${quoteNames(Object.keys(table.columns))} FROM ${quoteName(table.name)} WHERE ${hasKey(table)}`;
}

const hasKey = (table: Table): string => table.key.map(name => `${quoteName(name)} = ?`).join(' AND ');

function translated<T>(call: () => T, file?: string): T {
  try {
    return call();
  } catch (error) {
    throw sqliteError(error, file);
  }
}
