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

/**
 * Files to import, each in a process of its own: at length all, otherwise those that differ from the last commit. The runner looks at every file too, but
 * many share its processes (tools/tests/worker.ts).
 */
function chosen(): string[] {
  if (scale === 'all') return globSync('{src,test,bench,tools}/**/*.test.ts', { cwd: root }).sort();
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    const changed =
      git('diff', '--name-only', '--relative', 'HEAD') + git('ls-files', '--others', '--exclude-standard');
    return changed.split('\n').filter(file => isTest(file) && existsSync(join(root, file)));
  } catch {
    return []; // a copy without its history, which is nothing that someone works on
  }
}

/** What the import of a file leaves open, or why it fails; undefined when all is well. */
async function leftBy(file: string): Promise<string | undefined> {
  const { [SERVER_VARIABLE]: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const { stdout, stderr } = spawn(
    process.execPath,
    ['--require', './bin/resolve.cjs', 'tools/tests/import-file.ts', file],
    { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [printed, errors] = await Promise.all([text(stdout), text(stderr)]);
  const line = printed.split('\n').find(each => each.startsWith('{"open":'));
  if (line === undefined) return `${file}: its import ended the process ${errors}`;
  const { open, failure = '' } = JSON.parse(line) as Imported;
  return open.length > 0 || failure !== '' ? `${file}: ${open.join(', ')}${failure}` : undefined;
}

test('importing a test file declares tests and leaves no server, process, socket or timer open', async () => {
  const queue = chosen();
  const left: (string | undefined)[] = [];
  const work = async () => {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) left.push(await leftBy(file));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  assert.deepEqual(
    left.filter(each => each !== undefined),
    [],
  );
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
    `process.exit(3);`,
    `import { before, describe, test } from 'node:test'; before(() => setInterval(() => {}, 1000));
      describe('a suite', () => { test('it', () => new Promise(() => setInterval(() => {}, 1000))); });`,
  ].map(fileOf);
  const [timer = '', server = '', child = '', wait = '', exit = '', sound] = await Promise.all(files.map(leftBy));
  assert.match(timer, /Timeout/);
  assert.match(server, /TCPServerWrap/);
  assert.match(child, /ProcessWrap/);
  assert.match(wait, /ERR_REQUIRE_ASYNC_MODULE/);
  assert.match(exit, /ended the process/);
  assert.equal(sound, undefined);
});
