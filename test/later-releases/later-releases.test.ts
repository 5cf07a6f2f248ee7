/** What releases after 9.0 have, subject by subject: each row is a rule and a request whose response shows it. */
import { test } from 'node:test';
import { onSqliteAtLeast } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { openTestIndex } from '../support/test-index.ts';
import { CYCLE_SUBJECTS } from './cycles.ts';
import { FAUCETS, MEMPOOL, TIMES } from './figures.ts';
import { BATCHES, BOND_EVENTS, MINING, TRANSFERS } from './lists.ts';
import { SEARCH_SUBJECTS } from './search.ts';

const CHECKLIST = [
  ...CYCLE_SUBJECTS,
  ...SEARCH_SUBJECTS,
  BATCHES,
  TRANSFERS,
  BOND_EVENTS,
  MEMPOOL,
  MINING,
  FAUCETS,
  ...TIMES,
];

onSqliteAtLeast((_engine, openFresh) => {
  for (const { subject, options, steps } of CHECKLIST)
    test(subject, async t => {
      const index = await openTestIndex(await databaseWithTables(openFresh, t), options);
      for (const { rule, run } of steps()) {
        if (rule === undefined) await run(index, t);
        else await t.test(rule, inner => run(index, inner));
      }
    });
});
