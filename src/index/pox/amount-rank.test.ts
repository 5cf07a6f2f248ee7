import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { amountOf, rankOf } from './amount-rank.ts';

const amount = fc.bigInt(0n, (1n << 129n) - 1n);

test('ranks have one length, sort the higher amount first, and tell it', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      assert.equal(amountOf(rankOf(a)), a);
      assert.equal(rankOf(a).length, rankOf(b).length);
      assert.equal(Math.sign(Buffer.compare(rankOf(a), rankOf(b))), a > b ? -1 : a < b ? 1 : 0);
    }),
  );
});
