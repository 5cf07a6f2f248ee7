import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseTransaction, Queries, Row, SqlValue, Table } from './database.ts';
import { columnKind, insertIntoSql, onConflictSql, quoteName, quoteNames } from './ddl.ts';
import { encodeArray } from './postgres-binary.ts';
import { copyInto, copyParts, copySql } from './postgres-copy.ts';
import { translated } from './postgres-errors.ts';

/** Most rows of one statement: its parameters are arrays, copied from the rows. */
const CHUNK_ROWS = 5_000;
/** A prepared statement inserts fewer rows than this: the server plans every COPY anew. */
const FEW_ROWS = 20;
const ARRAYS = { int: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const;

type Kind = keyof typeof ARRAYS;
type Rows = readonly (readonly SqlValue[])[];
export type Prepare = (sql: string) => NumberedStatement;

/** The plain queries of one client. */
function queriesOver(client: pg.ClientBase, prepare: Prepare): Queries {
  return {
    all: async <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
      (await query<R>(client, prepare(sql), params)).rows,
    get: async <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
      (await query<R>(client, prepare(sql), params)).rows[0],
  };
}

/**
 * The operations of a writing client, which must be pipelined. An operation sends all its parts at once, without waiting for earlier
 * results; so no part arrives after the end of its transaction.
 */
export function transactionOver(client: pg.ClientBase, prepare: Prepare): DatabaseTransaction {
  const queries = queriesOver(client, prepare);
  const send = failingByFirstCause();
  const inParts = <R extends pg.QueryResultRow>(
    statement: NumberedStatement,
    kinds: readonly Kind[],
    rows: Rows,
    rowMode?: 'array',
  ) =>
    Promise.all(
      chunksOf(rows).map(chunk => send(() => query<R>(client, { ...statement, rowMode }, arraysOf(kinds, chunk)))),
    );
  const write = async (sql: string, kinds: readonly Kind[], rows: Rows) =>
    void (await inParts(prepare(sql), kinds, rows));
  return {
    all: (sql, params) => send(() => queries.all(sql, params)),
    get: (sql, params) => send(() => queries.get(sql, params)),
    run: (sql, params = []) => send(async () => (await query(client, prepare(sql), params)).rowCount ?? 0),
    insertMany: async (table, rows) => {
      if (rows.length < FEW_ROWS) return write(insertSql(table), columnKinds(table), rows);
      const copy = copySql(table);
      const parts = [...copyParts(rows)].map(data => send(() => translated(copyInto(client, copy, data))));
      await Promise.all(parts);
    },
    upsertMany: (table, rows) => write(upsertSql(table), columnKinds(table), rows),
    deleteMany: (table, keys) => write(deleteSql(table), keyKinds(table), keys),
    find: async (table, keys) =>
      (await inParts<SqlValue[]>(prepare(findSql(table)), keyKinds(table), keys, 'array')).flatMap(({ rows }) => rows),
  };
}

const TRANSACTION_IS_ABORTED = '25P02';

/** Whether a call failed only because an earlier call of its transaction had failed. */
const isAborted = (error: unknown): boolean =>
  (error as { cause?: { code?: string } } | undefined)?.cause?.code === TRANSACTION_IS_ABORTED;

/**
 * After a failure the server refuses the calls sent behind it. Such calls fail with the first failure, in whatever order their
 * errors arrive.
 */
function failingByFirstCause(): <T>(call: () => Promise<T>) => Promise<T> {
  let cause: unknown;
  return async call => {
    try {
      return await call();
    } catch (error) {
      if (!isAborted(error)) cause ??= error;
      else await nextTurn();
      throw cause ?? error;
    }
  };
}

function query<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: NumberedStatement & { readonly rowMode?: 'array' | undefined },
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  inOneWrite(client);
  return translated(client.query<R, unknown[]>({ ...statement, values: [...values] }));
}

/** Sends the commands that begin a transaction, in one packet with the first statements. */
export function begin(client: pg.ClientBase, sql: string): Promise<unknown> {
  inOneWrite(client);
  const begun = translated(client.query(sql));
  begun.catch(() => undefined); // its caller awaits it at the end; until then a failure must not count as unhandled
  return begun;
}

/** What is sent until this turn of the event loop ends goes out together: a write of its own costs more than a small statement. */
function inOneWrite(client: pg.ClientBase): void {
  // The types of pg lack it.
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

function chunksOf(rows: Rows): Rows[] {
  const chunks: Rows[] = [];
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) chunks.push(rows.slice(start, start + CHUNK_ROWS));
  return chunks;
}

/** One array for each column. */
function arraysOf(kinds: readonly Kind[], rows: Rows): Buffer[] {
  return kinds.map((kind, column) =>
    encodeArray(
      kind,
      rows.map(row => row[column] ?? null),
    ),
  );
}

function kindsOf(table: Table, names: readonly string[]): Kind[] {
  return names.map(name => columnKind(table.columns[name] ?? 'text').kind);
}

const columnKinds = (table: Table): Kind[] => kindsOf(table, Object.keys(table.columns));
const keyKinds = (table: Table): Kind[] => kindsOf(table, table.key);

function insertSql(table: Table): string {
  return `${insertIntoSql(table)} SELECT * FROM unnest(${arrays(columnKinds(table))})`;
}

function upsertSql(table: Table): string {
  return `${insertSql(table)} ${onConflictSql(table)}`;
}

/**
 * LATERAL forces the planner to look up each key by all its columns. With `IN`, a plan made while the table was small scans all rows
 * that share the first column of the key, and a prepared statement keeps that plan.
 */
function findSql(table: Table): string {
  return `SELECT t.* FROM unnest(${arrays(keyKinds(table))}) AS k (${keyAliases(table).join(', ')}),
    LATERAL (SELECT ${quoteNames(Object.keys(table.columns))} FROM ${quoteName(table.name)} AS r
      WHERE ${equalKeys(table, 'r')} LIMIT 1) AS t`;
}

function deleteSql(table: Table): string {
  return `DELETE FROM ${quoteName(table.name)} AS t USING unnest(${arrays(keyKinds(table))}) AS k (${keyAliases(table).join(', ')})
    WHERE ${equalKeys(table, 't')}`;
}

const keyAliases = (table: Table): string[] => table.key.map((_, i) => `k${i}`);

/** `r."list" = k.k0 AND r."seq" = k.k1` */
const equalKeys = (table: Table, alias: string): string =>
  table.key.map((name, i) => `${alias}.${quoteName(name)} = k.k${i}`).join(' AND ');

/** `?::bigint[], ?::text[]`: one array for each column, which unnest makes rows of. */
const arrays = (kinds: readonly Kind[]): string => kinds.map(kind => `?::${ARRAYS[kind]}`).join(', ');

/** A statement as PostgreSQL takes it. One with a name is prepared once for each connection. */
export interface NumberedStatement {
  readonly text: string;
  readonly name?: string;
}

/** Past this many texts (lists of varying length) statements are not named: each name costs memory on the server. */
const MAX_NAMED = 1_000;

const LITERAL_OR_MARK = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** Rewrites each `?` to `$1`, `$2` ..., except in literals, quoted names and comments. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(LITERAL_OR_MARK, part => (part === '?' ? `$${++count}` : part));
}

/** A cache that rewrites each text once, and names each statement. @param isNamed false: gives no names */
export function statementNames(isNamed = true): (sql: string) => NumberedStatement {
  const known = new Map<string, NumberedStatement>();
  return sql => {
    const statement = known.get(sql);
    if (statement !== undefined) return statement;
    const text = numberPlaceholders(sql);
    if (known.size >= MAX_NAMED) return { text };
    const kept = isNamed ? { text, name: `s${known.size + 1}` } : { text };
    known.set(sql, kept);
    return kept;
  };
}
