import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { NOTES, PAIRS } from '../../../test/support/tables.ts';
import type { Columns, ColumnType, Queries, Row, SqlValue, Table } from './database.ts';
import { type KeyOf, keyFrom, keyValuesOf, type RowOf, rowFrom, table, valuesOf } from './table.ts';

const text = fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\0'));
const OF_TYPE: Readonly<Record<ColumnType, fc.Arbitrary<SqlValue>>> = {
  int: fc.maxSafeInteger(),
  text,
  bytes: fc.uint8Array(),
  'int?': fc.option(fc.maxSafeInteger()),
  'text?': fc.option(text),
  'bytes?': fc.option(fc.uint8Array()),
};
const TYPES = Object.keys(OF_TYPE) as ColumnType[];

/** Tables of any columns, with a row: its properties in an order of their own, among others that are no columns. */
const tableWithRow: fc.Arbitrary<{ readonly declared: Table; readonly row: Row }> = fc
  .dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), fc.constantFrom(...TYPES), {
    minKeys: 1,
    noNullPrototype: true,
  })
  .chain((columns: Columns) => {
    const names = Object.keys(columns);
    const values = Object.entries(columns).map(([name, type]) =>
      OF_TYPE[type].map((value): [string, SqlValue] => [name, value]),
    );
    return fc.record({
      declared: fc.shuffledSubarray(names, { minLength: 1 }).map((key): Table => ({ name: 'any', columns, key })),
      row: fc
        .tuple(...values)
        .chain(entries =>
          fc.shuffledSubarray([...entries, ['Of another table', 1] as [string, SqlValue]], {
            minLength: entries.length + 1,
          }),
        )
        .map((entries): Row => Object.fromEntries(entries)),
    });
  });

test('the values of a row are in the order of the columns, whatever the order of its properties, and give the row again', () => {
  fc.assert(
    fc.property(tableWithRow, ({ declared, row }) => {
      const names = Object.keys(declared.columns);
      const values = valuesOf(declared, row);
      assert.deepEqual(
        values,
        names.map(name => row[name]),
      );
      const again = rowFrom(declared, values);
      assert.deepEqual(Object.keys(again), names);
      assert.deepEqual(valuesOf(declared, again), values);
    }),
  );
});

test('the values of a key are in the order of the key, and give the key again', () => {
  fc.assert(
    fc.property(tableWithRow, ({ declared, row }) => {
      const values = keyValuesOf(declared, row);
      assert.deepEqual(
        values,
        declared.key.map(name => row[name]),
      );
      assert.deepEqual(keyFrom(declared, values), Object.fromEntries(declared.key.map(name => [name, row[name]])));
    }),
  );
});

const noteRow: fc.Arbitrary<RowOf<typeof NOTES>> = fc.record(
  {
    extra_bytes: fc.option(fc.uint8Array()),
    extra_text: fc.option(text),
    extra_int: fc.option(fc.maxSafeInteger()),
    body: fc.uint8Array(),
    title: text,
    id: fc.maxSafeInteger(),
  },
  { noNullPrototype: true },
);

onEveryEngine((engine, openFresh) => {
  test(`rows of every kind of column come back from the database as they are written (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const rows = fc.uniqueArray(noteRow, { selector: ({ id }) => id, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rows, async written => {
        const [selected, found] = await database.write(async tx => {
          await tx.run('DELETE FROM notes');
          await tx.insertMany(
            NOTES,
            written.map(row => valuesOf(NOTES, row)),
          );
          return [
            await tx.all<RowOf<typeof NOTES>>('SELECT * FROM notes'),
            await tx.find(
              NOTES,
              written.map(row => keyValuesOf(NOTES, row)),
            ),
          ] as const;
        });
        const byId = (list: readonly RowOf<typeof NOTES>[]) => new Map(list.map(row => [row.id, row]));
        assert.deepEqual(byId(selected), byId(written));
        assert.deepEqual(byId(found.map(values => rowFrom(NOTES, values))), byId(written));
      }),
      { numRuns: engine === 'sqlite' ? 60 : 15 },
    );
  });
});

/** Never called: each line marked so must not compile. */
export async function refusedByTheCompiler(queries: Queries): Promise<void> {
  const note: RowOf<typeof NOTES> = {
    id: 1,
    title: '',
    body: new Uint8Array(),
    extra_int: null,
    extra_text: null,
    extra_bytes: null,
  };
  // @ts-expect-error: a column that the table does not have
  note.subtitle;
  // @ts-expect-error: a column of another type
  valuesOf(NOTES, { ...note, title: 1 });
  // @ts-expect-error: null where the column may not be null
  valuesOf(NOTES, { ...note, body: null });
  const { extra_int: _, ...incomplete } = note;
  // @ts-expect-error: a column is missing, though it may be null
  valuesOf(NOTES, incomplete);
  // @ts-expect-error: half of the key
  const key: KeyOf<typeof PAIRS> = { who: 'a' };
  // @ts-expect-error: the wrong kind of key
  keyValuesOf(PAIRS, { ...key, what: 'text' });
  const [row] = await queries.all<RowOf<typeof NOTES, 'id' | 'extra_text'>>('SELECT id, extra_text FROM notes');
  // @ts-expect-error: a column that was not selected
  row?.title;
  // @ts-expect-error: it may be null
  row?.extra_text.length;
  // @ts-expect-error: the key is no column
  table({ name: 'a', columns: { a: 'int' }, key: ['b'] });
  // @ts-expect-error: an index of what is no column
  table({ name: 'a', columns: { a: 'int' }, key: ['a'], indexes: [['b']] });
  // @ts-expect-error: no type of a column
  table({ name: 'a', columns: { a: 'integer' }, key: ['a'] });
}
