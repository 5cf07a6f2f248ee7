import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nullable } from '../schema.ts';
import { Type } from '../type.ts';
import { type RowSchema, tableOf } from './table.ts';

const ROW = Type.Object({
  id: Type.String(),
  block: Type.Object({ height: Type.Integer(), time: nullable(Type.Integer()) }),
  lock: nullable(Type.Object({ amount: Type.String() })),
  kind: Type.Union([Type.Literal('none'), Type.Object({ name: Type.String() }), Type.Object({ code: Type.Integer() })]),
  events: Type.Array(Type.Object({ index: Type.Integer() })),
  counts: Type.Record(Type.String(), Type.Integer()),
  is_open: Type.Optional(Type.Boolean()),
}) as RowSchema;

test('a table has a column for each scalar that the schema of its rows allows, whatever rows there are', () => {
  assert.deepEqual(tableOf(ROW).columns, [
    ...['id', 'block.height', 'block.time', 'lock.amount', 'kind', 'kind.name', 'kind.code', 'events', 'counts'],
    'is_open',
  ]);
  assert.deepEqual(tableOf(Type.String() as RowSchema).columns, ['value']);
});

test('cells are texts and numbers as they are, lists and maps as JSON; what is null or absent is empty', () => {
  const { cells } = tableOf(ROW);
  const full = { id: 'a', block: { height: 7, time: 0 }, lock: { amount: '12' }, kind: { code: 3 }, is_open: false };
  assert.deepEqual(cells({ ...full, events: [{ index: 1 }], counts: { b: 2 } }), [
    ...['a', '7', '0', '12', '', '', '3', '[{"index":1}]', '{"b":2}', 'false'],
  ]);
  const empty = { id: '', block: { height: 7, time: null }, lock: null, kind: 'none', events: [], counts: {} };
  assert.deepEqual(cells(empty), ['', '7', '', '', 'none', '', '', '[]', '{}', '']);
});
