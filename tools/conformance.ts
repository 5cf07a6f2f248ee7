/**
 * Replays every recorded chain into a fresh index, serves it, and compares the responses with its two recordings, that of the first 23 routes
 * and that of all others: on SQLite, on PostgreSQL, and from an API node that reads a streaming replica. Needs the reference material
 * (STACKS_SHARED, or ../shared beside the checkout).
 *
 *   npm run conformance -- [--only CHAIN] [--engine sqlite|postgres|replica] [--recording endpoints|siblings] [--routes TEXT,...] [--show N]
 *                          [--by post|post-twice]
 *
 * `--routes getBlockV2,/tx/multiple` takes the routes whose name in the report has one of these texts in it.
 * `--by post` delivers every event to the event server of a running process, as a node does, in place of a replay;
 * `post-twice` each of them twice in a row, and then the whole archive once more.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startPostgres } from '../test/support/postgres.ts';
import { RECORDED_ARCHIVES } from '../test/support/recording.ts';
import { REFERENCE } from '../test/support/reference-material.ts';
import { startReplicatedPostgres } from '../test/support/replicated-postgres.ts';
import { compareEndpoints } from './conformance/endpoints.ts';
import { caughtUp, postAll, run, startServer, untilReady } from './conformance/server.ts';
import { compareSiblings } from './conformance/siblings.ts';
import type { Comparison } from './conformance/tally.ts';

const shared = REFERENCE;
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

const routes = option('routes')?.split(',') ?? [''];
const recordings = [
  { name: 'endpoints', compare: compareEndpoints },
  { name: 'siblings', compare: compareSiblings },
].filter(({ name }) => (option('recording') ?? name) === name);
const show = Number(option('show') ?? 3);
const by = option('by');

const MAINNET = ['mainnet-genesis', 'mainnet-reorg'];
const CHAINS = [...RECORDED_ARCHIVES, 'sim-sample'];

if (!existsSync(join(shared, 'tools/conformance.mjs'))) {
  console.log(`conformance: SKIPPED, there is no reference material at ${shared}`);
  process.exit(0);
}

type Engine = 'sqlite' | 'postgres' | 'replica';
// A read-only node takes no events.
const all: readonly Engine[] = by === undefined ? ['sqlite', 'postgres', 'replica'] : ['sqlite', 'postgres'];
const engines = all.filter(engine => (option('engine') ?? engine) === engine);
const postgres = engines.includes('postgres') ? await startPostgres() : undefined;
const replicated = engines.includes('replica') ? await startReplicatedPostgres() : undefined;
for (const server of [postgres, replicated]) {
  if (!server || !('missing' in server)) continue;
  console.error(`conformance: PostgreSQL is missing: ${server.missing}`);
  process.exit(1);
}
const chains = CHAINS.filter(name => (option('only') ?? name) === name);
let failed = 0;
let passed = 0;
try {
  for (const engine of engines) for (const chain of chains) await check(chain, engine);
} finally {
  for (const server of [postgres, replicated]) if (server && 'stop' in server) await server.stop();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function check(chain: string, engine: Engine): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-conformance-'));
  const chainId = MAINNET.includes(chain) ? '0x00000001' : '0x80000000';
  const { place, reading } = placeOf(engine, chain, directory);
  const common = [...place, '--chain-id', chainId, '--log-level', 'error'];
  try {
    const archive = join(shared, 'data', `${chain}.tsv.gz`);
    if (by === undefined) run('replay', archive, ...common);
    const port = await freePort();
    const eventPort = by === undefined ? 0 : await freePort();
    const server = startServer([...common, ...reading, '--port', String(port), '--event-port', String(eventPort)]);
    const ended = new Promise(resolve => server.once('exit', resolve));
    try {
      await untilReady(port, server);
      if (by !== undefined) await postAll(archive, eventPort, { twice: by === 'post-twice' });
      await caughtUp(port);
      for (const { name, compare } of recordings)
        report(`${chain} ${name} on ${engine}`, await compare({ shared, chain, port, directory }));
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Options of the command line: where the index is, and how it is read. */
function placeOf(engine: Engine, chain: string, directory: string): { place: string[]; reading: string[] } {
  const schema = `?schema=conformance_${chain.replaceAll('-', '_')}`;
  if (engine === 'postgres' && postgres && 'url' in postgres)
    return { place: ['--database', postgres.url + schema], reading: [] };
  if (engine === 'replica' && replicated && 'replica' in replicated) {
    const { primary, replica } = replicated;
    return {
      place: ['--database', primary.url + schema],
      reading: ['--mode', 'readonly', '--read-database', replica.url],
    };
  }
  return { place: ['--data', join(directory, 'data')], reading: [] };
}

function report(what: string, { tally, corrected }: Comparison): void {
  const rows = Object.entries(tally).filter(([name]) => routes.some(text => name.includes(text)));
  const equal = rows.reduce((sum, [, row]) => sum + row.equal, 0);
  const requests = rows.reduce((sum, [, row]) => sum + row.requests, 0);
  passed += equal;
  failed += requests - equal;
  const notes = Object.entries(corrected).flatMap(([reason, count]) => (count > 0 ? [`${count} ${reason}`] : []));
  console.log(
    `${equal === requests ? 'ok  ' : 'FAIL'} ${what}: ${equal}/${requests}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
  );
  for (const [name, row] of rows) {
    if (row.failures.length > 0) console.log(`     ${name}: ${row.equal}/${row.requests}`);
    for (const { path, why } of row.failures.slice(0, show))
      console.log(`       ${path.slice(0, 160)}\n          ${why.slice(0, 300)}`);
  }
}
