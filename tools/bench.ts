/**
 * `npm run bench`: a short round of the benchmarks, on both engines where there is PostgreSQL, and how far the goals are.
 * `npm run bench -- read ARCHIVE`: one of them.
 * `npm run bench -- full --archives SMALL,LARGE --out bench/results/NAME.json`: everything, kept as JSON and as Markdown.
 * bench/README.md says what is measured. Figures mean little while the machine does other work.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from '../bench/machine.ts';
import { markdownOf, printFigures, printGoals, type Table } from '../bench/report.ts';
import { fullRound, type Step, shortRound } from '../bench/rounds.ts';
import { temporaryDirectory } from '../bench/temporary.ts';
import { startPostgres } from '../test/support/postgres.ts';

const BENCHMARKS = [
  'decode',
  'ingest',
  'cost',
  'singles',
  'past',
  'filters',
  'read',
  'growth',
  'tip',
  'workers',
  'nodes',
  'metadata',
  'live',
  'explorer',
  'beside',
  'generate',
];

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const [only, ...args] = process.argv.slice(2);
process.exit(await (only === undefined ? short() : only === 'full' ? full() : one(only)));

async function one(benchmark: string): Promise<number> {
  if (BENCHMARKS.includes(benchmark)) return run({ benchmark, args });
  console.error(`There is no benchmark ${benchmark}; there are ${BENCHMARKS.join(', ')}, and full.`);
  return 2;
}

/** @returns the exit code */
async function short(): Promise<number> {
  const temporary = temporaryDirectory();
  const server = await startPostgres();
  if ('missing' in server) console.log(`Without PostgreSQL: ${server.missing}.`);
  const round = shortRound(temporary.path, 'url' in server ? server.url : undefined);
  const { tables, failures } = await runAll(round, temporary.path, () => undefined);
  printGoals(tables);
  if ('stop' in server) await server.stop();
  temporary.remove();
  return failures === 0 ? 0 : 1;
}

/**
 * Goes on after a failure.
 * @param directory for the tables of each step
 * @param keep is called after each step with all tables so far
 */
async function runAll(steps: readonly Step[], directory: string, keep: (tables: readonly Table[]) => void) {
  const tables: Table[] = [];
  const failed: Step[] = [];
  for (const [i, step] of steps.entries()) {
    const json = join(directory, `${i}.json`);
    const code = await run(step.benchmark === 'generate' ? step : { ...step, args: [...step.args, '--json', json] });
    if (code !== 0) failed.push(step);
    else if (existsSync(json)) tables.push(...(JSON.parse(readFileSync(json, 'utf8')) as { tables: Table[] }).tables);
    keep(tables);
  }
  for (const { benchmark } of failed) console.error(`${benchmark} failed`);
  return { tables, failures: failed.length };
}

/** @returns the exit code; a signal to this process ends the benchmark, which cleans up */
function run(step: Step): Promise<number> {
  console.log(`\n== ${step.benchmark}`);
  const file = join(import.meta.dirname, '../bench', `${step.benchmark}.ts`);
  const child = spawn(process.execPath, [file, ...step.args], { stdio: 'inherit' });
  const end = () => {
    child.once('exit', () => process.exit(130));
    child.kill('SIGTERM');
  };
  for (const signal of SIGNALS) process.once(signal, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => {
      for (const signal of SIGNALS) process.off(signal, end);
      resolve(code ?? 1);
    });
  });
}

async function full(): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      archives: { type: 'string' },
      out: { type: 'string' },
      database: { type: 'string' },
      'read-database': { type: 'string' },
      seconds: { type: 'string', default: '2' },
    },
  });
  const { archives, out, database } = values;
  if (archives === undefined || out === undefined) {
    console.error('full needs --archives FILE,FILE and --out FILE.json');
    return 2;
  }
  const machine = printFigures('Machine', await describeMachine(database));
  const round = fullRound({
    ...{ archives: archives.split(','), database, seconds: values.seconds },
    readDatabase: values['read-database'],
  });
  const temporary = temporaryDirectory();
  const { tables, failures } = await runAll(round, temporary.path, soFar => keep(out, [machine, ...soFar]));
  const all = [machine, printGoals(tables), ...tables];
  keep(out, all);
  temporary.remove();
  console.log(`\n${out}: ${all.length} tables; ${failures} benchmarks failed`);
  return failures === 0 ? 0 : 1;
}

/** After every step, so that a round that is stopped leaves what it has. */
function keep(out: string, tables: readonly Table[]): void {
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify({ tables }, null, 1)}\n`);
  writeFileSync(out.replace(/(\.json)?$/, '.md'), tables.map(markdownOf).join('\n'));
}
