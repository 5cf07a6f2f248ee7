/**
 * `npm test [-- PART_OF_A_PATH ...]`: checks format, lint and types, and beside that runs every test in its short form, with one
 * PostgreSQL server for all of them. With parts of paths only the tests of those files run. `npm run test:all` runs every test at length,
 * and compares with the recordings. Arguments that begin with a dash go to `node --test`.
 * With CI=true a missing PostgreSQL server is a failure; elsewhere the tests on PostgreSQL are skipped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { SERVER_VARIABLE, startPostgres } from '../test/support/postgres.ts';
import { SCALE_VARIABLE, type Scale, SQLITE_SUFFICES } from '../test/support/scale.ts';
import { summaryOf } from './test-outcomes.ts';
import { processesOf, runTogether, type TestRun } from './test-processes.ts';

/** No process takes as long on the slowest machine: after this it hangs. */
const HANG_MS = { short: 45 * 60_000, all: 90 * 60_000 };

/** At a time. On a small machine more than there are cores: tests that start programs wait for them. */
const PROCESSES = Math.max(4, Math.floor(availableParallelism() / 2));

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2).filter(arg => arg !== '--');
const scale: Scale = args.includes('--all') ? 'all' : 'short';
const flags = args.filter(arg => arg.startsWith('-') && arg !== '--all');
const filters = args.filter(arg => !arg.startsWith('-'));
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'], { cwd: root })
  .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
  .sort();
const env = {
  ...process.env,
  [SCALE_VARIABLE]: scale,
  ...(scale === 'short' && filters.length === 0 && { [SQLITE_SUFFICES]: 'yes' }),
  // Many tests start the program: without it half of their time goes into compiling.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/tests'),
};

if (files.length === 0) {
  console.error(`No test file matches ${filters.join(', ')}`);
  process.exit(1);
}
const started = Date.now();
// An exit by process.exit stops the server too; without these a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
const checked = filters.length === 0 ? checkSources() : undefined;

const server = await startPostgres();
if ('missing' in server) {
  console.log(`PostgreSQL tests SKIPPED: ${server.missing}`);
  if (process.env.CI === 'true') process.exit(1);
} else {
  console.log(`PostgreSQL: ${server.how}`);
}
process.exitCode = await runTests('url' in server ? server.url : 'none');
if ('stop' in server) await server.stop();
await checked;
// It says itself what it skips.
if (scale === 'all' && filters.length === 0) await check('conformance', 'tools/conformance.ts');
console.log(`${Math.round((Date.now() - started) / 1000)} s, ${scale === 'all' ? 'at length' : 'in the short form'}`);

/** One after the other, beside the tests: neither keeps a core to itself. */
async function checkSources(): Promise<void> {
  await check('format and lint', 'node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.');
  await check('types', 'node_modules/typescript/bin/tsc', '-p', '.');
}

/** Runs a program to its end. When it fails, this process ends, and with it the tests that are running. */
async function check(what: string, program: string, ...programArgs: string[]): Promise<void> {
  const begun = Date.now();
  const child = spawn(process.execPath, [join(root, program), ...programArgs], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const [status] = await once(child, 'exit');
  if (status !== 0) {
    console.error(`${what}: failed`);
    process.exit(1);
  }
  console.log(`${what}: ok (${Date.now() - begun} ms)`);
}

/** Runs the files, some of them in one process, several processes at a time. Prints each as it ends. */
async function runTests(database: string): Promise<number> {
  const waiting = processesOf(files, scale);
  const runs: TestRun[] = [];
  const interrupted = new AbortController();
  process.prependOnceListener('exit', () => interrupted.abort()); // before the server is stopped
  const options = {
    flags: [
      `--import=${join(root, 'test/support/untracked-promises.ts')}`,
      // From the start: growing to it takes some percent of the time.
      '--min-semi-space-size=16',
      `--test-timeout=${HANG_MS[scale]}`,
      ...flags,
    ],
    cwd: root,
    env: { ...env, [SERVER_VARIABLE]: database },
    hangAfter: HANG_MS[scale],
    signal: interrupted.signal,
  };
  const work = async (take: () => string[] | undefined) => {
    for (let next = take(); next !== undefined; next = take()) {
      const run = await runTogether(next, options);
      runs.push(run);
      process.stdout.write(run.output);
    }
  };
  // One computes all the time, the others begin with those that mostly wait: so both cores of a small machine have work.
  const takes = Array.from({ length: PROCESSES }, (_, i) => () => (i === 0 ? waiting.shift() : waiting.pop()));
  await Promise.all(takes.map(work));
  const broken = runs.filter(({ succeeded, outcomes }) => !succeeded && outcomes.every(({ passed }) => passed));
  for (const run of broken) console.log(`✖ the process of ${run.files.join(', ')} failed`);
  console.log(`\n${summaryOf(runs.flatMap(({ outcomes }) => outcomes))}`);
  return runs.every(({ succeeded }) => succeeded) ? 0 : 1;
}
