import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinearTime } from './linear-time.ts';

const numbers = (size: number) => Array.from({ length: size }, (_, i) => i);

test('linear work passes, however little it is', () => {
  assertLinearTime(200_000, numbers, all => all.reduce((sum, each) => sum + each, 0));
});

test('quadratic work fails', () => {
  const quadratic = (all: readonly number[]) => all.reduce((sum, each) => sum + all.lastIndexOf(each), 0);
  assert.throws(() => assertLinearTime(6_400, numbers, quadratic), /times as long as 16 parts/);
});
