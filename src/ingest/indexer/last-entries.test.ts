import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { NAMED, SHARED } from '../../../test/support/workspace-tables.ts';
import type { Queries } from '../../base/store/database.ts';
import { lastEntries, lastEntryBelow } from './last-entries.ts';
import { LISTS } from './tables.ts';

const LENGTHS = [1, 2, 63, 64, 65, 130, 300, 4000];
/** Two entries in a row have the same value. With others some lists stand still, or grow more and more: entries are far from where they are expected. */
const VALUES: Readonly<Record<string, (seq: number) => number>> = {
  steady: seq => Math.floor(seq / 2),
  slow: seq => Math.floor(seq / 1000),
  late: seq => seq + (seq < 100 ? 0 : 1_000_000),
  faster: seq => seq ** 3,
};
const LISTED = Object.entries(VALUES).flatMap(([kind, valueAt]) =>
  LENGTHS.map(length => ({ name: `${kind} ${length}`, length, valueAt })),
);

onEveryEngine((engine, openFresh) => {
  test(`the last entry below a bound is the same near the end of its list and far from it (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([LISTS, SHARED]);
    await database.write(async tx => {
      await tx.insertMany(
        LISTS,
        LISTED.map(({ name, length }, id) => [NAMED.code, name, id, length]),
      );
      await tx.insertMany(
        SHARED,
        LISTED.flatMap(({ length, valueAt }, id) => Array.from({ length }, (_, seq) => [id, seq, valueAt(seq)])),
      );
    });
    await database.read(async queries => {
      for (const { name, length, valueAt } of LISTED) {
        const values = Array.from({ length }, (_, seq) => valueAt(seq));
        for (const bound of [0, 1, 2, 7, 33, 117, 118, 119, 1000, 1_000_100, 2 ** 30, Number.MAX_SAFE_INTEGER]) {
          const found = await lastEntryBelow(queries, NAMED, name, 'v', bound);
          const last = values.findLastIndex(value => value < bound);
          assert.equal(found?.seq, last < 0 ? undefined : last, `${name}, ${bound}`);
        }
      }
      let statements = 0;
      const counted: Queries = {
        get: queries.get,
        all: (sql, params) => {
          statements++;
          return queries.all(sql, params);
        },
      };
      await lastEntryBelow(counted, NAMED, 'steady 4000', 'v', 1000);
      assert.equal(statements, 1, 'a list that grows steadily is not halved');
      const last = await lastEntries(queries, NAMED, [...LISTED.map(({ name }) => name), 'none'], ['v']);
      assert.deepEqual(
        LISTED.map(({ name }) => last.get(name)?.v),
        LISTED.map(({ length, valueAt }) => valueAt(length - 1)),
      );
    });
    await database.write(tx => tx.run('DELETE FROM shared_entries WHERE seq = 299 OR seq = 118'));
    await database.read(async queries => {
      const damaged = { code: 'CORRUPT', message: 'a list of shared_entries has a gap' };
      await assert.rejects(lastEntries(queries, NAMED, ['steady 300'], ['v']), damaged);
      await assert.rejects(lastEntryBelow(queries, NAMED, 'steady 300', 'v', 30), damaged);
    });
  });
});
