/**
 * `npm test [-- part-of-a-path ...]`: checks format, lint and types, then runs the tests with one PostgreSQL server for all of
 * them. With parts of paths only the tests of those files run. Arguments that begin with a dash go to `node --test`. With CI=true a missing server is a failure; elsewhere the tests on PostgreSQL are skipped.
 */
import { spawn, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SERVER_VARIABLE, startPostgres } from '../test/support/postgres.ts';

/** Of a file: no file takes as long on the slowest machine, so it hangs. */
const HANG_MS = 20 * 60_000;

const root = dirname(import.meta.dirname);
const args = process.argv.slice(2).filter(arg => arg !== '--');
const flags = args.filter(arg => arg.startsWith('-'));
const filters = args.filter(arg => !arg.startsWith('-'));
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'], { cwd: root })
  .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
  .sort();

if (files.length === 0) {
  console.error(`No test file matches ${filters.join(', ')}`);
  process.exit(1);
}
if (filters.length === 0) {
  check('format and lint', '@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.');
  check('types', 'typescript/bin/tsc', '-p', '.');
}
// An exit by process.exit stops the server too; without these a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const server = await startPostgres();
if ('missing' in server) {
  console.log(`PostgreSQL tests SKIPPED: ${server.missing}`);
  if (process.env.CI === 'true') process.exit(1);
} else {
  console.log(`PostgreSQL: ${server.how}`);
}
process.exitCode = await runTests('url' in server ? server.url : 'none');
if ('stop' in server) await server.stop();

function check(what: string, program: string, ...programArgs: string[]): void {
  const started = Date.now();
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...programArgs], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    console.error(`${what}: failed`);
    process.exit(1);
  }
  console.log(`${what}: ok (${Date.now() - started} ms)`);
}

function runTests(database: string): Promise<number> {
  const reporter = flags.some(flag => flag.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
  const options = ['--test', '--test-concurrency=2', `--test-timeout=${HANG_MS}`, ...reporter, ...flags];
  const tests = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    env: { ...process.env, [SERVER_VARIABLE]: database },
    stdio: 'inherit',
  });
  process.once('exit', () => tests.kill());
  return new Promise((resolve, reject) => {
    tests.once('error', reject);
    tests.once('exit', code => resolve(code ?? 1));
  });
}
