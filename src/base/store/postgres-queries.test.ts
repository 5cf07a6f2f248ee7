import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { NOTES, note, PAIRS } from '../../../test/support/tables.ts';
import type { DatabaseTransaction } from './database.ts';
import { createTableSql } from './ddl.ts';
import { postgresTypes } from './postgres-pool.ts';
import { numberPlaceholders, statementNames, transactionOver } from './postgres-queries.ts';

const server = sharedPostgres();
let url: string;
before(async () => {
  if ('url' in server) url = await server.url();
});
const options = { skip: 'missing' in server ? server.missing : false };

const many = Array.from({ length: 50 }, (_, i) => note(i));
const repeated = [...many, note(0)];

/** Each sends several calls, of which the first fails. */
const FAILING: Readonly<Record<string, (tx: DatabaseTransaction) => Promise<unknown>[]>> = {
  'a COPY': tx => [
    tx.insertMany(NOTES, repeated),
    tx.run('SELECT 1'),
    tx.insertMany(NOTES, many),
    tx.find(NOTES, [[1]]),
  ],
  'a prepared statement': tx => [
    tx.insertMany(NOTES, [note(1), note(1)]),
    tx.insertMany(NOTES, many),
    tx.all('SELECT 1'),
  ],
  'one of many parts': tx => [
    tx.insertMany(NOTES, [note(1), note(1)]),
    tx.find(
      NOTES,
      many.map(([id]) => [id ?? 0]),
    ),
  ],
};

for (const [what, calls] of Object.entries(FAILING)) {
  test(`in a pipeline every call behind ${what} that fails tells why`, options, async t => {
    const client = new pg.Client({ connectionString: url, pipeline: true, types: postgresTypes });
    await client.connect();
    t.after(() => client.end());
    await client.query(
      createTableSql(NOTES, 'postgres').replace('CREATE TABLE IF NOT EXISTS', 'CREATE TEMPORARY TABLE'),
    );
    const statement = statementNames();
    for (let round = 0; round < 20; round++) {
      await client.query('BEGIN');
      const tx = transactionOver(client, statement);
      for (const outcome of await Promise.allSettled(calls(tx))) {
        assert.equal(outcome.status, 'rejected');
        assert.equal(outcome.reason.code, 'CONSTRAINT');
      }
      await client.query('ROLLBACK');
    }
  });
}

test('in a pipeline calls take effect in the order in which they were made', options, async t => {
  const client = new pg.Client({ connectionString: url, pipeline: true, types: postgresTypes });
  await client.connect();
  t.after(() => client.end());
  await client.query(createTableSql(PAIRS, 'postgres').replace('CREATE TABLE IF NOT EXISTS', 'CREATE TEMPORARY TABLE'));
  const tx = transactionOver(client, statementNames());
  const rows = Array.from({ length: 30 }, (_, i) => ['a', Uint8Array.of(i), i] as const);
  const key = ['a', Uint8Array.of(7)];
  const found = await Promise.all([
    tx.find(PAIRS, [key]),
    tx.insertMany(PAIRS, rows),
    tx.find(PAIRS, [key]),
    tx.upsertMany(PAIRS, [[...key, 70]]),
    tx.find(PAIRS, [key]),
    tx.deleteMany(PAIRS, [key]),
    tx.find(PAIRS, [key]),
  ]);
  const counts = [found[0], found[2], found[4], found[6]].map(rows => rows?.map(row => row[2]));
  assert.deepEqual(counts, [[], [7], [70], []]);
});

test('placeholders are numbered in order', () => {
  assert.equal(
    numberPlaceholders('SELECT a FROM t WHERE b = ? AND c IN (?, ?)'),
    'SELECT a FROM t WHERE b = $1 AND c IN ($2, $3)',
  );
});

test('a question mark in a literal, a quoted name or a comment is not a placeholder', () => {
  const sql = `SELECT 'why?', 'it''s ?', "odd?" -- really?\n, /* ? */ ? FROM t`;
  assert.equal(numberPlaceholders(sql), `SELECT 'why?', 'it''s ?', "odd?" -- really?\n, /* ? */ $1 FROM t`);
});

test('each text has one name, and texts without end are not all named', () => {
  const statement = statementNames();
  assert.deepEqual(statement('SELECT ?'), { text: 'SELECT $1', name: 's1' });
  assert.deepEqual(statement('SELECT ?'), { text: 'SELECT $1', name: 's1' });
  for (let i = 0; i < 2_000; i++) statement(`SELECT ${i}`);
  assert.deepEqual(statement('SELECT -1'), { text: 'SELECT -1' });
  assert.equal(statement('SELECT ?').name, 's1');
});
