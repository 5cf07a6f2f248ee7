import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { unhex } from '../../../../test/support/transaction-builder.ts';
import { newestTenures } from './fullness.ts';

onSqliteAtLeast((_, openFresh) => {
  test('a tenure is what lies between two tenure changes, extends included', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const read = (complete: number) => database.read(queries => newestTenures(queries, complete));
    const builder = new ChainBuilder();
    const sizes: number[] = [];
    let parent: BuiltBlock | undefined;
    const add = async (...changes: readonly number[]) => {
      const burn = builder.burnBlock(parent && { parent: parent.burn });
      const txs = [...changes.map(cause => builder.tenureChange(burn.consensusHash, cause)), builder.transfer()];
      const block = builder.block({ ...(parent && { parent }), burn, txs });
      sizes.push(txs.reduce((sum, tx) => sum + unhex(String(tx.body.raw_tx)).length, 0));
      await index.deliver(burn.delivery, block.delivery);
      parent = block;
    };
    await add();
    assert.deepEqual(await read(5), []);
    for (const changes of [[0], [], [], [1], [0, 1], []]) await add(...changes);
    const tenures = await read(5);
    assert.deepEqual(
      tenures.map(({ blocks }) => blocks),
      [2, 1, 3],
    );
    const size = (from: number, to: number) => sizes.slice(from, to).reduce((sum, each) => sum + each, 0);
    assert.deepEqual(
      tenures.map(({ usage }) => usage.size),
      [size(5, 7), size(4, 5), size(1, 4)],
    );
    assert.deepEqual(
      (await read(1)).map(({ blocks }) => blocks),
      [2, 1],
    );
    // The cost of execution is the sum over the blocks.
    const blocks = await index.get('/extended/v2/blocks?limit=7');
    const shown = blocks.body.results as Record<string, number>[];
    for (const name of ['read_count', 'read_length', 'write_count', 'write_length', 'runtime'] as const) {
      const sum = (from: number, to: number) =>
        shown.slice(from, to).reduce((total, block) => total + (block[`execution_cost_${name}`] ?? 0), 0);
      assert.ok(sum(0, 2) > 0);
      assert.deepEqual(
        tenures.map(({ usage }) => usage[name]),
        [sum(0, 2), sum(2, 3), sum(3, 6)],
        name,
      );
    }
  });
});
