import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freeBytes } from './free-space.ts';

test('free bytes are those of the file system, also of a path that does not exist yet', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  for (const path of [tmpdir(), join(tmpdir(), 'no', 'such', 'directory')]) {
    const free = await freeBytes(path);
    assert.ok(free > 0 && free <= blocks * bsize, String(free));
  }
});
