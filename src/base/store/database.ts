/**
 * What the rest of the program knows of a database. Two drivers implement it, sqlite.ts and postgres.ts; every statement
 * is written once, in the SQL that both speak (placeholders are `?`; bytes as hex are `encode(column, 'hex')`, which the driver of SQLite writes as its own).
 */

/** What a column can hold. Integers stay below 2^53; larger amounts are text or big-endian bytes. */
export type SqlValue = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, SqlValue>>;
export type ColumnType = 'int' | 'text' | 'bytes' | 'int?' | 'text?' | 'bytes?';

/** The columns of a table, in order; `?` marks one that may be null. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** A table, described once (see table.ts); the drivers make the DDL of their dialect from it. */
export interface Table<C extends Columns = Columns, K extends string = string> {
  readonly name: string;
  readonly columns: C;
  readonly key: readonly K[];
  readonly indexes?: readonly (readonly string[])[];
  /** Further indexes, which no statement of the indexer uses: a table that is filled from its beginning gets them at the end (`CreateOptions.indexes`). */
  readonly readIndexes?: readonly (readonly string[])[];
  /** Its rows are replaced again and again: PostgreSQL leaves room for their next versions beside them. */
  readonly rewritten?: true;
}

export interface CreateOptions {
  /**
   * `none`: tables without indexes, for fast inserts; a later `create` makes the indexes. `indexer`: those of `Table.indexes`, without `readIndexes`.
   * Default `all`.
   */
  readonly indexes?: 'none' | 'indexer' | 'all';
}

export interface Queries {
  all<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
  get<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined>;
}

export interface DatabaseTransaction extends Queries {
  /** Runs a statement and gives the number of rows it changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /** Inserts rows, each in the column order of the table. The fastest way the engine has. */
  insertMany(table: Table, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** As insertMany, but a row whose key exists replaces it. No key may occur twice in one call. */
  upsertMany(table: Table, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** The rows that have one of these keys (values in the order of `table.key`), each in the column order of the table. */
  find(table: Table, keys: readonly (readonly SqlValue[])[]): Promise<SqlValue[][]>;
  /** Deletes the rows with these keys (values in the order of `table.key`). */
  deleteMany(table: Table, keys: readonly (readonly SqlValue[])[]): Promise<void>;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Creates the tables and indexes that are missing. */
  create(tables: readonly Table[], options?: CreateOptions): Promise<void>;
  /** One transaction: all of `work` or nothing. Calls are serialised: there is one writer. */
  write<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>;
  /**
   * One snapshot: every query of `work` sees the same state, whatever is written meanwhile. It is the state at the call, or a newer one.
   * @param sharing reads that pass the same object may share a snapshot that was taken a moment before, where that is cheaper
   */
  read<T>(work: (queries: Queries) => Promise<T>, sharing?: object): Promise<T>;
  /**
   * Gives space that rows of a table no longer use back to the system, a bounded part at a time, and makes no copy of the table. On
   * PostgreSQL that is VACUUM: later rows use the space, and the file gets shorter only at its end.
   */
  reclaim(table: Table): Promise<Reclaimed>;
  close(): Promise<void>;
}

export interface Reclaimed {
  /** Whether another call gives more back. */
  readonly isMore: boolean;
  /** Bytes that stay in the file, for later rows; undefined where the engine does not count them. */
  readonly unused: number | undefined;
}
