import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readArchive } from '../src/node/archive/read.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { RECORDED_ARCHIVES, readRecording } from '../test/support/recording.ts';
import { startReplicatedPostgres } from '../test/support/replicated-postgres.ts';
import { correctPending } from './recorded-pending.ts';
import { withRefusals } from './recorded-refusals.ts';
import { withTrueTotals } from './recorded-totals.ts';
import { equalHeights, equalPlaces, isDelegationAsLock, isOrphanedRow, withoutClock } from './recorded-wrong.ts';
import { byRoute, ROUTE_OF_CODE } from './recording-codes.ts';

/**
 * Replays every recorded chain into a fresh index, serves it, and compares the answers with the recording: on SQLite, on
 * PostgreSQL, and from an API node that reads a streaming replica. Needs the reference material (STACKS_SHARED, or ../shared beside the checkout).
 *
 *   npm run conformance -- [--only NAME] [--engine sqlite|postgres|replica] [--routes getBlock,...] [--show N] [--by post|post-twice]
 *
 * `--by post` delivers every event to the event server of a running process, as a node does, in place of a replay;
 * `post-twice` each of them twice in a row, and then the whole archive once more.
 */
const root = new URL('..', import.meta.url).pathname;
const shared = process.env.STACKS_SHARED ?? join(root, '../shared');
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

const routes = option('routes')?.split(',') ?? Object.values(ROUTE_OF_CODE).filter(name => name !== 'getNftMetadata');
const show = Number(option('show') ?? 3);
const by = option('by');

const MAINNET = ['mainnet-genesis', 'mainnet-reorg'];
const CHAINS = [...RECORDED_ARCHIVES, 'sim-sample'];

interface Tally {
  requests: number;
  equal: number;
  failures: { path: string; why: string }[];
}

if (!existsSync(join(shared, 'tools/conformance.mjs'))) {
  console.log(`conformance: SKIPPED, there is no reference material at ${shared}`);
  process.exit(0);
}

type Engine = 'sqlite' | 'postgres' | 'replica';
// A node that only answers takes no events.
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
    const port = 20000 + Math.floor(Math.random() * 20000);
    const eventPort = by === undefined ? 0 : port + 1;
    const server = spawn(
      join(root, 'bin/stacks-index'),
      ['serve', ...common, ...reading, '--port', String(port), '--event-port', String(eventPort)],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    try {
      await answering(port, server);
      if (by !== undefined) await postAll(archive, eventPort, by === 'post-twice');
      await caughtUp(port);
      report(chain, engine, await compare(chain, port, directory));
    } finally {
      server.kill('SIGTERM');
      await new Promise(resolve => server.once('exit', resolve));
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

function run(...args: string[]): void {
  const done = spawnSync(join(root, 'bin/stacks-index'), args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`stacks-index ${args.join(' ')} ended with ${done.status}:\n${done.stderr}`);
}

async function answering(port: number, server: ChildProcess): Promise<void> {
  // A busy machine takes long to start a process; one that has ended is not waited for.
  for (let tries = 0; tries < 6_000; tries++) {
    if (server.exitCode !== null) throw new Error('the server ended');
    const up = await fetch(`http://127.0.0.1:${port}/extended`).then(
      response => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the server does not answer');
}

async function postAll(archive: string, eventPort: number, twice: boolean): Promise<void> {
  const post = async (path: string, body: Uint8Array) => {
    const response = await fetch(`http://127.0.0.1:${eventPort}${path}`, { method: 'POST', body: Buffer.from(body) });
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  };
  for (let round = 0; round < (twice ? 2 : 1); round++) {
    for await (const row of readArchive(archive)) {
      if (row.kind === 'bad') throw new Error(`${archive}:${row.line}: ${row.reason}`);
      await post(row.path, row.body);
      if (twice && round === 0) await post(row.path, row.body);
    }
  }
}

/** Waits until everything that was delivered is in the index. */
async function caughtUp(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const status = (await (await fetch(`http://127.0.0.1:${port}/extended`)).json()) as { lag?: number };
    if (status.lag === 0) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the index does not catch up');
}

async function compare(chain: string, port: number, directory: string): Promise<Comparison> {
  const out = join(directory, 'report.json');
  const recording = join(shared, 'golden', `${chain}.jsonl.gz`);
  const copy = join(directory, 'recording.jsonl.gz');
  const clock = withoutClock(recording, copy);
  const pending = correctPending(copy);
  const refusals = correct(copy, withRefusals);
  const totals = correct(copy, withTrueTotals);
  const tool = join(shared, 'tools/conformance.mjs');
  const child = spawn(process.execPath, [tool, `http://127.0.0.1:${port}`, copy, '--json', out], { stdio: 'ignore' });
  await new Promise(resolve => child.once('exit', resolve));
  const tally = byRoute(JSON.parse(readFileSync(out, 'utf8')) as Record<string, Tally>);
  const order =
    (await settleOrder(tally.getBlockByBurnBlockHash, recording, copy, port)) +
    (await settleOrder(tally.searchById, recording, copy, port)) +
    (await settleContracts(tally.getContractsByTrait, copy, port));
  const orphans = await settleOrphans(tally.searchById, join(shared, 'data', `${chain}.tsv.gz`), copy, port);
  const delegations = await settleLocks(tally.searchById, recording, copy, port);
  return { tally, clock, order, pending, orphans, delegations, totals, refusals };
}

/** Corrects a copy of a recording in place. @returns how many answers were corrected */
function correct(copy: string, correction: typeof withTrueTotals): number {
  const { answers, changed } = correction(readRecording(copy));
  const text = answers.map(answer => JSON.stringify(answer)).join('\n');
  writeFileSync(copy, gzipSync(`${text}\n`, { level: 1 }));
  return changed;
}

interface Comparison {
  readonly tally: Record<string, Tally>;
  /** Answers compared with the time of the chain in place of the recording's clock. */
  readonly clock: number;
  /** Answers that differ in the order of equals only. */
  readonly order: number;
  /** Answers compared without transactions that the recording lists as pending and shows as mined. */
  readonly pending: number;
  /** Answers that show the canonical row of a transaction where the recording shows an orphaned one. */
  readonly orphans: number;
  /** Addresses without a lock where the recording takes a delegation for one. */
  readonly delegations: number;
  /** Answers compared with the length of the list as `total`, or with an empty page of an empty block. */
  readonly totals: number;
  /** Requests that must be refused where the recording ignores what they ask for. */
  readonly refusals: number;
}

/** The list of transaction ids of a block, as getBlockByBurnBlockHash serves it or searchById in its metadata. */
interface WithTxs {
  readonly txs?: string[];
  readonly result?: { readonly metadata?: { readonly txs?: string[] } };
}

/** Takes out of the failures of getBlockByBurnBlockHash or searchById what differs in the order of equals only. @returns how many */
function settleOrder(row: Tally | undefined, recording: string, copy: string, port: number): Promise<number> {
  return settle(row, /^(\.result\.metadata)?\.txs\[/, async path => {
    const recorded = recordedBody(copy, path) as WithTxs;
    const body = (await answerOf(port, path)) as WithTxs;
    const [recordedTxs, txs] = [recorded, body].map(({ txs, result }) => txs ?? result?.metadata?.txs ?? []);
    if (!recordedTxs || !txs || !equalPlaces(recording, recordedTxs, txs)) return false;
    txs.splice(0, txs.length, ...recordedTxs);
    return isDeepStrictEqual(recorded, body);
  });
}

/** Takes out of the failures of searchById those that show an orphaned row in the recording. @returns how many */
function settleContracts(row: Tally | undefined, copy: string, port: number): Promise<number> {
  type Page = { readonly results: Parameters<typeof equalHeights>[0] };
  return settle(row, /^\.results\[/, async path => {
    const recorded = recordedBody(copy, path) as Page;
    const answer = (await answerOf(port, path)) as Page;
    return equalHeights(recorded.results, answer.results);
  });
}

function settleOrphans(row: Tally | undefined, archive: string, copy: string, port: number): Promise<number> {
  return settle(row, /^\.result\.tx_data\./, async path => {
    const [recorded, withMetadata] = [recordedBody(copy, path), recordedBody(copy, `${path}?include_metadata=true`)];
    return isOrphanedRow(archive, recorded, withMetadata, await answerOf(port, path));
  });
}

/** Takes out of the failures of searchById those of addresses whose recorded lock is a delegation. @returns how many */
function settleLocks(row: Tally | undefined, recording: string, copy: string, port: number): Promise<number> {
  return settle(row, /^\.result\.metadata\.lock/, async path =>
    isDelegationAsLock(recording, recordedBody(copy, path), await answerOf(port, path)),
  );
}

async function settle(
  row: Tally | undefined,
  suspect: RegExp,
  isExplained: (path: string) => Promise<boolean>,
): Promise<number> {
  if (!row) return 0;
  const settled = new Set<string>();
  for (const { path } of row.failures.filter(({ why }) => suspect.test(why))) {
    if (await isExplained(path)) settled.add(path);
  }
  row.failures = row.failures.filter(({ path }) => !settled.has(path));
  row.equal += settled.size;
  return settled.size;
}

function recordedBody(copy: string, path: string): unknown {
  return readRecording(copy).find(answer => answer.path === path)?.body;
}

async function answerOf(port: number, path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
}

function report(
  chain: string,
  engine: string,
  { tally, clock, order, pending, orphans, delegations, totals, refusals }: Comparison,
): void {
  const rows = routes.map(name => [name, tally[name]] as const).filter(row => row[1] !== undefined);
  const equal = rows.reduce((sum, [, row]) => sum + (row?.equal ?? 0), 0);
  const requests = rows.reduce((sum, [, row]) => sum + (row?.requests ?? 0), 0);
  passed += equal;
  failed += requests - equal;
  const notes = [
    clock > 0 && `${clock} recorded by the clock`,
    order > 0 && `${order} in another order of equals`,
    pending > 0 && `${pending} with mined transactions as pending`,
    orphans > 0 && `${orphans} of an orphaned row`,
    refusals > 0 && `${refusals} to be refused`,
    totals > 0 && `${totals} with another total than they list`,
    delegations > 0 && `${delegations} with a delegation as lock`,
  ].filter(Boolean);
  console.log(
    `${equal === requests ? 'ok  ' : 'FAIL'} ${chain} on ${engine}: ${equal}/${requests}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
  );
  for (const [name, row] of rows) {
    for (const { path, why } of row?.failures.slice(0, show) ?? []) {
      console.log(`     ${name} ${path.slice(0, 160)}\n        ${why.slice(0, 300)}`);
    }
  }
}
