import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltBurnBlock, ChainBuilder } from '../support/chain-builder.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { openTestIndex } from '../support/test-index.ts';
import { modelResponse } from './model.ts';

const SLOTS = '/extended/v1/burnchain/reward_slot_holders?limit=250';

/** Burn blocks on top of each other, each with a slot that bears its name. */
function branch(chain: ChainBuilder, parent: BuiltBurnBlock | undefined, name: string, length: number) {
  const made: BuiltBurnBlock[] = [];
  for (let i = 0; i < length; i++) {
    const below = made.at(-1) ?? parent;
    made.push(chain.burnBlock({ ...(below && { parent: below }), slots: [`${name}${i}`] }));
  }
  return made;
}

onSqliteAtLeast((_, openFresh) => {
  test('of deep forks and impossible heights of the burn chain the model says what the index shows', async t => {
    const chain = new ChainBuilder();
    const trunk = branch(chain, undefined, 'trunk', 110);
    const at = (height: number) => trunk[height];
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const told: Delivery[] = [];
    const holders = async (...burnBlocks: readonly BuiltBurnBlock[]): Promise<string[]> => {
      told.push(...burnBlocks.map(({ delivery }) => delivery));
      await index.deliver(...burnBlocks.map(({ delivery }) => delivery));
      const { body } = await index.get(SLOTS);
      assert.deepEqual(modelResponse([...told], SLOTS).body, body);
      return body.results.map(({ address }: { address: string }) => address);
    };
    assert.equal((await holders(...trunk)).length, 110);

    const impossible = [
      chain.burnBlock({ height: 0, slots: ['zero'] }),
      chain.burnBlock({ ...(at(3) && { parent: at(3) }), height: 0, slots: ['linked to what is higher'] }),
      chain.burnBlock({ height: trunk[0]?.height ?? 0, slots: ['deep, without a known parent'] }),
    ];
    assert.equal((await holders(...impossible)).length, 110);

    // Takes back 101: the blocks 9 to 109.
    const deep = branch(chain, at(8), 'deep', 102);
    assert.equal((await holders(...deep.slice(0, 101))).includes('deep0'), false);
    assert.deepEqual((await holders(...deep.slice(101))).slice(0, 1), ['deep101']);

    // Takes back 100 of that branch.
    const allowed = branch(chain, deep[1], 'allowed', 1);
    assert.deepEqual((await holders(...allowed)).slice(0, 2), ['allowed0', 'deep1']);
  });
});
