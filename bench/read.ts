import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStorage } from '../src/indexer/storage.ts';
import { type Load, load } from './load.ts';
import { scenarios } from './scenarios.ts';

/**
 * How many requests a second one process answers: `npm run bench -- read ARCHIVE`. Every page is asked for with random
 * entities over 16 connections; its ceiling is the same server returning a ready buffer of the same size, measured right after.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '..');
const archive = positionals[0] ?? join(root, 'examples/sample-chain.tsv.gz');
const seconds = Number(values.seconds);
const connections = Number(values.connections);

interface Result extends Load {
  readonly name: string;
  readonly production: number | undefined;
  readonly ceiling: number;
}

const HEAD = `${'page'.padEnd(34)}${'req/s'.padStart(8)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'body'.padStart(8)}${'of ceiling'.padStart(12)}${'x production'.padStart(14)}  answers`;

const directory = values.data ?? mkdtempSync(join(tmpdir(), 'stacks-bench-'));
const where = values.database === undefined ? ['--data', directory] : ['--database', values.database];
try {
  await finished(start('src/cli/bin.ts', ['replay', archive, ...where, '--chain-id', '0x80000000']));
  const results = await measureAll();
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ archive, connections, seconds, results }, null, 1)}\n`);
} finally {
  if (values.data === undefined) rmSync(directory, { recursive: true, force: true });
}

async function measureAll(): Promise<Result[]> {
  const storage = await openStorage({ data: directory, database: values.database, chainId: 0x80000000 });
  const pages = (await scenarios(storage.indexDb)).filter(({ name }) => name.includes(values.only));
  await storage.close();
  const port = await freePort();
  const options = ['--port', String(port), '--event-port', '0', '--chain-id', '0x80000000', '--log-level', 'warn'];
  const server = start('src/cli/bin.ts', ['serve', ...where, ...options]);
  const ceilingPort = await freePort();
  const ceilingServer = start('bench/ceiling.ts', [String(ceilingPort)]);
  try {
    await Promise.all([answers(port, '/extended'), answers(ceilingPort, '/1')]);
    const ceilings = new Map<number, number>();
    const ceilingOf = async (bytes: number): Promise<number> => {
      const size = 2 ** Math.round((Math.log2(Math.max(bytes, 64)) * 2) / 2);
      const known = ceilings.get(size);
      if (known !== undefined) return known;
      const { perSecond } = await load({ port: ceilingPort, connections, seconds, path: () => `/${size}` });
      ceilings.set(size, perSecond);
      return perSecond;
    };
    const results: Result[] = [];
    console.log(HEAD);
    for (const { name, production, paths } of pages) {
      const next = () => paths[Math.floor(Math.random() * paths.length)] as string;
      await load({ port, connections, seconds: seconds / 4, path: next });
      const measured = await load({ port, connections, seconds, path: next });
      const result = { name, production, ...measured, ceiling: await ceilingOf(measured.bodyBytes) };
      results.push(result);
      console.log(line(result));
    }
    console.log(await tipMatches(port));
    console.log(`memory of the server: ${Math.round(residentBytes(server) / 1e6)} MB`);
    return results;
  } finally {
    server.kill('SIGTERM');
    ceilingServer.kill('SIGKILL');
    await finished(server).catch(() => {});
  }
}

function line({ name, perSecond, p50, p99, bodyBytes, ceiling, production, statuses }: Result): string {
  const times = production === undefined ? '' : `${(perSecond / production).toFixed(1)}`;
  return (
    name.padEnd(34) +
    perSecond.toFixed(0).padStart(8) +
    p50.toFixed(2).padStart(9) +
    p99.toFixed(2).padStart(9) +
    bodyBytes.toFixed(0).padStart(8) +
    (perSecond / ceiling).toFixed(2).padStart(12) +
    times.padStart(14) +
    `  ${Object.entries(statuses)
      .map(([status, count]) => `${status}:${count}`)
      .join(' ')}`
  );
}

/** A client that has the newest page already: the answer is a 304 from memory. */
async function tipMatches(port: number): Promise<string> {
  const path = '/extended/v2/blocks?limit=20';
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
  const measured = await load({
    port,
    connections,
    seconds,
    path: () => path,
    headers: `If-None-Match: ${headers.get('etag')}\r\n`,
  });
  return line({ name: 'tip ETag hit', production: undefined, ...measured, ceiling: Number.NaN });
}

function start(file: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(root, file), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function finished(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))));
  });
}

async function answers(port: number, path: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}${path}`).then(
      response => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the server did not start');
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

const residentBytes = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
