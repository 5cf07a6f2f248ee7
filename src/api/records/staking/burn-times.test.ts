import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectedTime } from './burn-times.ts';

const TIP = { height: 4030, time: 1_700_000_000 };
const after = (height: number, pace: number, adjusts: boolean): number | undefined => {
  const time = projectedTime(height, TIP, { pace, adjusts });
  return time === undefined ? undefined : time - TIP.time;
};

test('blocks up to the next adjustment of the difficulty come at the pace, later ones as it aims', () => {
  assert.deepEqual(
    [4031, 4032, 4035].map(height => after(height, 540, true)),
    [540, 1140, 540 + 4 * 600],
  );
});

test('where the difficulty is not adjusted, all blocks come at the pace, rounded to a second', () => {
  assert.deepEqual(
    [4032, 4035].map(height => after(height, 540.5, false)),
    [1081, 2703],
  );
});

test('a time beyond the year 9999 is not known', () => {
  const last = TIP.height + Math.floor((253402300799 - TIP.time) / 600);
  assert.notEqual(after(last, 600, false), undefined);
  assert.equal(after(last + 1, 600, false), undefined);
});
