import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feeReport, type TypedFee } from './fees.ts';

const fees = (type: number, ...values: number[]): TypedFee[] => values.map(fee => ({ type, fee }));

test('fees are the 25th, 50th, 75th and 95th percentile of all and of each kind (golden values of 6)', () => {
  const all = [
    ...fees(2, 0, 100_000, 200_000),
    ...fees(1, 300_000, 400_000, 500_000),
    ...fees(0, 600_000, 700_000, 800_000, 900_000),
  ];
  const report = feeReport(all);
  assert.deepEqual(Object.keys(report), ['all', 'token_transfer', 'contract_call', 'smart_contract']);
  assert.deepEqual(report, {
    all: { no_priority: 225000, low_priority: 450000, medium_priority: 675000, high_priority: 855000 },
    token_transfer: { no_priority: 675000, low_priority: 750000, medium_priority: 825000, high_priority: 885000 },
    contract_call: { no_priority: 50000, low_priority: 100000, medium_priority: 150000, high_priority: 190000 },
    smart_contract: { no_priority: 350000, low_priority: 400000, medium_priority: 450000, high_priority: 490000 },
  });
});

test('a percentile between two micro-STX goes to the even one when it is half way', () => {
  const medium = (a: number, b: number) => feeReport(fees(4, a, b)).all.low_priority;
  assert.equal(medium(112, 113), 112);
  assert.equal(medium(137, 138), 138);
  assert.equal(medium(147, 148), 148);
  assert.equal(medium(0, 1), 0);
  assert.equal(medium(1, 2), 2);
  assert.equal(feeReport(fees(4, 0, 10)).all.no_priority, 2);
  assert.equal(feeReport(fees(4, 0, 10)).all.medium_priority, 8);
});

test('kinds other than transfers, calls and deploys count among all only', () => {
  assert.deepEqual(feeReport(fees(4, 7)), {
    all: { no_priority: 7, low_priority: 7, medium_priority: 7, high_priority: 7 },
  });
});

test('an empty mempool has fees of zero', () => {
  assert.deepEqual(feeReport([]), {
    all: { no_priority: 0, low_priority: 0, medium_priority: 0, high_priority: 0 },
  });
});
