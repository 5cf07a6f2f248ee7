/** The runner of the tests, on files that do what no test file may. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Report } from './messages.ts';
import { hasFailed, summaryOf } from './printer.ts';
import { runFiles } from './run-files.ts';
import type { FileRun } from './test-process.ts';

const SOUND = `test('it works', () => {});`;

interface Files {
  readonly [name: string]: string;
}

/**
 * Runs files with these contents, one after another in one process, as long as it lives.
 * @param isStuck whether the watchdog fires on a report: tests wait for no clock
 */
async function run(
  t: TestContext,
  contents: Files,
  isStuck: (report: Report, file: string) => boolean = () => false,
  variables: NodeJS.ProcessEnv = {},
): Promise<Record<string, FileRun>> {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-runner-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const head = `import { after, before, beforeEach, describe, test } from 'node:test';\nimport { createServer } from 'node:net';\n`;
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(directory, name), head + content);
  let fire = () => {};
  const runs = await runFiles(Object.keys(contents), {
    processes: 1,
    flags: [],
    cwd: directory,
    // Not that of the process which runs this test.
    env: { ...process.env, ...variables, NODE_TEST_CONTEXT: undefined },
    signal: t.signal,
    watchdog: onFire => {
      fire = onFire;
      return { restart: () => {}, stop: () => {} };
    },
    onReport: (report, file) => {
      if (isStuck(report, file)) fire();
    },
  });
  assert.deepEqual(
    runs.map(({ file }) => file),
    Object.keys(contents),
    'every file runs once, in order',
  );
  return Object.fromEntries(runs.map(each => [each.file, each]));
}

/** The names of the files that failed. */
const failedIn = (runs: Readonly<Record<string, FileRun>>): string[] =>
  Object.values(runs)
    .filter(hasFailed)
    .map(({ file }) => file);

/** Its tests, each with how it ended. */
const testsOf = (run: FileRun | undefined): string[] =>
  (run?.outcomes ?? [])
    .filter(({ isSuite }) => !isSuite)
    .map(({ path, passed, skipped }) => `${path.join(' > ')}: ${skipped ?? (passed ? 'passed' : 'failed')}`);

test('a rejection that belongs to no test fails the file that was running, and no other', async t => {
  const runs = await run(t, {
    'before.ts': SOUND,
    'late.ts': `
      test('it starts something', () => { setImmediate(() => void Promise.reject(new Error('too late'))); });
      test('it waits', () => new Promise(resolve => setTimeout(resolve, 20)));`,
    'after.ts': SOUND,
  });
  assert.deepEqual(failedIn(runs), ['late.ts']);
  assert.match(runs['late.ts']?.errors.join() ?? '', /^Error: too late\n/);
  assert.deepEqual(testsOf(runs['late.ts']), ['it starts something: passed', 'it waits: passed']);
});

test('a file that ends its process is blamed, and the files that had not begun run in a new one', async t => {
  const runs = await run(t, {
    'before.ts': SOUND,
    'exit.ts': `test('it exits', () => process.exit(0));`,
    'after.ts': SOUND,
  });
  assert.deepEqual(failedIn(runs), ['exit.ts']);
  assert.match(runs['exit.ts']?.errors.join() ?? '', /^the process ended with status 0/);
  assert.deepEqual(testsOf(runs['after.ts']), ['it works: passed']);
});

test('a file whose test loops is blamed once the watchdog fires, and the files that had not begun run in a new process', async t => {
  const runs = await run(
    t,
    { 'before.ts': SOUND, 'loop.ts': `test('it loops', () => { for (;;); });`, 'after.ts': SOUND },
    ({ kind }, file) => file === 'loop.ts' && kind === 'started',
  );
  assert.deepEqual(failedIn(runs), ['loop.ts']);
  assert.match(runs['loop.ts']?.errors.join() ?? '', /^no test ended in the time that the watchdog allows/);
  assert.deepEqual(testsOf(runs['after.ts']), ['it works: passed']);
});

test('a file that leaves a server open is blamed by what it left, though its tests passed', async t => {
  const runs = await run(
    t,
    { 'open.ts': `test('it listens', () => { createServer().listen(0, '127.0.0.1'); });`, 'after.ts': SOUND },
    ({ kind }) => kind === 'open',
  );
  assert.deepEqual(failedIn(runs), ['open.ts']);
  assert.match(runs['open.ts']?.errors.join() ?? '', /left open: TCPServerWrap/);
  assert.deepEqual(testsOf(runs['open.ts']), ['it listens: passed']);
  assert.deepEqual(testsOf(runs['after.ts']), ['it works: passed']);
});

test('a file whose import opens something is blamed, though it is closed after its tests; one that opens it in a hook is not', async t => {
  const runs = await run(t, {
    'timer.ts': `const timer = setInterval(() => {}, 1000); after(() => clearInterval(timer)); ${SOUND}`,
    'server.ts': `const server = createServer().listen(0, '127.0.0.1'); after(() => server.close()); ${SOUND}`,
    'hook.ts': `let server; before(() => { server = createServer().listen(0, '127.0.0.1'); }); after(() => server.close()); ${SOUND}`,
  });
  assert.deepEqual(failedIn(runs), ['timer.ts', 'server.ts']);
  assert.deepEqual(runs['timer.ts']?.errors, ['its import left open: Timeout']);
  assert.deepEqual(runs['server.ts']?.errors, ['its import left open: TCPServerWrap']);
  assert.deepEqual(Object.values(runs).map(testsOf), Array(3).fill(['it works: passed']));
});

test('what a file has compiled is there for programs that later ones start', async t => {
  const compiled = mkdtempSync(join(tmpdir(), 'stacks-index-compiled-'));
  t.after(() => rmSync(compiled, { recursive: true, force: true }));
  const look = `import { readdirSync } from 'node:fs';
    test('it looks', () => {
      if (readdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true }).length < 3) throw new Error('nothing was compiled');
    });`;
  const runs = await run(t, { 'before.ts': SOUND, 'after.ts': look }, undefined, { NODE_COMPILE_CACHE: compiled });
  assert.deepEqual(testsOf(runs['after.ts']), ['it looks: passed']);
});

test('hooks of a file run for its tests alone, and when one fails no other file does', async t => {
  const runs = await run(t, {
    'hooks.ts': `before(() => { throw new Error('no database'); }); beforeEach(() => { throw new Error('never'); });
      test('it needs the hook', () => {});`,
    'after.ts': `describe('a suite', () => { ${SOUND} });`,
  });
  assert.deepEqual(failedIn(runs), ['hooks.ts']);
  assert.deepEqual(testsOf(runs['after.ts']), ['a suite > it works: passed']);
});

test('a file that cannot be loaded fails, and no other', async t => {
  const runs = await run(t, { 'broken.ts': `import './nowhere.ts';`, 'waits.ts': `await null;`, 'after.ts': SOUND });
  assert.deepEqual(failedIn(runs), ['broken.ts', 'waits.ts']);
});

test('the summary counts tests, and names each that failed with the command that runs it alone', async t => {
  const runs = await run(t, {
    'some.ts': `${SOUND} describe('a suite', () => { test("it's (not) so", () => { throw new Error('no'); }); });
      test('later', { skip: 'not today' }, () => {});`,
  });
  const summary = summaryOf(Object.values(runs));
  assert.match(summary, /^1 passed, 1 failed, 1 skipped$/m);
  assert.match(summary, /^ {2}some\.ts > a suite > it's \(not\) so$/m);
  assert.ok(summary.includes(String.raw`npm test -- some.ts --test-name-pattern='^it'\''s \(not\) so$'`), summary);
  assert.match(summary, /Skipped, 1: not today/);
});
