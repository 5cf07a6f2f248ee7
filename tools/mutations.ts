/**
 * `npm run mutations [-- [--short] part-of-a-name ...]`: breaks the program in each of the ways of mutations/table.ts, in a copy of the
 * checkout, and runs the tests that must notice. Ends with 1 when one does not. First the same tests must pass unbroken. With --short each
 * property tries as many cases as in `npm test`, and the same ones.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SERVER_VARIABLE } from '../test/support/postgres.ts';
import { replaceIn } from './mutations/locate.ts';
import { MUTATIONS, type Mutation } from './mutations/table.ts';

const COPIED = ['src', 'test', 'tools', 'bin', 'assets', 'examples', 'package.json', 'tsconfig.json'];
/** Cases of each property: enough to meet even what happens rarely. */
const PROPERTY_RUNS = 100;
/** Of a property while nothing is broken: only to see that it runs. */
const UNBROKEN_RUNS = 10;
/** A mutation may make a test hang, which ends after so many milliseconds, or after three times what all tests took unbroken if that is more. */
const TEST_TIMEOUT = 300_000;

const root = dirname(import.meta.dirname);
const parts = process.argv.slice(2).filter(part => !part.startsWith('--'));
const isShort = process.argv.includes('--short');
const chosen = MUTATIONS.filter(({ name }) => parts.length === 0 || parts.some(part => name.includes(part)));
const copy = mkdtempSync(join(tmpdir(), 'stacks-index-mutations-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const started = Date.now();
const failure = [false, true]
  .map(postgres => chosen.filter(mutation => (mutation.postgres === true) === postgres))
  .map(alike => ({ tests: [...new Set(alike.flatMap(({ tests }) => tests))], postgres: alike[0]?.postgres }))
  .map(({ tests, postgres }) => (tests.length > 0 ? failureOf(tests, { runs: UNBROKEN_RUNS, postgres }) : undefined))
  .find(found => found !== undefined);
if (failure !== undefined) {
  console.error(`The tests fail although nothing is broken: ${failure}`);
  process.exit(1);
}
const limit = Math.max(TEST_TIMEOUT, 3 * (Date.now() - started));
const missed = chosen.filter(mutation => !isCaught(mutation));
console.log(`${chosen.length - missed.length} of ${chosen.length} caught`);
process.exitCode = missed.length > 0 ? 1 : 0;

interface RunOptions {
  /** Cases of each property. */
  readonly runs: number;
  readonly postgres?: boolean | undefined;
  /** Milliseconds after which a test fails; a hang fails after twice as many. Undefined: none. */
  readonly limit?: number;
}

function isCaught(mutation: Mutation): boolean {
  const started = Date.now();
  const broken = mutation.edits.map(edit => replaceIn(copy, edit));
  let reason: string | undefined;
  for (const test of mutation.tests)
    reason ??= failureOf([test], { runs: PROPERTY_RUNS, postgres: mutation.postgres, limit });
  for (const file of broken) cpSync(join(root, file), join(copy, file));
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${reason ? 'caught    ' : 'NOT CAUGHT'} ${mutation.name} (${seconds} s)${reason ? `: ${reason}` : ''}`);
  return reason !== undefined;
}

/**
 * What these tests say when they fail; undefined when they pass. On SQLite alone, unless told otherwise: what is broken is mostly
 * broken on both. Failing cases are not made smaller.
 */
function failureOf(tests: readonly string[], { runs, postgres = false, limit }: RunOptions): string | undefined {
  const options = ['--test', '--test-concurrency=2', ...(limit === undefined ? [] : [`--test-timeout=${limit}`])];
  const { status, stdout } = spawnSync(process.execPath, [...options, ...tests], {
    cwd: copy,
    env: {
      ...process.env,
      ...(!postgres && { [SERVER_VARIABLE]: 'none' }),
      ...(!isShort && { PROPERTY_RUNS: String(runs) }),
      PROPERTY_SHRINK: 'no',
      CI: '',
    },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    timeout: limit && 2 * limit,
  });
  if (status === 0) return undefined;
  return ((/^.*Error\b.*$/m.exec(stdout) ?? /^✖.*$/m.exec(stdout))?.[0] ?? 'it failed').trim().slice(0, 120);
}
