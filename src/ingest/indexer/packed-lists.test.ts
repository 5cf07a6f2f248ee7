import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { scratch } from '../../../test/support/workspace-tables.ts';
import { cutPackedList, entriesAt, entriesBetween, listsThatReach, positionsOfBounds } from './packed-lists.ts';
import { countBelow, entriesOfRow, PackedAppends, packBound, packEntry, packedTable } from './packed-table.ts';

/** Entries of 14 characters, 45 a row: small lists have several rows. */
const WIDE = packedTable('wide', { tx: 'int', event: 'int?', more: 'int' }, { tx: 5, event: 4, more: 5 });

interface Entry {
  readonly tx: number;
  readonly event: number | null;
  readonly more: number;
}

const entries = fc
  .array(fc.record({ tx: fc.nat(60), event: fc.option(fc.nat(3)), more: fc.nat(2 ** 30 - 1) }), { maxLength: 150 })
  .map(all => all.toSorted((a, b) => a.tx - b.tx || (a.event ?? -1) - (b.event ?? -1)));

onSqliteAtLeast((engine, openFresh) => {
  test(`packed lists hold what was appended, in whatever parts and after whatever cuts, and searches find it (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([WIDE]);
    const steps = fc.array(fc.record({ length: fc.nat(150), chunk: fc.integer({ min: 1, max: 80 }) }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(entries, entries, steps, fc.nat(62), fc.nat(4), async (one, other, cuts, tx, event) => {
        await scratch(database, async db => {
          const lists = [one, other];
          const lengths = [0, 0];
          for (const { length, chunk } of cuts)
            for (const [list, all] of lists.entries()) {
              const kept = Math.min(length, lengths[list] ?? 0);
              await cutPackedList(db, WIDE, list, kept);
              for (let from = kept; from < all.length; from += chunk) {
                const appends = new PackedAppends(WIDE);
                for (const [i, entry] of all.slice(from, from + chunk).entries())
                  appends.add(list, from + i, entry as never);
                await db.appendMany(WIDE, appends.take());
              }
              lengths[list] = all.length;
            }
          const rows = await db.all<{ list: number; part: number; entries: string }>(
            'SELECT * FROM wide ORDER BY list, part',
          );
          for (const [list, all] of lists.entries()) {
            const own = rows.filter(row => row.list === list);
            assert.deepEqual(
              own.flatMap(row => entriesOfRow(WIDE, row)),
              all.map((entry, seq) => ({ seq, ...entry })),
            );
            assert.ok(own.slice(0, -1).every(row => row.entries.length === WIDE.perRow * WIDE.width));
            const [from, to] = [Math.min(tx, all.length), Math.min(tx + 40, all.length)];
            assert.deepEqual(
              await entriesBetween(db, WIDE, { list, from, to }),
              all.map((entry, seq) => ({ seq, ...entry })).slice(from, to),
            );
          }
          const isBefore = (entry: Entry) => entry.tx < tx || (entry.tx === tx && (entry.event ?? -1) < event);
          assert.deepEqual(
            await positionsOfBounds(
              db,
              WIDE,
              lists.flatMap((all, list) => [
                { list, from: 0, to: all.length, bound: [tx, event] },
                { list, from: all.filter(isBefore).length, to: all.length, bound: [tx, event] },
                { list, from: 0, to: Math.min(9, all.length), bound: [tx] },
                { list, from: 0, to: all.length, bound: [-1] },
                { list, from: 0, to: all.length, bound: [Number.MAX_SAFE_INTEGER] },
              ]),
            ),
            lists.flatMap(all => {
              const count = all.filter(isBefore).length;
              const few = all.slice(0, 9).filter(entry => entry.tx < tx).length;
              return [count, count, few, 0, all.length];
            }),
          );
          const found = await entriesAt(db, WIDE, [
            { list: 0, seq: tx },
            { list: 1, seq: event },
          ]);
          assert.deepEqual([found.get(0)?.more, found.get(1)?.more], [one[tx]?.more, other[event]?.more]);
          const reaching = lists.flatMap((all, list) => (all.length > tx ? [list] : []));
          assert.deepEqual([...(await listsThatReach(db, WIDE, [0, 1, null], tx))].sort(), reaching);
        });
      }),
    );
  });

  test(`a list that lacks a row is reported, not searched (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([WIDE]);
    await scratch(database, async db => {
      const text = packEntry(WIDE, { tx: 1, event: 0, more: 0 });
      await db.insertMany(WIDE, [[0, 0, text.repeat(WIDE.perRow)]]);
      const search = { list: 0, from: 0, to: 3 * WIDE.perRow, bound: [9] };
      await assert.rejects(positionsOfBounds(db, WIDE, [search]), { code: 'CORRUPT' });
    });
  });
});

test('a number with more digits than its column is refused, and a bound may be any number', () => {
  assert.throws(() => packEntry(WIDE, { tx: 2 ** 30, event: 0, more: 0 }), { code: 'INVALID_VALUE' });
  assert.throws(() => packEntry(WIDE, { tx: -1, event: 0, more: 0 }), { code: 'INVALID_VALUE' });
  assert.throws(() => packEntry(WIDE, { tx: null, event: 0, more: 0 }), { code: 'INVALID_VALUE' });
  const text = [null, 0, 16_777_215].map(event => packEntry(WIDE, { tx: 5, event, more: 1 })).join('');
  const below = (...bound: number[]) => countBelow(WIDE, text, packBound(WIDE, bound));
  assert.deepEqual([below(-1), below(5), below(6), below(2 ** 40)], [0, 0, 3, 3]);
  assert.deepEqual([below(5, -1), below(5, 0), below(5, 1), below(5, 2 ** 40)], [0, 1, 2, 3]);
});
