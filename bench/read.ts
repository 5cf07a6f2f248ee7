/**
 * How many requests a second one process answers: `npm run bench -- read ARCHIVE`. Every page is asked for over 16 connections
 * by another process; its ceiling is the same server returning a ready buffer of the same size, measured in the same run.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { CLIENT_LIMIT, type Generator, startGenerator } from './generator.ts';
import { failuresOf, type Measured, measure } from './measure.ts';
import { freshPlace, type Place } from './place.ts';
import { type Program, replayInto, startProgram, startServer, untilAnswered } from './program.ts';
import { saveTables, TablePrinter } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { questionsOf } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const COLUMNS = [
  { key: 'page', title: 'page' },
  { key: 'perSecond', title: 'req/s' },
  { key: 'p50', title: 'p50 ms', digits: 2 },
  { key: 'p99', title: 'p99 ms', digits: 2 },
  { key: 'cpuMicros', title: 'CPU us/req' },
  { key: 'bodyBytes', title: 'body' },
  { key: 'ofCeiling', title: 'of ceiling', digits: 2 },
  { key: 'timesProduction', title: 'x production', digits: 1 },
  { key: 'client', title: 'client-bound' },
  { key: 'failures', title: '' },
];

const place = await freshPlace(values.database);
try {
  await replayInto(place.args, archive);
  await place.fillMetadata();
  await measureAll(place);
} finally {
  await place.remove();
}

async function measureAll(place: Place): Promise<void> {
  const { pages: all, transactions } = await questionsOf(place);
  const wanted = all.filter(({ name }) => name.includes(values.only));
  const pages = wanted.filter(({ paths }) => paths.length > 0);
  const [port, ceilingPort] = [await freePort(), await freePort()];
  const server = startServer(place.args, { port });
  const ceilingServer = startProgram('bench/ceiling.ts', [String(ceilingPort)]);
  const generator = startGenerator();
  try {
    await untilAnswered(server, port, '/extended');
    await untilAnswered(ceilingServer, ceilingPort, '/1');
    const ceilingOf = ceilings(generator, ceilingPort);
    const printer = new TablePrinter(
      `Pages (${place.engine}, ${transactions} transactions, ${connections} connections)`,
      COLUMNS,
    );
    // What the first tens of thousands of requests take is compiling: a page in the middle of the others shows what it takes for long.
    for (const page of pages)
      await measure(generator, [], { ...page, ports: [port], connections, seconds: seconds / 2 });
    for (const page of pages) printer.add(await measurePage(page, { generator, server, port, ceilingOf }));
    printer.add(await tipMatches({ generator, server, port, ceilingOf }));
    const without = wanted.filter(page => !pages.includes(page)).map(({ name }) => name);
    if (without.length > 0) printer.note(`Not in this archive: ${without.join('; ')}.`);
    printer.note(`Memory of the server: ${Math.round(server.residentBytes() / 1e6)} MB.`);
    saveTables(values.json, [printer.table]);
  } finally {
    generator.close();
    await Promise.all([server.stop(), ceilingServer.stop()]);
  }
}

interface Bench {
  readonly generator: Generator;
  readonly server: Program;
  readonly port: number;
  readonly ceilingOf: (bytes: number) => Promise<number>;
}

async function measurePage({ name, production, paths, cold = false }: Scenario, bench: Bench) {
  const { generator, server, port, ceilingOf } = bench;
  const measured = await measure(generator, [server], { ports: [port], connections, seconds, paths, cold });
  return {
    ...rowOf(name, measured),
    ofCeiling: measured.perSecond / (await ceilingOf(measured.bodyBytes)),
    timesProduction: production === undefined ? null : measured.perSecond / production,
    failures: failuresOf(measured),
  };
}

/** A client that has the newest page already: the answer is a 304 from memory. */
async function tipMatches({ generator, server, port }: Bench) {
  const path = '/extended/v2/blocks?limit=20';
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
  const measured = await measure(generator, [server], {
    ...{ ports: [port], connections, seconds, paths: [path] },
    headers: `If-None-Match: ${headers.get('etag')}\r\n`,
  });
  return { ...rowOf('tip ETag hit (304)', measured), failures: failuresOf(measured, '304') };
}

function rowOf(page: string, { perSecond, p50, p99, cpuMicros, bodyBytes, clientShare }: Measured) {
  return { page, perSecond, p50, p99, cpuMicros, bodyBytes, client: clientShare > CLIENT_LIMIT ? 'yes' : null };
}

/** Requests a second for a ready buffer of nearly this size (within 9%), measured once for each size. */
function ceilings(generator: Generator, port: number): (bytes: number) => Promise<number> {
  const known = new Map<number, number>();
  return async bytes => {
    const size = Math.round(2 ** (Math.round(Math.log2(Math.max(bytes, 2)) * 4) / 4));
    const { perSecond } = known.has(size)
      ? { perSecond: known.get(size) ?? Number.NaN }
      : await generator.run({ ports: [port], connections, seconds, paths: [`/${size}`] });
    known.set(size, perSecond);
    return perSecond;
  };
}
