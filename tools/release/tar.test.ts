import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { entriesBelow, writeTarGz } from './tar.ts';

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-tar-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const LONG = `${'long-'.repeat(30)}name`;

/** The same files, made in an order, with times and modes of their own. */
function fill(folder: string, names: readonly string[], time: number, mode: number): void {
  mkdirSync(join(folder, 'a', LONG), { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), name.repeat(200));
    chmodSync(join(folder, name), name.endsWith('sh') ? mode | 0o111 : mode);
    utimesSync(join(folder, name), time, time);
  }
  symlinkSync('b.txt', join(folder, 'a/link'));
}

const NAMES = ['z', 'a/b.txt', 'a/run.sh', `a/${LONG}/ä.txt`];

test('the bytes of an archive follow from paths, contents and whether a file can be run', async t => {
  const [one, other, out] = [temporary(t), temporary(t), temporary(t)];
  fill(one, NAMES, 1000, 0o644);
  fill(other, NAMES.toReversed(), 2000, 0o600);
  for (const folder of [one, other])
    await writeTarGz(join(out, `${folder === one}.tar.gz`), entriesBelow(folder, 'top'), 86400);
  assert.ok(readFileSync(join(out, 'true.tar.gz')).equals(readFileSync(join(out, 'false.tar.gz'))));
});

test('tar unpacks an archive: long names, links and modes', async t => {
  const [folder, out] = [temporary(t), temporary(t)];
  fill(folder, NAMES, 1000, 0o644);
  const file = join(out, 'x.tar.gz');
  const text = { path: 'top/note', content: { kind: 'text', text: 'a note', isExecutable: false } } as const;
  await writeTarGz(file, [...entriesBelow(folder, 'top', path => path !== 'z'), text], 86400);
  execFileSync('tar', ['-xzf', file, '-C', out]);
  for (const name of NAMES.slice(1)) assert.equal(readFileSync(join(out, 'top', name), 'utf8'), name.repeat(200), name);
  assert.equal(readFileSync(join(out, 'top/a/link'), 'utf8'), 'a/b.txt'.repeat(200));
  assert.equal(readFileSync(join(out, 'top/note'), 'utf8'), 'a note');
  const listed = execFileSync('tar', ['--utc', '-tvzf', file], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(
    listed.map(line => line.slice(0, 14)),
    [
      'drwxr-xr-x 0/0',
      '-rw-r--r-- 0/0',
      'lrwxrwxrwx 0/0',
      'drwxr-xr-x 0/0',
      '-rw-r--r-- 0/0',
      '-rwxr-xr-x 0/0',
      '-rw-r--r-- 0/0',
    ],
  );
  assert.ok(
    listed.every(line => line.includes('1970-01-02 00:00')),
    listed.join('\n'),
  );
});
