import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { diskFloor, freeBytes } from './disk-floor.ts';

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

test('free bytes are those of the file system, also of a path that does not exist yet', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  for (const path of [tmpdir(), join(tmpdir(), 'no', 'such', 'directory')]) {
    const free = await freeBytes(path);
    assert.ok(free > 0 && free <= blocks * bsize, String(free));
  }
});
