import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { UNLIMITED } from '../../../test/support/unlimited.ts';
import { scratch } from '../../../test/support/workspace-tables.ts';
import type { Queries } from '../../base/store/database.ts';
import { table } from '../../base/store/table.ts';
import { withHorizon } from './horizon.ts';
import { findRow, rowsAsOf, rowsWith, rowVersionsOf } from './row-versions.ts';
import { LIST_COUNTERS, LISTS } from './tables.ts';
import { Workspace } from './workspace.ts';

const LEASES = table({
  name: 'leases',
  columns: { house: 'int', tenant: 'text', rent: 'int', since_height: 'int' },
  key: ['house'],
  indexes: [['tenant']],
});
const PAST_LEASES = rowVersionsOf(LEASES, 1, [['tenant']]);

/** What each block does: a house gets a tenant, who pays a rent; or none. */
type Change = readonly [house: number, tenant: string | null, rent?: number];
const BLOCKS: readonly (readonly Change[])[] = [
  [
    [1, 'ann', 10],
    [2, 'ben', 10],
  ],
  // The last write of a block counts, and a row that is as before is no version.
  [
    [1, 'ben', 10],
    [1, 'cay', 10],
    [2, 'ben', 10],
  ],
  [
    [1, null],
    [3, 'ann', 7],
    [3, null],
  ],
  [[1, 'ann', 20]],
  [
    [1, null],
    [1, 'ann', 30],
    [2, 'ann', 5],
  ],
];

/** The leases after so many blocks. */
function leasesAfter(blocks: number): Map<number, string> {
  const leases = new Map<number, string>();
  for (const [house, tenant, rent] of BLOCKS.slice(0, blocks).flat())
    if (tenant === null) leases.delete(house);
    else leases.set(house, `${tenant} ${rent}`);
  return leases;
}

const asOf = (queries: Queries, height: number) =>
  withHorizon(queries, { height, burnHeight: height, transactions: height });

onSqliteAtLeast((engine, openFresh) => {
  test(`each row is found as it was at each height, also after blocks were undone and applied again (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([LISTS, LIST_COUNTERS, LEASES, PAST_LEASES.entries]);
    await scratch(database, async tx => {
      const workspace = new Workspace([LEASES], [PAST_LEASES]);
      workspace.attach(tx);
      const apply = async (from: number) => {
        const undo = [];
        for (let height = from; height <= BLOCKS.length; height++) {
          const changes = BLOCKS[height - 1] ?? [];
          await workspace.load(
            LEASES,
            changes.map(([house]) => ({ house })),
          );
          workspace.beginUnit();
          workspace.atHeight(height);
          for (const [house, tenant, rent = 0] of changes)
            if (tenant === null) workspace.remove(LEASES, { house });
            else workspace.put(LEASES, { house, tenant, rent });
          undo.push(workspace.endUnit());
          await workspace.flush();
        }
        return undo;
      };
      const assertAll = async () => {
        for (let height = 0; height <= BLOCKS.length; height++) {
          const [queries, expected] = [asOf(tx, height), leasesAfter(height)];
          for (const house of [1, 2, 3]) {
            const row = await findRow(queries, PAST_LEASES, { house });
            assert.equal(row && `${row.tenant} ${row.rent}`, expected.get(house), `house ${house} at ${height}`);
          }
          for (const values of [{ tenant: 'ann' }, { tenant: 'ben' }, {}]) {
            const order = ['house'] as const;
            const rows = await rowsWith(queries, PAST_LEASES, { values, order }, UNLIMITED);
            const wanted = [...expected].filter(([, text]) => text.startsWith(values.tenant ?? ''));
            assert.deepEqual(
              rows.map(({ house, tenant, rent }) => `${house} ${tenant} ${rent}`).sort(),
              wanted.map(([house, text]) => `${house} ${text}`).sort(),
              `${values.tenant} at ${height}`,
            );
          }
          const sql = `SELECT l.house FROM ${rowsAsOf(PAST_LEASES, queries)} l ORDER BY l.house`;
          assert.deepEqual(
            (await queries.all(sql)).map(({ house }) => house),
            [...expected.keys()].sort(),
          );
        }
      };
      const undo = await apply(1);
      await assertAll();
      const past = await tx.all('SELECT house, tenant, since_height, until_height FROM past_leases ORDER BY seq');
      assert.deepEqual(past.map(Object.values), [
        [1, 'ann', 1, 2],
        [1, 'cay', 2, 3],
        [1, 'ann', 4, 5],
        [2, 'ben', 1, 5],
      ]);
      for (const records of undo.slice(1).reverse()) await workspace.restore(records);
      assert.deepEqual(await tx.all('SELECT seq FROM past_leases'), []);
      await apply(2);
      await assertAll();
    });
  });
});
