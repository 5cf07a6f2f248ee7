import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberPlaceholders, statementNames } from './placeholders.ts';

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
