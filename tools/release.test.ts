import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scale } from '../test/support/scale.ts';
import { nextVersion, readReleases } from './release/releases.ts';

const root = join(import.meta.dirname, '..');

test('a release is refused with every reason at once, and the check changes nothing', t => {
  if (scale === 'short') return t.skip('npm run test:all checks a release');
  const folder = mkdtempSync(join(tmpdir(), 'stacks-release-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  git('clone', '--quiet', root, '.');
  git('checkout', '--quiet', '-B', 'main');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const check = (version: string) => {
    const ran = spawnSync(process.execPath, ['tools/release.ts', version, '--check'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status: ran.status, problems: ran.stderr };
  };
  const last = readReleases(root).at(-1)?.version ?? '';
  const next = nextVersion(last).replace('-dev', '');
  const { status, problems } = check(next);
  assert.ok(status === 0 || /\[Unreleased\] has no entry/.test(problems), problems);

  appendFileSync(join(folder, 'README.md'), 'changed');
  git('checkout', '--quiet', '-b', 'other');
  const wrong = check(last);
  assert.equal(wrong.status, 1);
  assert.match(wrong.problems, new RegExp(`${last} must be three numbers above ${last}`));
  assert.match(wrong.problems, /the branch is other, not main/);
  assert.match(wrong.problems, /1 files differ from the commit: README\.md/);
  assert.equal(git('status', '--porcelain').trim(), 'M README.md');
});
