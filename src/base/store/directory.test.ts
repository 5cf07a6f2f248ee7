import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ensureWritable, makeDirectory, missingDirectories } from './directory.ts';

function home(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a directory is made with those above it, for this user only, and making it again changes nothing', t => {
  const parent = home(t);
  const wanted = join(parent, 'a', 'b/');
  assert.deepEqual(missingDirectories(wanted), [join(parent, 'a'), join(parent, 'a/b')]);
  makeDirectory(wanted);
  makeDirectory(wanted);
  assert.equal(statSync(join(parent, 'a')).mode & 0o777, 0o700);
  assert.deepEqual(missingDirectories(wanted), []);
});

test('where the system refuses, the error names the directory, and nothing is tried for ever', t => {
  const parent = home(t);
  writeFileSync(join(parent, 'file'), '');
  symlinkSync(join(parent, 'nowhere'), join(parent, 'link'));
  const refused = (path: string, code: string) => assert.throws(() => makeDirectory(path), { code });
  refused(join(parent, 'file'), 'ENOTDIR');
  refused(join(parent, 'file/below'), 'ENOTDIR');
  refused(join(parent, 'link'), 'EEXIST');
  refused(join(parent, 'link/below'), 'EEXIST');
  assert.equal(existsSync(join(parent, 'nowhere')), false);
  if (existsSync('/proc/self')) {
    refused('/proc/nope', 'ENOENT');
    refused('/proc/nope/data', 'ENOENT');
  }
});

test('a directory that is made may be read by its user only', t => {
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
