import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packUnlockHeights, readUnlockHeights, type UnlockHeights } from './stored.ts';

test('forced unlock heights are those that were known at a block, and of many changes the newest are kept', () => {
  const [none, first, second]: UnlockHeights[] = [
    [null, null, null, null],
    [120, null, null, null],
    [120, 150, null, null],
  ];
  assert.ok(none && first && second);
  const once = { value: packUnlockHeights(undefined, 7, first) };
  const twice = { value: packUnlockHeights(once, 9, second) };
  assert.deepEqual(
    [6, 7, 8, 9, undefined].map(height => readUnlockHeights(twice, height)),
    [undefined, first, first, second, second],
  );
  let many: { readonly value: string } | undefined;
  for (let height = 1; height <= 100; height++)
    many = { value: packUnlockHeights(many, height, [height, null, null, null]) };
  assert.deepEqual(readUnlockHeights(many), [100, null, null, null]);
  assert.ok((many?.value.length ?? 0) < 1000);
});
