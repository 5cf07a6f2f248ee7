import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openFreshOf } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { BrokenRule, defineProperty } from './property.ts';
import { Workbench } from './workbench.ts';

const property = (hold: () => Promise<void>) =>
  defineProperty({ file: 'none', rule: 'holds', cases: fc.nat(), hold: () => hold() });

test('a case that a time limit cuts off is no failure, one that fails in time is', async t => {
  const bench = await Workbench.open('sqlite', openFreshOf.sqlite);
  t.after(() => bench.close());
  let [begun, ended] = [0, 0];
  const slow = property(async () => {
    begun++;
    await delay(200);
    ended++;
  });
  await slow.check(bench, { numRuns: 1, seed: 1, time: 20 });
  assert.equal(ended, begun, 'the next one has to wait for it, as it uses the bench');
  const broken = property(() => Promise.reject(new Error('broken')));
  await assert.rejects(broken.check(bench, { numRuns: 1, seed: 1, time: 60_000 }), BrokenRule);
});
