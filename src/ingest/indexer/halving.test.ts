import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { OWN, scratch } from '../../../test/support/workspace-tables.ts';
import { halve } from './halving.ts';

const HALVING = { entries: OWN, bounds: ['bound'], isBefore: 'e.v < search.bound' } as const;

const values = fc.array(fc.nat(20), { maxLength: 12 }).map(list => list.sort((a, b) => a - b));
/** More searches than one statement takes: `list` and the ends of the span are taken modulo what there is. */
const searches = fc.array(fc.record({ list: fc.nat(), ends: fc.tuple(fc.nat(), fc.nat()), bound: fc.nat(22) }), {
  maxLength: 300,
  size: 'max',
});

onEveryEngine((engine, openFresh) => {
  test(`the position is where a filter over the span of the list counts as many entries before the bound (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([OWN]);
    const lists = fc.array(values, { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(lists, searches, (entries, wanted) =>
      scratch(database, async tx => {
        await tx.insertMany(
          OWN,
          entries.flatMap((list, i) => list.map((v, seq) => [i, seq, v])),
        );
        const chosen = wanted.map(({ list, ends, bound }) => {
          const nr = list % entries.length;
          const [from = 0, to = 0] = ends.map(end => end % ((entries[nr]?.length ?? 0) + 1)).sort((a, b) => a - b);
          return { list: nr, from, to, bounds: { bound } };
        });
        const expected = chosen.map(
          ({ list, from, to, bounds: { bound } }) =>
            from + (entries[list] ?? []).slice(from, to).filter(v => v < bound).length,
        );
        assert.deepEqual(await halve(tx, HALVING, chosen), expected);
      }),
    );
    await fc.assert(property, { numRuns: 40 });
  });

  test(`a list with a gap is a damaged index (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([OWN]);
    await database.write(tx =>
      tx.insertMany(OWN, [
        [0, 0, 1],
        [0, 2, 3],
      ]),
    );
    const search = { list: 0, from: 0, to: 3, bounds: { bound: 2 } };
    await assert.rejects(
      database.read(queries => halve(queries, HALVING, [search])),
      { code: 'CORRUPT', message: 'a list of own_entries has a gap' },
    );
  });
});
