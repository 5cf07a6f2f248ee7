import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureWritable } from './directory.ts';

test('a directory that is made is for nobody but its user', t => {
  const parent = mkdtempSync(join(tmpdir(), 'stacks-directory-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const before = process.umask(0);
  try {
    ensureWritable(join(parent, 'a', 'data'));
  } finally {
    process.umask(before);
  }
  for (const made of ['a', 'a/data']) assert.equal(statSync(join(parent, made)).mode & 0o777, 0o700, made);
});
