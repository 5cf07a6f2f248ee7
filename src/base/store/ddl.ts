import { createHash } from 'node:crypto';
import type { ColumnType, CreateOptions, Table } from './database.ts';
import { FatalDatabaseError } from './errors.ts';

type Dialect = 'sqlite' | 'postgres';

const TYPES = {
  // STRICT tables of SQLite refuse values of another type, as PostgreSQL does.
  sqlite: { int: 'INTEGER', text: 'TEXT', bytes: 'BLOB' },
  // COLLATE "C" orders text by its bytes, as SQLite does, whatever the locale of the server.
  postgres: { int: 'bigint', text: 'text COLLATE "C"', bytes: 'bytea' },
} as const;

/** How full inserts make the pages of a table whose rows are replaced again and again. */
const REWRITTEN_FILL_PERCENT = 85;

/** PostgreSQL cuts longer names silently, so that two of them could become one. */
const MAX_NAME_LENGTH = 63;

/** The name in double quotes. Throws FatalDatabaseError unless it is plain lower case: then both engines read it alike. */
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new FatalDatabaseError('MISUSE', `"${name}" is not a lower-case name of at most ${MAX_NAME_LENGTH} letters`);
  }
  return `"${name}"`;
}

/** Any name in double quotes, for PostgreSQL alone. */
export const quoteAnyName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** `"a", "b"` */
export function quoteNames(names: readonly string[]): string {
  return names.map(quoteName).join(', ');
}

/** The kind of value a column holds, and whether it may be null. */
export const columnKind = (type: ColumnType): ColumnKind => COLUMN_KINDS[type];

export interface ColumnKind {
  readonly kind: 'int' | 'text' | 'bytes';
  readonly nullable: boolean;
}

const COLUMN_KINDS: Readonly<Record<ColumnType, ColumnKind>> = {
  int: { kind: 'int', nullable: false },
  text: { kind: 'text', nullable: false },
  bytes: { kind: 'bytes', nullable: false },
  'int?': { kind: 'int', nullable: true },
  'text?': { kind: 'text', nullable: true },
  'bytes?': { kind: 'bytes', nullable: true },
};

/** `CREATE TABLE IF NOT EXISTS` for a table. Throws FatalDatabaseError when the description contradicts itself. */
export function createTableSql(table: Table, dialect: Dialect): string {
  checkTable(table);
  const rowid = isRowidKey(table);
  const columns = Object.entries(table.columns).map(([name, type]) => {
    const { kind, nullable } = columnKind(type);
    const isRowid = rowid && name === table.key[0];
    return `${quoteName(name)} ${TYPES[dialect][kind]}${nullable ? '' : ' NOT NULL'}${isRowid ? ' PRIMARY KEY' : ''}`;
  });
  if (!rowid) columns.push(`PRIMARY KEY (${quoteNames(table.key)})`);
  return `CREATE TABLE IF NOT EXISTS ${quoteName(table.name)} (\n  ${columns.join(',\n  ')}\n)${storageSql(table, dialect)}`;
}

function storageSql(table: Table, dialect: Dialect): string {
  // A new version of a row in the same page needs no new entry in the indexes (PostgreSQL manual, "Heap-Only Tuples").
  if (dialect === 'postgres') return table.rewritten ? ` WITH (fillfactor = ${REWRITTEN_FILL_PERCENT})` : '';
  // Rows of other keys live in the tree of their key: one lookup instead of two, and a third of the size.
  return isRowidKey(table) ? ' STRICT' : ' STRICT, WITHOUT ROWID';
}

/** `CREATE INDEX IF NOT EXISTS` for every index of a table, in order. */
export function createIndexSql(table: Table): string[] {
  return indexes(table, 'all').map(({ sql }) => sql);
}

/** A statement, and the name of the table or index that it makes where that is missing. */
export interface Creation {
  readonly name: string;
  readonly sql: string;
}

/** All statements that make the tables and their indexes, where they are missing. */
export function createSql(
  tables: readonly Table[],
  dialect: Dialect,
  { indexes: which = 'all' }: CreateOptions = {},
): Creation[] {
  return tables.flatMap(table => [
    { name: table.name, sql: createTableSql(table, dialect) },
    ...(which === 'none' ? [] : indexes(table, which)),
  ]);
}

function indexes(table: Table, which: 'indexer' | 'all'): Creation[] {
  checkTable(table);
  const { indexes: needed = [], readIndexes = [] } = table;
  return [...needed, ...(which === 'all' ? readIndexes : [])].map(columns => {
    const name = indexName(table.name, columns);
    const sql = `CREATE INDEX IF NOT EXISTS ${quoteName(name)} ON ${quoteName(table.name)} (${quoteNames(columns)})`;
    return { name, sql };
  });
}

/** SQLite keeps rows in the order of a single integer key without a second tree. */
function isRowidKey(table: Table): boolean {
  const [key] = table.key;
  return table.key.length === 1 && key !== undefined && table.columns[key] === 'int';
}

function indexName(table: string, columns: readonly string[]): string {
  const name = [table, ...columns].join('__');
  if (name.length <= MAX_NAME_LENGTH) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 9)}_${digest}`;
}

function checkTable(table: Table): void {
  const wrong = (what: string) => new FatalDatabaseError('MISUSE', `table ${table.name}: ${what}`);
  if (table.key.length === 0) throw wrong('it has no key');
  for (const name of [...table.key, ...(table.indexes ?? []).flat(), ...(table.readIndexes ?? []).flat()]) {
    if (!Object.hasOwn(table.columns, name)) throw wrong(`there is no column ${name}`);
  }
  for (const name of table.key) {
    if (table.columns[name]?.endsWith('?')) throw wrong(`the key column ${name} may not be null`);
  }
}

/** `INSERT INTO "table" ("a", "b")`, with every column of the table in its order. */
export function insertIntoSql(table: Table): string {
  return `INSERT INTO ${quoteName(table.name)} (${quoteNames(Object.keys(table.columns))})`;
}

/** `ON CONFLICT (key) DO UPDATE SET` every other column; `DO NOTHING` when the key is the whole row. */
export function onConflictSql(table: Table): string {
  const others = Object.keys(table.columns).filter(name => !table.key.includes(name));
  const target = `ON CONFLICT (${quoteNames(table.key)})`;
  if (others.length === 0) return `${target} DO NOTHING`;
  return `${target} DO UPDATE SET ${others.map(name => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ')}`;
}
