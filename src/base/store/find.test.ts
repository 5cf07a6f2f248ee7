import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { bytes, MEMBERS, NOTES, note, PAIRS } from '../../../test/support/tables.ts';
import type { SqlValue } from './database.ts';

onEveryEngine((engine, openFresh) => {
  test(`find gives the rows that have one of the keys, in the order of the columns (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES, PAIRS, MEMBERS]);
    await database.write(async tx => {
      await tx.insertMany(PAIRS, [
        ['a', bytes(1), 10],
        ['a', bytes(2), 20],
        ['b', bytes(1), 30],
      ]);
      const found = await tx.find(PAIRS, [
        ['b', bytes(1)],
        ['a', bytes(2)],
        ['b', bytes(2)],
      ]);
      assert.deepEqual(
        new Map(found.map(([who, what, count]) => [who, [what, count]])),
        new Map([
          ['a', [bytes(2), 20]],
          ['b', [bytes(1), 30]],
        ]),
      );
      await tx.insertMany(MEMBERS, [[1, 'x']]);
      assert.deepEqual(
        await tx.find(MEMBERS, [
          [1, 'x'],
          [2, 'x'],
        ]),
        [[1, 'x']],
      );
      await tx.insertMany(NOTES, [[7, 'seven', bytes(), null, 'text', bytes(9)]]);
      assert.deepEqual(await tx.find(NOTES, [[7]]), [[7, 'seven', bytes(), null, 'text', bytes(9)]]);
      assert.deepEqual(await tx.find(NOTES, []), []);
    });
  });

  test(`find takes more keys than one statement does (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(async tx => {
      const ids = Array.from({ length: 12_000 }, (_, i) => i);
      await tx.insertMany(
        NOTES,
        ids.filter(id => id % 2 === 0).map(id => note(id)),
      );
      const found = await tx.find(
        NOTES,
        ids.map(id => [id]),
      );
      assert.deepEqual(
        found.map(([id]) => id).sort((a, b) => Number(a) - Number(b)),
        ids.filter(id => id % 2 === 0),
      );
    });
  });

  test(`find refuses keys of other columns or kinds (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS]);
    for (const key of [['a'], ['a', 'text'], ['a', null]] as SqlValue[][]) {
      await assert.rejects(
        database.write(tx => tx.find(PAIRS, [key])),
        { code: 'INVALID_VALUE' },
      );
    }
  });

  if (engine !== 'postgres') return;

  test('find looks up each key, also when its plan was made while the table was empty', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS]);
    await database.write(async tx => {
      // After five executions PostgreSQL keeps a plan.
      for (let i = 0; i < 8; i++)
        await tx.find(PAIRS, [
          ['a', bytes(i)],
          ['a', bytes(i, i)],
        ]);
      await tx.insertMany(
        PAIRS,
        Array.from({ length: 5_000 }, (_, i): SqlValue[] => ['a', bytes(i >> 8, i & 255), i]),
      );
      const read = () =>
        tx.get<{ rows: number }>(
          `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_xact_user_tables
            WHERE relid = CAST('pairs' AS regclass)`,
        );
      const before = await read();
      assert.equal(
        (
          await tx.find(PAIRS, [
            ['a', bytes(1, 1)],
            ['a', bytes(9, 9)],
          ])
        ).length,
        2,
      );
      assert.equal(Number((await read())?.rows) - Number(before?.rows), 2);
    });
  });
});
