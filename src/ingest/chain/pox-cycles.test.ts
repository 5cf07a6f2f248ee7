import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycleOfHeight, heightsOfCycle, phaseOfCycle, poxCyclesOf } from './pox-cycles.ts';

test('cycles follow each other without a gap, and each ends with its prepare phase', () => {
  const cycles = { first: 7, length: 20, prepare: 4 };
  const phases = { upcoming: 7 + 5 * 20, reward: 16, prepare: 4, ended: 13 };
  const counted: Record<string, number> = {};
  const heights = heightsOfCycle(cycles, 5);
  for (let height = 0; height < 140; height++) {
    const phase = phaseOfCycle(heights, height);
    counted[phase] = (counted[phase] ?? 0) + 1;
    assert.equal(cycleOfHeight(cycles, height) === 5, phase === 'reward' || phase === 'prepare', String(height));
  }
  assert.deepEqual(counted, phases);
  assert.equal(cycleOfHeight(cycles, 6), -1);
  assert.equal(heightsOfCycle(cycles, 6).start_height, heights.end_height + 1);
});

test('mainnet has the cycles that its contracts have', () => {
  const cycles = poxCyclesOf('mainnet');
  assert.ok(cycles);
  // The first cycle of PoX 4, and the one before.
  assert.deepEqual(heightsOfCycle(cycles, 84), {
    start_height: 842_450,
    prepare_height: 844_450,
    end_height: 844_549,
  });
  assert.equal(poxCyclesOf('testnet'), undefined);
});
