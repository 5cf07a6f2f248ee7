import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meteredDatabase } from '../../../../test/cost/metered-database.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { holdersFrom } from './holders.ts';

const BUDGET = { require: () => undefined, take: async (rows: number) => rows };

onSqliteAtLeast((engine, openFresh) => {
  test(`what is before a page of holders is read from the page on, not from the poorest holder on (${engine})`, async t => {
    const database = meteredDatabase(await databaseWithTables(openFresh, t));
    if (engine === 'postgres') return;
    for (const token of ['stx', 'a.b::c'])
      for (const place of [undefined, { balance: 5n, principal: 'x' }, { balance: -5n, principal: 'x' }]) {
        const { statements } = await database.statementsOf(() =>
          database.read(queries => holdersFrom(queries, token, 10, place, BUDGET)),
        );
        const before = statements.filter(({ sql }) => sql.includes('DESC'));
        assert.equal(before.length, 1);
        assert.match(before[0]?.plan ?? '', /\(balance,principal\)<\(\?,\?\)\)$/);
      }
  });
});
