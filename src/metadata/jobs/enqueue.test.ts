import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { nextSlot } from './enqueue.ts';

const HOUR = 3_600_000;

test('refreshes run at once up to the number for an hour, then as the hour has room again', () => {
  let until = 0;
  const slots: number[] = [];
  for (let i = 0; i < 300; i++) {
    const next = nextSlot(until, 200, 1_000);
    until = next.until;
    slots.push(next.slot);
  }
  assert.equal(slots.filter(slot => slot === 1_000).length, 200);
  assert.equal(slots[200], 1_000 + HOUR / 200);
  assert.equal(slots[299], 1_000 + (100 * HOUR) / 200);
});

test('in no hour run more than twice the number: what was left of one hour and what is new in it', () => {
  const pauses = fc.array(fc.nat(60_000), { minLength: 300, maxLength: 600 });
  fc.assert(
    fc.property(pauses, fc.integer({ min: 1, max: 60 }), (waits, perHour) => {
      let now = 0;
      let until = 0;
      const slots: number[] = [];
      for (const wait of waits) {
        now += wait;
        const next = nextSlot(until, perHour, now);
        assert.ok(next.slot >= now);
        until = next.until;
        slots.push(next.slot);
      }
      for (const start of slots)
        assert.ok(slots.filter(slot => slot >= start && slot < start + HOUR).length <= 2 * perHour);
    }),
    { numRuns: 30 },
  );
});
