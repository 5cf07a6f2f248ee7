import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callProgram } from '../../../test/support/call-program.ts';
import { requireRepeatable } from './sources.ts';

test('serve --replay refuses a pipe before it makes anything, because a restart reads archives again', async t => {
  const made = mkdtempSync(join(tmpdir(), 'sources-test-'));
  t.after(() => rmSync(made, { recursive: true }));
  const [pipe, file] = [join(made, 'pipe'), join(made, 'archive.tsv')];
  execFileSync('mkfifo', [pipe]);
  writeFileSync(file, '');
  const { code, stderr } = await callProgram(['serve', '--data', join(made, 'data'), '--replay', `${file},${pipe}`]);
  assert.equal(code, 2);
  assert.match(stderr, /--replay takes no pipe.* load .*pipe with `stacks-index replay`/);
  assert.deepEqual(readdirSync(made).sort(), ['archive.tsv', 'pipe']);
  // A file that is missing yet may come before the next start.
  requireRepeatable([file, 'https://example.com/archive.zst', join(made, 'missing.tsv')]);
});
