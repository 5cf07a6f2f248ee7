/**
 * `npm test [-- PART_OF_A_PATH ...]`: checks format, lint and types, and beside that runs every test in its short form, with one
 * PostgreSQL server for all of them. With parts of paths only the tests of those files run. `npm run test:all` runs every test at length,
 * and compares with the recordings. Options:
 *
 *   --watchdog MINUTES   a process in which no test ends for so long is ended, and its file has failed
 *   --verbose            prints every test and what it prints; so does a run of parts
 *   --outcomes FILE      writes what became of each test, a line of JSON each
 *   --costs FILE         writes the CPU seconds and the seconds of each file, a line each, the costliest first
 *   --skipped-in FILE    runs only the tests that such a file says were skipped for want of the reference material
 *
 * Other arguments that begin with a dash go to Node.js (--test-name-pattern=...). With CI=true a missing PostgreSQL server is a failure; elsewhere the
 * tests on PostgreSQL are skipped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { SERVER_VARIABLE, startPostgres } from '../test/support/postgres.ts';
import { isMissingReference } from '../test/support/reference-material.ts';
import { SCALE_VARIABLE, type Scale, SQLITE_SUFFICES } from '../test/support/scale.ts';
import { cpuSeconds } from './tests/cpu-seconds.ts';
import type { Outcome } from './tests/messages.ts';
import { costsOf, hasFailed, startPrinter, summaryOf } from './tests/printer.ts';
import { runFiles } from './tests/run-files.ts';
import { parseSkips, skipLine, unlisted } from './tests/skips.ts';
import { watchdogOf } from './tests/watchdog.ts';

/** No test takes as long on the slowest machine: after this it hangs. */
const WATCHDOG_MINUTES = { short: 20, all: 90 };

/** At a time. On a small machine more than there are cores: tests that start programs wait for them. */
const PROCESSES = Math.max(3, Math.floor(availableParallelism() / 2));

const SKIPS = 'test/skipped.txt';

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2).filter(arg => arg !== '--');
const [watchdog, outcomesFile, costsFile, skippedIn] = [
  option('--watchdog'),
  option('--outcomes'),
  option('--costs'),
  option('--skipped-in'),
];
const isAll = flag('--all');
const isVerbose = flag('--verbose');
const scale: Scale = isAll ? 'all' : 'short';
const flags = args.filter(arg => arg.startsWith('-'));
const again = skippedIn === undefined ? undefined : skippedFor(skippedIn);
const filters = args.filter(arg => !arg.startsWith('-'));
const isWhole = filters.length === 0 && again === undefined;
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'tools/**/*.test.ts'], {
  cwd: root,
})
  .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
  .filter(file => again === undefined || again.some(outcome => outcome.file === file))
  .sort();
const env = {
  ...process.env,
  [SCALE_VARIABLE]: scale,
  ...(scale === 'short' && isWhole && { [SQLITE_SUFFICES]: 'yes' }),
  // Many tests start the program: without it half of their time goes into compiling.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/tests'),
};

if (files.length === 0) {
  console.error(again === undefined ? `No test file matches ${filters.join(', ')}` : 'No test was skipped');
  process.exit(again === undefined ? 1 : 0);
}
const started = Date.now();
// An exit by process.exit stops the server too; without these a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
const checked = isWhole ? checkSources() : undefined;

const server = await startPostgres();
if ('missing' in server) {
  console.log(`The tests on PostgreSQL are skipped: ${server.missing}`);
  if (process.env.CI === 'true') process.exit(1);
} else {
  console.log(`PostgreSQL: ${server.how}`);
}
process.exitCode = await runTests('url' in server ? server.url : 'none');
if ('stop' in server) await server.stop();
await checked;
// It says itself what it skips.
if (scale === 'all' && isWhole) await check('conformance', 'tools/conformance.ts', []);
const cpu = cpuSeconds();
console.log(
  `${Math.round((Date.now() - started) / 1000)} s${cpu === undefined ? '' : `, ${Math.round(cpu)} CPU seconds`}, ${isAll ? 'at length' : 'in the short form'}`,
);

/** Takes an option and its value out of the arguments. */
function option(name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

/** Takes an option without a value out of the arguments. */
function flag(name: string): boolean {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

/** The tests that a run without the reference material left out. */
function skippedFor(file: string): Outcome[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const outcomes = lines.filter(line => line !== '').map(line => JSON.parse(line) as Outcome);
  return outcomes.filter(({ skipped }) => skipped !== undefined && isMissingReference(skipped));
}

/** One after the other, beside the tests: neither keeps a core to itself. */
async function checkSources(): Promise<void> {
  await check('format and lint', 'node_modules/@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', '.']);
  // Takes 2 s of CPU in place of 11 where nothing has changed since the last run.
  const known = 'node_modules/.cache/types.tsbuildinfo';
  // Several checkers end sooner on idle cores, but each works out types that others need too: 26 s of CPU in place of 18.
  const options = ['--incremental', '--tsBuildInfoFile', known, '--checkers', '1'];
  // The compiler is a Go program: without collections below 2 GB it takes 16 s of CPU in place of 23, and 1.2 GB in place of 1.0.
  const withoutCollections = { GOGC: 'off', GOMEMLIMIT: '2GiB' };
  await check('types', 'node_modules/typescript/bin/tsc', ['-p', '.', ...options], withoutCollections);
}

/** Runs a program to its end. When it fails, this process ends, and with it the tests that are running. */
async function check(
  what: string,
  program: string,
  programArgs: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const begun = Date.now();
  const child = spawn(process.execPath, [join(root, program), ...programArgs], {
    cwd: root,
    env: { ...env, ...variables },
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

/** @returns the exit status */
async function runTests(database: string): Promise<number> {
  const interrupted = new AbortController();
  process.prependOnceListener('exit', () => interrupted.abort()); // before the server is stopped
  const printer = startPrinter({
    files: files.length,
    isVerbose: isVerbose || !isWhole,
    print: text => console.log(text),
  });
  const runs = await runFiles(files, {
    processes: PROCESSES,
    flags: [
      // From the start, as growing to it takes some percent of the time; smaller ones take some percent more for collections.
      '--min-semi-space-size=32',
      '--max-semi-space-size=32',
      ...flags,
      ...(again ?? []).map(({ path }) => `--test-name-pattern=^${escaped(path.at(-1) ?? '')}$`),
    ],
    cwd: root,
    env: { ...env, [SERVER_VARIABLE]: database },
    watchdog: watchdogOf(watchdog === undefined ? WATCHDOG_MINUTES[scale] : Number(watchdog)),
    signal: interrupted.signal,
    onReport: printer.onReport,
    onFile: printer.onFile,
  });
  printer.stop();
  const outcomes = runs.flatMap(run => run.outcomes);
  if (outcomesFile !== undefined)
    writeFileSync(outcomesFile, outcomes.map(outcome => `${JSON.stringify(outcome)}\n`).join(''));
  if (costsFile !== undefined) writeFileSync(costsFile, costsOf(runs));
  const isComplete = isWhole ? onlyListedSkips(outcomes) : again === undefined || noneMissing(outcomes);
  console.log(`\n${summaryOf(runs)}`);
  return isComplete && !runs.some(hasFailed) ? 0 : 1;
}

/** Whether every test that was skipped may be. */
function onlyListedSkips(outcomes: readonly Outcome[]): boolean {
  const allowed = parseSkips(readFileSync(join(root, SKIPS), 'utf8'));
  const surprises = unlisted(outcomes, allowed);
  if (surprises.length === 0) return true;
  console.log(`\n✖ These were skipped, and ${SKIPS} does not list them:`);
  for (const [reason, alike] of Map.groupBy(surprises, ({ skipped }) => skipped))
    console.log([`[${reason}]`, ...alike.map(skipLine)].join('\n'));
  return false;
}

/** Whether the tests that were skipped for want of the reference material have run now. */
function noneMissing(outcomes: readonly Outcome[]): boolean {
  const missing = outcomes.filter(({ skipped }) => skipped !== undefined && isMissingReference(skipped));
  for (const outcome of missing) console.log(`✖ skipped again (${outcome.skipped}): ${skipLine(outcome)}`);
  return missing.length === 0;
}

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
