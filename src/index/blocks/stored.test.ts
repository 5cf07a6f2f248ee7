import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUnlockHeights, unlockHeightsAfter } from './stored.ts';

interface Fact {
  readonly value: string;
}

test('forced unlock heights are those that were known at a block, and of many changes the newest are kept', () => {
  const after = (row: Fact | undefined, height: number, ...given: (number | null)[]): Fact => {
    const value = unlockHeightsAfter(row, height, given);
    assert.ok(value !== undefined);
    return { value };
  };
  const first = [120, null, null, null];
  const second = [120, 150, null, null];
  const once = after(undefined, 7, 120, null, null, null);
  assert.equal(unlockHeightsAfter(once, 8, [0, null, null, null]), undefined, 'nothing new');
  const twice = after(once, 9, null, 150, null, null);
  assert.deepEqual(
    [6, 7, 8, 9, undefined].map(height => readUnlockHeights(twice, height)),
    [undefined, first, first, second, second],
  );
  let many: Fact | undefined;
  for (let height = 1; height <= 100; height++) many = after(many, height, height, null, null, null);
  assert.deepEqual(readUnlockHeights(many), [100, null, null, null]);
  assert.ok((many?.value.length ?? 0) < 1000);
});
