import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { NAMED, SHARED } from '../../../test/support/workspace-tables.ts';
import { lastEntries, lastEntryBelow } from './last-entries.ts';
import { LISTS } from './tables.ts';

/** Around the number of entries at the end of a list that no step of the halving reads. */
const LENGTHS = [1, 2, 63, 64, 65, 130, 300];
/** Two entries in a row have the same value. */
const valueAt = (seq: number): number => Math.floor(seq / 2);
const nameOf = (length: number): string => `of ${length}`;

onEveryEngine((engine, openFresh) => {
  test(`the last entry below a bound is the same near the end of its list and far from it (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([LISTS, SHARED]);
    await database.write(async tx => {
      await tx.insertMany(
        LISTS,
        LENGTHS.map((length, id) => [NAMED.code, nameOf(length), id, length]),
      );
      await tx.insertMany(
        SHARED,
        LENGTHS.flatMap((length, id) => Array.from({ length }, (_, seq) => [id, seq, valueAt(seq)])),
      );
    });
    await database.read(async queries => {
      for (const length of LENGTHS)
        for (const bound of [0, 1, 7, 31, 33, 117, 118, 119, 1000]) {
          const found = await lastEntryBelow(queries, NAMED, nameOf(length), 'v', bound);
          assert.equal(found?.seq, bound === 0 ? undefined : Math.min(2 * bound, length) - 1, `${length}, ${bound}`);
        }
      const last = await lastEntries(queries, NAMED, [...LENGTHS.map(nameOf), 'none'], ['v']);
      assert.deepEqual(
        LENGTHS.map(length => last.get(nameOf(length))?.v),
        LENGTHS.map(length => valueAt(length - 1)),
      );
    });
    await database.write(tx => tx.run('DELETE FROM shared_entries WHERE seq = 299 OR seq = 118'));
    await database.read(async queries => {
      const damaged = { code: 'CORRUPT', message: 'a list of shared_entries has a gap' };
      await assert.rejects(lastEntries(queries, NAMED, [nameOf(300)], ['v']), damaged);
      await assert.rejects(lastEntryBelow(queries, NAMED, nameOf(300), 'v', 30), damaged);
    });
  });
});
