import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { u64 } from '../../base/lib/number-bytes.ts';
import { feePath, wholeLength } from './fee-lists.ts';

const MOST = 2n ** 64n - 1n;
const fees = fc.oneof(fc.bigInt({ min: 0n, max: 5_000n }), fc.bigInt({ min: 0n, max: MOST }));

test('paths of fees sort as fees do, and each fee has one of its own', () => {
  fc.assert(
    fc.property(fees, fees, (a, b) => {
      const [x, y] = [feePath(u64(a)), feePath(u64(b))];
      assert.equal(x < y, a < b);
      assert.equal(x === y, a === b);
    }),
  );
});

test('the beginning of a path tells how long it is', () => {
  for (const fee of [0n, 1n, 2n, 3n, 16n, 17n, 31n, 32n, 3_000n, 2n ** 63n, MOST]) {
    const path = feePath(u64(fee));
    assert.equal(wholeLength(path.slice(0, 2)), path.length, String(fee));
  }
  assert.deepEqual(
    [0n, 1n, 3n, 17n, 3_000n].map(fee => feePath(u64(fee))),
    ['00', '01', '028', '051', '12770'],
  );
});
