import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

test('every script of this checkout says with --help how to call it', () => {
  const programs = Object.values(scripts).flatMap(script => /setup\.mjs ((tools|test)\/\S+)/.exec(script)?.[1] ?? []);
  assert.ok(programs.includes('test/attack/run.ts'));
  for (const program of programs)
    assert.match(
      readFileSync(join(root, program), 'utf8'),
      /^\/\*\*[\s\S]*?npm (run|test)[\s\S]*?\*\/\nimport/,
      `${program} begins with its usage`,
    );
  const { status, stdout } = spawnSync(
    process.execPath,
    ['tools/setup.mjs', 'test/attack/run.ts', '--engine', 'none', '--help'],
    { cwd: root, encoding: 'utf8' },
  );
  assert.equal(status, 0);
  assert.match(stdout, /^`npm run attack \[/);
});
