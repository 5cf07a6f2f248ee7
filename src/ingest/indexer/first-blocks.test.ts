import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { casesOf } from '../../../test/support/scale.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';

/** Two genuine blocks; a false first block on the second one, a false boot block on the first, and two blocks on the false first one. */
function blocksOf(): { genuine: readonly Block[]; all: readonly Block[] } {
  const chain = new ChainBuilder();
  const first = chain.block({});
  const second = chain.block({ parent: first });
  const boot = chain.block({ parent: first, fields: { block_height: 0 } });
  const false1 = chain.block({ parent: second, fields: { block_height: 1 } });
  const false2 = chain.block({ parent: false1, fields: { block_height: 2 } });
  const false3 = chain.block({ parent: false2, fields: { block_height: 3 } });
  return { genuine: [first, second], all: [first, second, boot, false1, false2, false3] };
}

type Block = ReturnType<ChainBuilder['block']>;

const { genuine, all } = blocksOf();

onSqliteAtLeast((engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);

  test(`a first block whose parent has another height is set aside, in whatever order they come (${engine})`, async () => {
    const orders = fc.shuffledSubarray([...all], { minLength: all.length });
    await fc.assert(
      fc.asyncProperty(orders, async order => {
        const index = await openTestIndex(await emptied());
        await index.deliver(...order.map(({ delivery }) => delivery));
        const { tip } = await index.state();
        assert.equal(tip?.indexBlockHash, genuine[1]?.indexHash);
        const { body } = await index.get('/extended');
        assert.equal(body.set_aside.count, 2, 'the false first block and the false boot block');
        assert.equal((await index.get('/extended/v2/blocks')).body.total, genuine.length);
        for (const { indexHash } of all.slice(genuine.length))
          assert.equal((await index.get(`/extended/v2/blocks/${indexHash}`)).status, 404);
      }),
      { numRuns: casesOf('FIRST_BLOCK_ORDERS', engine) },
    );
  });
});
