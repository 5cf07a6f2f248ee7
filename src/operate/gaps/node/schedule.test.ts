import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepairSchedule } from './schedule.ts';

const MINUTE = 60_000;
const block = (height: number) => ({ height, indexBlockHash: `0x${String(height).padStart(64, '0')}` });
const [lower, higher] = [block(5), block(9)];
const at = (minutes: number, { journaled = 100, indexed = 100 } = {}) => ({
  now: minutes * MINUTE,
  journaled,
  indexed,
});

test('a block is rebuilt once its gap has lasted as long as the delay, without a break', () => {
  const schedule = new RepairSchedule(MINUTE);
  assert.deepEqual(schedule.due([lower], at(0)), []);
  assert.deepEqual(schedule.due([lower, higher], at(0.9)), []);
  assert.deepEqual(schedule.due([lower, higher], at(1)), [lower]);
  assert.deepEqual(schedule.due([lower, higher], at(1.9)), [lower, higher]);
  // It came, and is missing again after a fork was undone.
  assert.deepEqual(schedule.due([higher], at(2)), [higher]);
  assert.deepEqual(schedule.due([lower], at(3)), []);
});

test('what the journal had when a gap was seen, or got by an attempt, is applied before the next attempt', () => {
  const schedule = new RepairSchedule(MINUTE);
  assert.deepEqual(schedule.due([lower], at(0, { journaled: 120, indexed: 90 })), []);
  assert.deepEqual(schedule.due([lower], at(5, { journaled: 150, indexed: 119 })), []);
  assert.deepEqual(schedule.due([lower], at(6, { journaled: 150, indexed: 120 })), [lower]);
  schedule.attempted(lower, at(6, { journaled: 151 }));
  assert.deepEqual(schedule.due([lower], at(60, { journaled: 151, indexed: 150 })), []);
  assert.deepEqual(schedule.due([lower], at(60, { journaled: 151, indexed: 151 })), [lower]);
});

test('attempts that fail follow after 2, 4, 8 minutes and so on, at most an hour apart, and end after ten', () => {
  const schedule = new RepairSchedule(MINUTE);
  schedule.due([lower], at(0));
  const pauses: number[] = [];
  let now = 1;
  for (let left = 10; left > 0; ) {
    assert.deepEqual(schedule.due([lower], at(now)), [lower]);
    left = schedule.attempted(lower, at(now));
    const last = now;
    while (now - last <= 61 && schedule.due([lower], at(now)).length === 0) now++;
    pauses.push(now - last);
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 60, 60, 60, 60, 62]);
});

test('a block that was refused is not tried again, also after it was missing no more', () => {
  const schedule = new RepairSchedule(MINUTE);
  schedule.due([lower, higher], at(0));
  schedule.refuse(lower.indexBlockHash);
  assert.deepEqual(schedule.due([lower, higher], at(2)), [higher]);
  schedule.due([], at(3));
  schedule.due([lower], at(4));
  assert.deepEqual(schedule.due([lower], at(90)), []);
});
