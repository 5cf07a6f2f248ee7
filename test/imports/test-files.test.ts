/** What importing a test file does. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Imported } from '../../tools/tests/messages.ts';
import { SERVER_VARIABLE } from '../support/postgres.ts';
import { scale } from '../support/scale.ts';

const root = join(import.meta.dirname, '../..');
const isTest = (file: string) => /^(src|test|bench|tools)\/.*\.test\.ts$/.test(file);

/** Files that one process imports in CI: loading the program takes longer than what a file has besides. */
const TOGETHER = 60;

/**
 * Files that processes import, those together that share one. At length each file has its own; in CI many share one, where a module that leaves
 * something open is found with the first file that imports it. Otherwise files that differ from the last commit, each in its own.
 */
function chosen(): (readonly string[])[] {
  const all = () => globSync('{src,test,bench,tools}/**/*.test.ts', { cwd: root }).sort();
  if (scale === 'all') return inGroups(all(), 1);
  if (process.env.CI === 'true') return inGroups(all(), TOGETHER);
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    const changed =
      git('diff', '--name-only', '--relative', 'HEAD') + git('ls-files', '--others', '--exclude-standard');
    return inGroups(
      changed.split('\n').filter(file => isTest(file) && existsSync(join(root, file))),
      1,
    );
  } catch {
    return []; // a copy without its history, which is nothing that someone works on
  }
}

const inGroups = (files: readonly string[], size: number): (readonly string[])[] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, i) => files.slice(i * size, (i + 1) * size));

/** What the imports of files in one process leave open, or why they fail. Those behind a file that ends the process are imported in another one. */
async function leftBy(files: readonly string[]): Promise<readonly string[]> {
  const { [SERVER_VARIABLE]: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const { stdout, stderr } = spawn(
    process.execPath,
    ['--require', './bin/resolve.cjs', 'tools/tests/import-files.ts', ...files],
    { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [printed, errors] = await Promise.all([text(stdout), text(stderr)]);
  const imported = printed
    .split('\n')
    .filter(line => line.startsWith('{"file":'))
    .map(line => JSON.parse(line) as Imported);
  const wrong = imported
    .filter(({ open, failure }) => open.length > 0 || failure !== undefined)
    .map(({ file, open, failure = '' }) => `${file}: ${open.join(', ')}${failure}`);
  const [last, ...behind] = files.slice(imported.length);
  if (last === undefined) return wrong;
  const others = behind.length > 0 ? await leftBy(behind) : [];
  return [...wrong, `${last}: its import ended the process ${errors}`, ...others];
}

test('importing a test file declares tests and leaves no server, process, socket or timer open', async () => {
  const queue = chosen();
  const wrong: string[] = [];
  const work = async () => {
    for (let files = queue.pop(); files !== undefined; files = queue.pop()) wrong.push(...(await leftBy(files)));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  assert.deepEqual(wrong, []);
});

test('a file whose import starts a timer, a server or a process, or waits for something, is found', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-imports-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const fileOf = (content: string) => {
    const file = join(directory, `${Math.random()}.test.ts`);
    writeFileSync(file, content);
    return file;
  };
  const files = [
    `setInterval(() => {}, 1000);`,
    `import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1');`,
    `import { spawn } from 'node:child_process'; spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 5000)']);`,
    `await new Promise(resolve => setTimeout(resolve, 1));`,
    `import { before, describe, test } from 'node:test'; before(() => setInterval(() => {}, 1000));
      describe('a suite', () => { test('it', () => new Promise(() => setInterval(() => {}, 1000))); });`,
    `process.exit(3);`,
    `setInterval(() => {}, 1000);`,
  ].map(fileOf);
  const [sound] = files.splice(4, 1);
  // As in CI: all in one process, as far as that goes. Then one alone.
  const [timer = '', server = '', child = '', wait = '', exit = '', behind = '', ...others] = await leftBy([
    ...files.slice(0, 2),
    sound ?? '',
    ...files.slice(2),
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual(await leftBy([sound ?? '']), []);
  assert.match(timer, /Timeout/);
  assert.match(server, /TCPServerWrap/);
  assert.match(child, /ProcessWrap/);
  assert.match(wait, /ERR_REQUIRE_ASYNC_MODULE/);
  assert.match(exit, /ended the process/);
  assert.match(behind, /Timeout/);
});
