import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { amountPercent, weightPercent } from './signers.ts';

test('the share of a weight is divided first and then multiplied, in doubles', () => {
  const vectors: [number, number, number][] = [
    [1, 3, 33.33333333333333],
    [2, 3, 66.66666666666666],
    [5, 9, 55.55555555555556],
    [1, 9, 11.11111111111111],
    [6, 21, 28.57142857142857],
    [9, 21, 42.857142857142854],
    [7, 3999, 0.17504376094023505],
    [1, 1, 100],
  ];
  for (const [weight, total, percent] of vectors) assert.equal(weightPercent(weight, total), percent);
});

test('the share of an amount is the quotient to 20 decimal places, half up, times 100, as the nearest double', () => {
  const vectors: [bigint, bigint, number][] = [
    [1n, 3n, 33.333333333333336],
    [2n, 3n, 66.66666666666667],
    [1234567890123n, 523458023580235801n, 0.000235848498735212],
    [1n, 1n, 100],
    [686251350000000000n, 1372502700000000000n, 50],
    [457500900000000000n, 1372502700000000000n, 33.333333333333336],
    [228750450000000000n, 1372502700000000000n, 16.666666666666668],
  ];
  for (const [amount, total, percent] of vectors) assert.equal(amountPercent(amount, total), percent);
});

test('half of the last decimal place is rounded up, less is cut', () => {
  const unit = 10n ** 20n;
  assert.equal(amountPercent(1n, 2n * unit), 1e-18);
  assert.equal(amountPercent(1n, 2n * unit + 1n), 0);
  assert.equal(amountPercent(3n, 2n * unit), 2e-18);
});

test('a share of nothing is 0, so that it can be written as JSON', () => {
  assert.equal(weightPercent(0, 0), 0);
  assert.equal(amountPercent(0n, 0n), 0);
});

test('a share is between 0 and 100, and grows with the amount', () => {
  const amount = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
  fc.assert(
    fc.property(amount, amount, amount, (a, b, rest) => {
      const [small, large] = a < b ? [a, b] : [b, a];
      const total = large + rest;
      assert.ok(0 <= amountPercent(small, total));
      assert.ok(amountPercent(small, total) <= amountPercent(large, total));
      assert.ok(amountPercent(large, total) <= 100);
    }),
  );
});
