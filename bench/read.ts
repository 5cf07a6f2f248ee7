/**
 * Measures the requests a second of one process, and their cost: `npm run bench -- read ARCHIVE`. Another process requests every page over 16 connections. For
 * comparison, a ready buffer of the same size (ceiling.ts) is measured in the same run. Goal: a page of one record takes at most twice its CPU time, a list at
 * most four times.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { CLIENT_LIMIT, type Generator, startGenerator } from './generator.ts';
import { goalOf, recordsOf, staticSize, verdict } from './goals.ts';
import { failuresOf, type Measured, measure } from './measure.ts';
import { freshPlace, type Place } from './place.ts';
import { type Program, replayInto, startProgram, startServer, untilAnswered } from './program.ts';
import { saveTables, type Table, TablePrinter } from './report.ts';
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
  { key: 'records', title: 'records' },
  { key: 'timesStatic', title: 'x static', digits: 2 },
  { key: 'timesBare', title: 'x bare', digits: 2 },
  { key: 'goal', title: 'goal' },
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
  const [port, staticPort, barePort] = [await freePort(), await freePort(), await freePort()];
  const server = startServer(place.args, { port });
  const ceilingServer = startProgram('bench/ceiling.ts', [String(staticPort), String(barePort)]);
  const generator = startGenerator();
  try {
    await untilAnswered(server, port, '/extended');
    await untilAnswered(ceilingServer, barePort, '/1');
    const staticCost = ceilings(generator, ceilingServer, staticPort);
    const bareCost = ceilings(generator, ceilingServer, barePort);
    const bench: Bench = { generator, server, port, staticCost, bareCost };
    const printer = new TablePrinter(
      `Pages (${place.engine}, ${transactions} transactions, ${connections} connections)`,
      COLUMNS,
    );
    // The first tens of thousands of requests mostly measure compilation, so every page is requested before the measurement.
    for (const page of pages)
      await measure(generator, [], { ...page, ports: [port], connections, seconds: seconds / 2 });
    const rows = [];
    for (const page of pages) {
      const row = await measurePage(page, bench);
      printer.add(row);
      rows.push(row);
    }
    printer.add(await tipMatches(bench));
    const without = wanted.filter(page => !pages.includes(page)).map(({ name }) => name);
    if (without.length > 0) printer.note(`Not in this archive: ${without.join('; ')}.`);
    printer.note(`Memory of the server: ${Math.round(server.residentBytes() / 1e6)} MB.`);
    saveTables(values.json, [printer.table, beyondGoal(rows)]);
  } finally {
    generator.close();
    await Promise.all([server.stop(), ceilingServer.stop()]);
  }
}

interface Bench {
  readonly generator: Generator;
  readonly server: Program;
  readonly port: number;
  /** Microseconds of CPU of a ready buffer of this size: sent by a server like the API's, and by a bare one. */
  readonly staticCost: (bytes: number) => Promise<number>;
  readonly bareCost: (bytes: number) => Promise<number>;
}

type Row = Awaited<ReturnType<typeof measurePage>>;

async function measurePage({ name, production, paths, cold = false }: Scenario, bench: Bench) {
  const { generator, server, port, staticCost, bareCost } = bench;
  const measured = await measure(generator, [server], { ports: [port], connections, seconds, paths, cold });
  const records = await recordsOf(port, paths);
  const timesStatic = measured.cpuMicros / (await staticCost(measured.bodyBytes));
  return {
    ...rowOf(name, measured),
    records: records ?? 1,
    timesStatic,
    timesBare: measured.cpuMicros / (await bareCost(measured.bodyBytes)),
    goal: verdict(timesStatic, goalOf(records)),
    timesProduction: production === undefined ? null : measured.perSecond / production,
    failures: failuresOf(measured),
  };
}

/** The pages that cost more than their goal, the worst first. */
function beyondGoal(rows: readonly Row[]): Table {
  const beyond = rows.filter(({ goal }) => goal.startsWith('ABOVE'));
  const printer = new TablePrinter(
    `Above the goal: ${beyond.length} of ${rows.length} pages (${place.engine})`,
    COLUMNS.filter(({ key }) => ['page', 'cpuMicros', 'bodyBytes', 'records', 'timesStatic', 'goal'].includes(key)),
  );
  const excess = ({ timesStatic, goal }: Row) => timesStatic / Number(goal.split(' ')[1]);
  for (const row of beyond.toSorted((one, other) => excess(other) - excess(one))) printer.add(row);
  return printer.table;
}

/** Measures a client that already has the newest page: the response is a 304 from memory. */
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

/** Microseconds of CPU of a ready buffer of nearly this size (within 9%), measured once for each size. */
function ceilings(generator: Generator, server: Program, port: number): (bytes: number) => Promise<number> {
  const known = new Map<number, number>();
  return async bytes => {
    const size = staticSize(bytes);
    const cpuMicros =
      known.get(size) ??
      (await measure(generator, [server], { ports: [port], connections, seconds, paths: [`/${size}`] })).cpuMicros;
    known.set(size, cpuMicros);
    return cpuMicros;
  };
}
