import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskFloor } from './disk-floor.ts';

test('below the floor the check fails with what to do, and passes again when there is space', async () => {
  let free = 1000;
  const floor = diskFloor('/nowhere', 1000, async () => free);
  await floor.check();
  free = 999;
  await assert.rejects(floor.check(), { code: 'DISK_FULL', message: /999 free bytes/, hint: /--min-free-space/ });
  free = 1001;
  await floor.check();
});

test('a floor of 0 asks nothing', async () => {
  await diskFloor('/nowhere', 0, () => assert.fail()).check();
});
