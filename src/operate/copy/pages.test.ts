import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { bytes, MEMBERS, NOTES, note, PAIRS } from '../../../test/support/tables.ts';
import type { Database, SqlValue, Table } from '../../base/store/database.ts';
import { countRows, lastKey, pagesOf, type Tuple } from './pages.ts';

const MB = 1024 * 1024;

async function pages(database: Database, table: Table, after?: Tuple): Promise<(readonly Tuple[])[]> {
  return database.read(async queries => {
    const all: (readonly Tuple[])[] = [];
    for await (const page of pagesOf(queries, table, after)) all.push(page);
    return all;
  });
}

async function filled(database: Database, table: Table, rows: readonly SqlValue[][]): Promise<Database> {
  await database.create([table]);
  await database.write(tx => tx.insertMany(table, rows));
  return database;
}

onEveryEngine((engine, openFresh) => {
  test(`pages have all rows once, in the order of the key (${engine})`, async t => {
    const rows = Array.from({ length: 12_001 }, (_, i) => [
      Math.floor(i / 100),
      `m${String(i % 100).padStart(2, '0')}`,
    ]);
    const database = await filled((await openFresh(t)).database, MEMBERS, rows.toReversed());
    const found = await pages(database, MEMBERS);
    assert.deepEqual(
      found.map(page => page.length),
      [5000, 5000, 2001],
    );
    assert.deepEqual(found.flat(), rows);
  });

  test(`pages go on after a key, in the middle of rows that share its first column (${engine})`, async t => {
    const rows: SqlValue[][] = ['a', 'b', 'é', '\u{1F600}'].flatMap(who => [0, 127, 255].map(n => [who, bytes(n), n]));
    const database = await filled((await openFresh(t)).database, PAIRS, rows);
    assert.deepEqual((await pages(database, PAIRS, ['b', bytes(127)])).flat(), rows.slice(5));
    assert.deepEqual((await pages(database, PAIRS, ['\u{1F600}', bytes(255)])).flat(), []);
    const { last, count } = await database.read(async queries => ({
      last: await lastKey(queries, PAIRS),
      count: await countRows(queries, PAIRS),
    }));
    assert.deepEqual([last, count], [['\u{1F600}', bytes(255)], 12]);
  });

  test(`a page ends where it has 4 MB, and has at least one row (${engine})`, async t => {
    const sizes = [3 * MB, 3 * MB, 9 * MB, 1, 1, 5 * MB];
    const rows = sizes.map((size, i) => note(i).with(2, new Uint8Array(size)));
    const database = await filled((await openFresh(t)).database, NOTES, rows);
    assert.deepEqual(
      (await pages(database, NOTES)).map(page => page.length),
      [2, 1, 3],
    );
  });

  test(`an empty table has no page and no last key (${engine})`, async t => {
    const database = await filled((await openFresh(t)).database, NOTES, []);
    assert.deepEqual(await pages(database, NOTES), []);
    assert.equal(await database.read(queries => lastKey(queries, NOTES)), undefined);
  });
});
