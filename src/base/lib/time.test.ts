import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { isoTime, LAST_TIME } from './time.ts';

test('every time has its text, the first second too; what is no time has none', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
  assert.equal(isoTime(1700001214), '2023-11-14T22:33:34.000Z');
  for (const seconds of [-1, 253402300800]) assert.equal(isoTime(seconds), '');
});

test('the text of a time is that of a Date', () => {
  const isSame = (seconds: number) => assert.equal(isoTime(seconds), new Date(seconds * 1000).toISOString());
  fc.assert(fc.property(fc.integer({ min: 0, max: LAST_TIME }), isSame));
  fc.assert(fc.property(fc.double({ min: 0, max: LAST_TIME, noNaN: true }), isSame));
  // The days around each end of February, and of each year.
  for (let year = 1970; year < 10_000; year++)
    for (const [month, day] of [
      [0, 1],
      [1, 28],
      [1, 29],
      [2, 1],
      [11, 31],
    ] as const)
      isSame(Date.UTC(year, month, day, 23, 59, 59) / 1000);
});
