/** What importing a test file does, one process a file. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { SERVER_VARIABLE } from '../support/postgres.ts';
import { scale } from '../support/scale.ts';

const root = join(import.meta.dirname, '../..');
const isTest = (file: string) => /^(src|test|bench|tools)\/.*\.test\.ts$/.test(file);

/** All files in CI and at length, otherwise those that differ from the last commit. */
function chosen(): string[] {
  if (process.env.CI === 'true' || scale === 'all')
    return globSync('{src,test,bench,tools}/**/*.test.ts', { cwd: root }).sort();
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    const changed =
      git('diff', '--name-only', '--relative', 'HEAD') + git('ls-files', '--others', '--exclude-standard');
    return changed.split('\n').filter(file => isTest(file) && existsSync(join(root, file)));
  } catch {
    return []; // a copy without its history, which is nothing that someone works on
  }
}

/** What the import of a file leaves open, or why it fails. */
async function leftBy(file: string): Promise<string> {
  const { [SERVER_VARIABLE]: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const { stdout, stderr } = spawn(process.execPath, ['tools/tests/import-alone.ts', file], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, errors] = await Promise.all([text(stdout), text(stderr)]);
  const left = printed.trim().split('\n').at(-1);
  return left === '[]' ? '' : `${file}: ${left}${errors}`;
}

test('importing a test file declares tests and leaves no server, process, socket or timer open', async () => {
  const queue = chosen();
  const wrong: string[] = [];
  const work = async () => {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) wrong.push(await leftBy(file));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  assert.deepEqual(
    wrong.filter(text => text !== ''),
    [],
  );
});

test('a file whose import starts a timer, a server or a process, or waits for something, is found', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-imports-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const found = async (content: string) => {
    const file = join(directory, `${Math.random()}.test.ts`);
    writeFileSync(file, content);
    return leftBy(file);
  };
  const [timer, server, child, wait, sound] = await Promise.all([
    found(`setInterval(() => {}, 1000);`),
    found(`import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1');`),
    found(
      `import { spawn } from 'node:child_process'; spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 5000)']);`,
    ),
    found(`await new Promise(resolve => setTimeout(resolve, 1));`),
    found(`import { before, describe, test } from 'node:test'; before(() => setInterval(() => {}, 1000));
      describe('a suite', () => { test('it', () => new Promise(() => setInterval(() => {}, 1000))); });`),
  ]);
  assert.match(timer, /Timeout/);
  assert.match(server, /TCPServerWrap/);
  assert.match(child, /ProcessWrap/);
  assert.match(wait, /ERR_REQUIRE_ASYNC_MODULE/);
  assert.equal(sound, '');
});
