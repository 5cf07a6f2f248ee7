import type pg from 'pg';
import type { Queries, Row, Table, Transaction, Value } from './database.ts';
import { columnKind, quoteName, quoteNames } from './ddl.ts';
import type { NumberedStatement } from './placeholders.ts';
import { encodeArray } from './postgres-binary.ts';
import { copyInto, copyParts, copySql } from './postgres-copy.ts';
import { translated } from './postgres-errors.ts';
import type { SerialQueue } from './queue.ts';
import { insertIntoSql, onConflictSql } from './table-sql.ts';

/** Rows of one statement: the arrays of its parameters are copies of them. */
const CHUNK_ROWS = 5_000;
/** Fewer rows are inserted by a prepared statement: a COPY is planned each time. */
const FEW_ROWS = 20;
const ARRAYS = { int: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const;

type Kind = keyof typeof ARRAYS;
type Rows = readonly (readonly Value[])[];
type Prepare = (sql: string) => NumberedStatement;

/** The plain queries of one client. */
export function queriesOver(client: pg.PoolClient, prepare: Prepare): Queries {
  return {
    all: async <R extends Row>(sql: string, params: readonly Value[] = []) =>
      (await query<R>(client, prepare(sql), params)).rows,
    get: async <R extends Row>(sql: string, params: readonly Value[] = []) =>
      (await query<R>(client, prepare(sql), params)).rows[0],
  };
}

/**
 * The operations of a writing client. All that one sends is passed to `calls` at once, in parts: `calls` decides whether a part
 * waits for the answer to the one before, and nothing of a call is left behind when its transaction ends.
 */
export function transactionOver(client: pg.PoolClient, prepare: Prepare, calls: SerialQueue): Transaction {
  const queries = queriesOver(client, prepare);
  const inParts = <R extends pg.QueryResultRow>(
    statement: NumberedStatement,
    kinds: readonly Kind[],
    rows: Rows,
    rowMode?: 'array',
  ) =>
    Promise.all(
      chunksOf(rows).map(chunk => calls(() => query<R>(client, { ...statement, rowMode }, arraysOf(kinds, chunk)))),
    );
  const write = async (sql: string, kinds: readonly Kind[], rows: Rows) =>
    void (await inParts(prepare(sql), kinds, rows));
  return {
    all: (sql, params) => calls(() => queries.all(sql, params)),
    get: (sql, params) => calls(() => queries.get(sql, params)),
    run: (sql, params = []) => calls(async () => (await query(client, prepare(sql), params)).rowCount ?? 0),
    insertMany: async (table, rows) => {
      if (rows.length < FEW_ROWS) return write(insertSql(table), columnKinds(table), rows);
      const copy = copySql(table);
      const parts = [...copyParts(rows)].map(data => calls(() => translated(copyInto(client, copy, data))));
      await Promise.all(parts);
    },
    upsertMany: (table, rows) => write(upsertSql(table), columnKinds(table), rows),
    deleteMany: (table, keys) => write(deleteSql(table), keyKinds(table), keys),
    find: async (table, keys) =>
      (await inParts<Value[]>(prepare(findSql(table)), keyKinds(table), keys, 'array')).flatMap(({ rows }) => rows),
  };
}

function query<R extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statement: NumberedStatement & { readonly rowMode?: 'array' | undefined },
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  return translated(client.query<R, unknown[]>({ ...statement, values: [...values] }));
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
  return `${insertIntoSql(table)} SELECT * FROM ${unnest(columnKinds(table))}`;
}

function upsertSql(table: Table): string {
  return `${insertSql(table)} ${onConflictSql(table)}`;
}

/**
 * LATERAL leaves the planner nothing but to look up each key by all its columns. With `IN` it scans all rows that share the
 * first column of the key, if it planned while the table was small; a prepared statement keeps that plan.
 */
function findSql(table: Table): string {
  return `SELECT t.* FROM ${unnest(keyKinds(table))} AS k (${keyAliases(table).join(', ')}),
    LATERAL (SELECT ${quoteNames(Object.keys(table.columns))} FROM ${quoteName(table.name)} AS r
      WHERE ${equalKeys(table, 'r')} LIMIT 1) AS t`;
}

function deleteSql(table: Table): string {
  return `DELETE FROM ${quoteName(table.name)} AS t USING ${unnest(keyKinds(table))} AS k (${keyAliases(table).join(', ')})
    WHERE ${equalKeys(table, 't')}`;
}

const keyAliases = (table: Table): string[] => table.key.map((_, i) => `k${i}`);

/** `r."list" = k.k0 AND r."seq" = k.k1` */
const equalKeys = (table: Table, alias: string): string =>
  table.key.map((name, i) => `${alias}.${quoteName(name)} = k.k${i}`).join(' AND ');

/** `unnest(?::bigint[], ?::text[])`: rows from one array for each column. */
function unnest(kinds: readonly Kind[]): string {
  return `unnest(${kinds.map(kind => `?::${ARRAYS[kind]}`).join(', ')})`;
}
