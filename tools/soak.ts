/**
 * `npm run soak -- [--minutes N] [--engine sqlite|postgres|both] [--seed S] [--only PROPERTY] [--json FILE]`: tries the properties
 * of test/properties with ever new seeds, and kills the program again and again (test/crash), one process an engine; or one property
 * only. Prints a line a minute; each failure with how to repeat it; a summary at the end. Exit code 1 when there were failures.
 */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noStatistics } from '../test/chains/workbench.ts';
import { PROPERTIES } from '../test/properties/all.ts';
import type { EngineName } from '../test/support/engines.ts';
import { SERVER_VARIABLE, startPostgres, type TestServer } from '../test/support/postgres.ts';
import type { SoakFailure, SoakMessage, SoakOrder, SoakProgress } from './soak-messages.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const engines = enginesOf(values.engine);
const isProperty = values.only === undefined || PROPERTIES.some(({ file }) => file === values.only);
if (!(minutes > 0) || !Number.isSafeInteger(seed) || engines.length === 0 || !isProperty) {
  console.error(
    'Usage: npm run soak -- [--minutes N] [--engine sqlite|postgres|both] [--seed S] [--only PROPERTY] [--json FILE]\n' +
      `A property is one of ${PROPERTIES.map(({ file }) => file).join(', ')}.`,
  );
  process.exit(2);
}
// An exit by process.exit stops the server too; without these a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const server = engines.includes('postgres') ? await startServer() : undefined;
console.log(`seed ${seed}, ${minutes} minutes, ${engines.join(' and ')}`);
const started = Date.now();
const progress = new Map<EngineName, SoakProgress>(engines.map(engine => [engine, nothingYet(engine)]));
const failures: SoakFailure[] = [];
const ticker = setInterval(() => engines.forEach(printLine), 60_000);
await Promise.all(engines.map(runWorker));
clearInterval(ticker);
if (server) await server.stop();

console.log('\nSummary');
engines.forEach(printLine);
for (const { engine, what, message } of failures) console.log(`- ${what} (${engine}): ${message.split('\n')[0]}`);
const summary = { seed, minutes: elapsed(), engines: [...progress.values()], failures };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

function enginesOf(name: string): EngineName[] {
  if (name === 'both') return ['sqlite', 'postgres'];
  return name === 'sqlite' || name === 'postgres' ? [name] : [];
}

async function startServer(): Promise<TestServer> {
  const started = await startPostgres();
  if (!('missing' in started)) return started;
  console.error(`There is no PostgreSQL server: ${started.missing}`);
  process.exit(2);
}

function nothingYet(engine: EngineName): SoakProgress {
  return { engine, ...noStatistics(), seeds: 0, kills: 0, failures: 0 };
}

/** Resolves when the worker has ended; that it did so otherwise than it should is a failure too. */
function runWorker(engine: EngineName): Promise<void> {
  const database = engine === 'postgres' ? server?.url : undefined;
  const order: SoakOrder = {
    engine,
    seed,
    minutes,
    ...(database !== undefined && { database }),
    ...(values.only !== undefined && { only: values.only }),
  };
  const worker = fork(join(import.meta.dirname, 'soak-worker.ts'), [JSON.stringify(order)], {
    env: { ...process.env, [SERVER_VARIABLE]: database ?? 'none' },
  });
  process.once('exit', () => worker.kill());
  worker.on('message', message => take(message as SoakMessage));
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code, signal) => {
      if (code !== 0) fail({ engine, what: 'worker', message: `it ended with ${signal ?? code}` });
      resolve();
    });
  });
}

function take(message: SoakMessage): void {
  if (message.kind === 'progress') progress.set(message.progress.engine, message.progress);
  else fail(message.failure);
}

function fail(failure: SoakFailure): void {
  failures.push(failure);
  console.log(`\nFAILURE of ${failure.what} (${failure.engine})\n${failure.message}\n`);
}

function printLine(engine: EngineName): void {
  const { seeds, cases, deliveries, restarts, kills, forks, deepestFork } = progress.get(engine) ?? nothingYet(engine);
  const failed = failures.filter(failure => failure.engine === engine).length;
  console.log(
    `${elapsed()} min ${engine}: ${seeds} seeds, ${cases} cases, ${deliveries} deliveries, ${restarts} restarts, ` +
      `${kills} kills, ${forks} forks, deepest ${deepestFork}, ${failed} failures`,
  );
}

function elapsed(): number {
  return Math.round((Date.now() - started) / 6_000) / 10;
}
