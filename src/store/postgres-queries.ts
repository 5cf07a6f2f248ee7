import type pg from 'pg';
import type { Queries, Row, Table, Transaction, Value } from './database.ts';
import { columnKind, quoteName } from './ddl.ts';
import type { NumberedStatement } from './placeholders.ts';
import { encodeArray } from './postgres-binary.ts';
import { copyInto, copySql, encodeCopy } from './postgres-copy.ts';
import { translated } from './postgres-errors.ts';
import type { SerialQueue } from './queue.ts';
import { insertIntoSql, onConflictSql } from './table-sql.ts';

/** Rows of one upsert or delete: the arrays of its parameters are copies of them. */
const CHUNK_ROWS = 5_000;
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

/** The operations of a writing client, which run one after the other through `calls`. */
export function transactionOver(client: pg.PoolClient, prepare: Prepare, calls: SerialQueue): Transaction {
  const queries = queriesOver(client, prepare);
  return {
    all: (sql, params) => calls(() => queries.all(sql, params)),
    get: (sql, params) => calls(() => queries.get(sql, params)),
    run: (sql, params = []) => calls(async () => (await query(client, prepare(sql), params)).rowCount ?? 0),
    insertMany: (table, rows) => calls(() => copyRows(client, table, rows)),
    upsertMany: (table, rows) =>
      calls(() => inChunks(client, prepare(upsertSql(table)), kindsOf(table, Object.keys(table.columns)), rows)),
    deleteMany: (table, keys) =>
      calls(() => inChunks(client, prepare(deleteSql(table)), kindsOf(table, table.key), keys)),
  };
}

function query<R extends Row>(
  client: pg.PoolClient,
  statement: NumberedStatement,
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  return translated(client.query<R, unknown[]>({ ...statement, values: [...values] }));
}

async function copyRows(client: pg.PoolClient, table: Table, rows: Rows): Promise<void> {
  const sql = copySql(table);
  for (let start = 0; start < rows.length; ) {
    const { data, next } = encodeCopy(rows, start);
    await translated(copyInto(client, sql, data));
    start = next;
  }
}

/** Runs a statement that takes one array for each of the named columns. */
async function inChunks(
  client: pg.PoolClient,
  statement: NumberedStatement,
  kinds: readonly Kind[],
  rows: Rows,
): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const chunk = rows.slice(start, start + CHUNK_ROWS);
    const arrays = kinds.map((kind, column) =>
      encodeArray(
        kind,
        chunk.map(row => row[column] ?? null),
      ),
    );
    await query(client, statement, arrays);
  }
}

function kindsOf(table: Table, names: readonly string[]): Kind[] {
  return names.map(name => columnKind(table.columns[name] ?? 'text').kind);
}

function upsertSql(table: Table): string {
  return `${insertIntoSql(table)} SELECT * FROM ${unnest(table, Object.keys(table.columns))} ${onConflictSql(table)}`;
}

function deleteSql(table: Table): string {
  const aliases = table.key.map((_, i) => `k${i}`);
  const equal = table.key.map((name, i) => `t.${quoteName(name)} = k.k${i}`);
  return `DELETE FROM ${quoteName(table.name)} AS t USING ${unnest(table, table.key)} AS k (${aliases.join(', ')})
    WHERE ${equal.join(' AND ')}`;
}

/** `unnest(?::bigint[], ?::text[])`: rows from one array for each column. */
function unnest(table: Table, names: readonly string[]): string {
  return `unnest(${kindsOf(table, names)
    .map(kind => `?::${ARRAYS[kind]}`)
    .join(', ')})`;
}
