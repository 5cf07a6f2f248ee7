import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { Database } from '../../base/store/database.ts';

const LENGTH = 120;
const LOST = 3;

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  /** Delivered and applied in one transaction of the index each. */
  async function indexOf(database: Database, ...parts: readonly (readonly BuiltBlock[])[]): Promise<TestIndex> {
    const index = await openTestIndex(database);
    for (const blocks of parts) {
      await index.journal.append(blocks.map(({ delivery }) => delivery));
      await index.deliver();
    }
    return index;
  }

  const unitsOf = async (database: Database): Promise<number[]> => {
    const sql = `SELECT units FROM undo_log WHERE chain = 'stacks' ORDER BY depth`;
    return (await database.read(queries => queries.all<{ units: number }>(sql))).map(({ units }) => units);
  };

  test(`blocks applied in one transaction share undo records; a fork gives those it needs their own (${engine})`, async () => {
    const chain = new ChainBuilder('shared');
    const trunk = chain.chain(LENGTH);
    const branch = chain.chain(LOST + 1, trunk.at(-1 - LOST));
    const later = chain.chain(1, branch.at(-1));
    const database = await emptyDatabase();
    await indexOf(database, trunk);
    assert.deepEqual(await unitsOf(database), [1, 100, 19]);

    const forked = await indexOf(database, branch);
    const kept = Array.from({ length: 19 - LOST }, () => 1);
    assert.deepEqual(await unitsOf(database), [1, 100, ...kept, branch.length]);
    await forked.deliver(...later.map(({ delivery }) => delivery));
    const tables = await forked.dump();

    const parts = [...trunk, ...branch, ...later].map(block => [block]);
    const oneByOne = await indexOf(await emptyDatabase(), ...parts);
    assertSameTables(tables, await oneByOne.dump(), 'after a fork of blocks that were applied together');
  });

  test(`a block applied alone has an undo record of its own (${engine})`, async () => {
    const database = await emptyDatabase();
    await indexOf(database, ...new ChainBuilder('alone').chain(3).map(block => [block]));
    assert.deepEqual(await unitsOf(database), [1, 1, 1]);
  });
});
