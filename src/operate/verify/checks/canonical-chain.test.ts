import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { findingsIn } from '../../../../test/support/findings.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import type { Database } from '../../../base/store/database.ts';
import { burnTimesCheck } from './canonical-chain.ts';

/** Seconds after the first one. The fourth and the fifth block are late. */
const TIMES = [0, 600, 1_200, 700, 1_000, 1_800];

const CORRUPTIONS = {
  'a late block is forgotten': 'DELETE FROM late_blocks WHERE seq = 1',
  'a late block is somewhere else': 'UPDATE late_blocks SET first_tx = first_tx + 1 WHERE seq = 0',
  'a late block has another time': 'UPDATE late_blocks SET burn_time = burn_time - 1 WHERE seq = 1',
  'a block is late that is not': 'INSERT INTO late_blocks VALUES (2, 1, 0, 0, 1)',
  'the greatest lateness is another': `UPDATE facts SET value = '[1700001800,300]' WHERE name = 'burn_times'`,
};

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`the check "burn times" finds nothing in a sound index with late blocks (${engine})`, async () => {
    assert.deepEqual(await findingsIn(await indexed(await emptyDatabase()), [burnTimesCheck]), []);
  });

  for (const [what, statement] of Object.entries(CORRUPTIONS)) {
    test(`the check "burn times" tells when ${what} (${engine})`, async () => {
      const database = await indexed(await emptyDatabase());
      assert.equal(await database.write(tx => tx.run(statement)), 1);
      assert.equal((await findingsIn(database, [burnTimesCheck])).length, 1);
    });
  }
});

async function indexed(database: Database): Promise<Database> {
  const chain = new ChainBuilder('burn times');
  const index = await openTestIndex(database);
  let parent = chain.block({ fields: { burn_block_time: 1_700_000_000 } });
  await index.deliver(parent.delivery);
  for (const seconds of TIMES.slice(1)) {
    parent = chain.block({ parent, fields: { burn_block_time: 1_700_000_000 + seconds } });
    await index.deliver(parent.delivery);
  }
  return database;
}
