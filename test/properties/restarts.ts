import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { assertSameTables } from '../support/chain-assertions.ts';
import fc from '../support/fast-check.ts';

const cases = fc.record({
  plan: chainPlans(),
  /** At each event: 0 and up none, 1 a restart before it, 2 one between the journal and the index. */
  restarts: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 40, maxLength: 40 }),
});

/** A restart closes the database and makes journal, workspace and indexer anew. Every row of every table is compared. */
export const restarts = defineProperty({
  file: 'restarts',
  rule: 'restarts between any two events change no row of any table',
  cases,
  hold: async (bench, { plan, restarts: kinds }) => {
    const { sent } = buildChain(plan);
    const through = await bench.openIndex();
    await through.deliver(sent.map(({ delivery }) => delivery));
    const expected = await through.index.dump();

    const on = await bench.openIndex();
    for (const [i, { delivery }] of sent.entries()) {
      const kind = kinds[i % kinds.length];
      if (kind === 1) await on.restart();
      if (kind === 2) {
        await on.index.journal.accept(delivery);
        await on.restart();
        await on.deliver([]);
      } else await on.deliver([delivery]);
    }
    await on.restart();
    await on.index.deliver();
    assertSameTables(await on.index.dump(), expected);
  },
});
