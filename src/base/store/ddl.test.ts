import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Table } from './database.ts';
import { createIndexSql, createSql, createTableSql } from './ddl.ts';
import { FatalDatabaseError } from './errors.ts';
import { table } from './table.ts';

const BLOCKS = table({
  name: 'blocks',
  columns: { height: 'int', hash: 'bytes', note: 'text?' },
  key: ['height'],
  indexes: [['hash'], ['note', 'height']],
});
const MOVES = table({ name: 'moves', columns: { who: 'text', seq: 'int', data: 'bytes?' }, key: ['who', 'seq'] });

test('a single integer key is the row id of SQLite', () => {
  assert.equal(
    createTableSql(BLOCKS, 'sqlite'),
    'CREATE TABLE IF NOT EXISTS "blocks" (\n  "height" INTEGER NOT NULL PRIMARY KEY,\n  "hash" BLOB NOT NULL,\n  "note" TEXT\n) STRICT',
  );
});

test('a table of SQLite with any other key has no row id', () => {
  assert.match(createTableSql(MOVES, 'sqlite'), /PRIMARY KEY \("who", "seq"\)\n\) STRICT, WITHOUT ROWID$/);
  assert.match(createTableSql({ ...MOVES, key: ['who'] }, 'sqlite'), /WITHOUT ROWID$/);
});

test('PostgreSQL gets bigint, bytea and text in byte order', () => {
  assert.equal(
    createTableSql(MOVES, 'postgres'),
    'CREATE TABLE IF NOT EXISTS "moves" (\n  "who" text COLLATE "C" NOT NULL,\n  "seq" bigint NOT NULL,\n  "data" bytea,\n  PRIMARY KEY ("who", "seq")\n)',
  );
});

test('tables whose rows are replaced again and again have room in their pages, on PostgreSQL', () => {
  const table: Table = { ...MOVES, rewritten: true };
  assert.match(createTableSql(table, 'postgres'), /\) WITH \(fillfactor = 85\)$/);
  assert.equal(createTableSql(table, 'sqlite'), createTableSql(MOVES, 'sqlite'));
});

test('indexes are named after their table and columns', () => {
  assert.deepEqual(createIndexSql(BLOCKS), [
    'CREATE INDEX IF NOT EXISTS "blocks__hash" ON "blocks" ("hash")',
    'CREATE INDEX IF NOT EXISTS "blocks__note__height" ON "blocks" ("note", "height")',
  ]);
  assert.deepEqual(createSql([BLOCKS, MOVES], 'sqlite').length, 4);
  assert.deepEqual(
    createSql([BLOCKS, MOVES], 'sqlite', { indexes: 'none' }).map(({ name }) => name),
    ['blocks', 'moves'],
  );
});

test('index names that PostgreSQL would cut stay different', () => {
  const long = 'a'.repeat(40);
  const columns = { [`${long}_x`]: 'int', [`${long}_y`]: 'int' } as const;
  const names = Object.keys(columns);
  const table: Table = { name: 'wide', columns, key: names, indexes: [names, [...names].reverse()] };
  const [first, second] = createIndexSql(table).map(sql => /EXISTS "([^"]+)"/.exec(sql)?.[1] ?? '');
  assert.notEqual(first, second);
  assert.ok((first ?? '').length <= 63);
});

test('a table that contradicts itself is refused', () => {
  const wrong: Table[] = [
    { ...MOVES, key: [] },
    { ...MOVES, key: ['nobody'] },
    { ...MOVES, key: ['data'] },
    { ...MOVES, indexes: [['nobody']] },
    { ...MOVES, name: 'Moves' },
    { ...MOVES, name: 'moves"; DROP TABLE blocks; --' },
  ];
  for (const table of wrong) {
    assert.throws(() => createTableSql(table, 'sqlite'), FatalDatabaseError);
  }
});
