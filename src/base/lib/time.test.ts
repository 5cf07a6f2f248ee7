import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from './time.ts';

test('every time has its text, the first second too; what is no time has none', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
  assert.equal(isoTime(1700001214), '2023-11-14T22:33:34.000Z');
  for (const seconds of [-1, 253402300800]) assert.equal(isoTime(seconds), '');
});
