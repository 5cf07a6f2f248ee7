import assert from 'node:assert/strict';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { findingsIn } from '../support/findings.ts';

/** Checked after every batch of a plan: whatever was undone in between, nothing is left that looks like damage. */
export const soundness = defineProperty({
  file: 'soundness',
  rule: 'verify finds every index sound',
  cases: chainPlans({ maxSteps: 25 }),
  hold: async (bench, plan) => {
    const sent = buildChain(plan).sent.map(({ delivery }) => delivery);
    const { index } = await bench.openIndex();
    bench.statistics.deliveries += sent.length;
    const batch = Math.max(plan.batch, 4);
    for (let start = 0; start < sent.length; start += batch) {
      await index.deliver(...sent.slice(start, start + batch));
      assert.deepEqual(await findingsIn(bench.database), []);
    }
  },
});
