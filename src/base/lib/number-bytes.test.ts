import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import {
  amountOfBytes,
  amountOfRank,
  bytesGreatestFirst,
  packAmounts,
  rankOf,
  stepOf,
  unpackAmounts,
} from './number-bytes.ts';

/** Of every size, and at the edges where a number gets another byte. */
const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 140n }),
  fc.nat(1 << 20).map(BigInt),
  fc.tuple(fc.nat(140), fc.integer({ min: -1, max: 1 })).map(([bits, step]) => {
    const edge = (1n << BigInt(bits)) + BigInt(step);
    return edge < 0n ? 0n : edge;
  }),
);
const signed = fc.tuple(amounts, fc.boolean()).map(([amount, isNegative]) => (isNegative ? -amount : amount));

test('amounts survive packing, however large and many', () => {
  fc.assert(fc.property(fc.array(amounts), all => assert.deepEqual(unpackAmounts(packAmounts(all)), all)));
});

test('an amount below 128 takes a byte', () => {
  assert.deepEqual([...packAmounts([0n, 127n, 128n])], [0, 127, 0x80, 1]);
});

test('bytes sort from the greatest amount to the least, and tell the amount', () => {
  fc.assert(
    fc.property(signed, signed, (a, b) => {
      const order = Buffer.compare(bytesGreatestFirst(a), bytesGreatestFirst(b));
      assert.equal(order, a === b ? 0 : a > b ? -1 : 1);
      assert.equal(amountOfBytes(bytesGreatestFirst(a)), a);
    }),
  );
});

test('the step of a greater amount is never lower, and is another one within an eighth', () => {
  assert.deepEqual([-1n, 0n, 8n, 9n, 15n, 16n, 17n, 18n, 19n].map(stepOf), [0, 0, 32, 33, 39, 40, 40, 41, 41]);
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      assert.ok(stepOf(less) <= stepOf(more));
      if (less > 0n && more - less > less / 8n) assert.ok(stepOf(less) < stepOf(more));
      assert.ok(stepOf(more + 1n) - stepOf(more) <= 8);
    }),
  );
});

const ranked = fc.bigInt(0n, (1n << 129n) - 1n);

test('ranks have one length, sort the higher amount first, and hold it', () => {
  fc.assert(
    fc.property(ranked, ranked, (a, b) => {
      assert.equal(amountOfRank(rankOf(a)), a);
      assert.equal(rankOf(a).length, rankOf(b).length);
      assert.equal(Math.sign(Buffer.compare(rankOf(a), rankOf(b))), a > b ? -1 : a < b ? 1 : 0);
    }),
  );
});
