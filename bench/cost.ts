/**
 * Compares the cost of each page with a static response of its size: `npm run bench -- cost ARCHIVE [--database URL]`. Server and client are one process that
 * sends requests in batches (batches.ts): on a busy machine this is more exact than two processes. With a database, SQLite and PostgreSQL are measured in
 * turn, page by page.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyze, type Backends, openBackends } from './backends.ts';
import { openBatches } from './batches.ts';
import { goalOf, recordsOf, staticSize, verdict } from './goals.ts';
import { nextPath } from './load.ts';
import { freshPlace, type Place } from './place.ts';
import { quantileOf, saveTables, TablePrinter } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { type Served, serveArchive } from './served.ts';
import { createStaticServer } from './static-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** For each page on each engine. */
    seconds: { type: 'string', default: '0.5' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const seconds = Number(values.seconds);

const COLUMNS = [
  { key: 'page', title: 'page' },
  { key: 'bodyBytes', title: 'body' },
  { key: 'records', title: 'records' },
  { key: 'staticMicros', title: 'static us', digits: 1 },
  { key: 'sqlite', title: 'SQLite us', digits: 1 },
  { key: 'timesStatic', title: 'x static', digits: 2 },
  { key: 'goal', title: 'goal' },
];
const POSTGRES_COLUMNS = [
  { key: 'postgres', title: 'PostgreSQL us', digits: 1 },
  { key: 'server', title: 'its server us', digits: 1 },
  { key: 'timesSqlite', title: 'x SQLite', digits: 2 },
];
const FAILURES = { key: 'failures', title: '' };

/** PostgreSQL should reach half of SQLite's rate. */
const GOAL_OF_POSTGRES = 2;

const served: Served[] = [];
const batches = openBatches();
const statics = createStaticServer();
try {
  for (const database of values.database === undefined ? [undefined] : [undefined, values.database])
    served.push(await serve(await freshPlace(database)));
  await measureAll();
} finally {
  batches.close();
  await statics.close();
  for (const { running, place } of served) {
    await running.close();
    await place.remove();
  }
}
process.exit(0);

function serve(place: Place): Promise<Served> {
  return serveArchive(place, archive, async () => {
    if (place.engine === 'postgres') await analyze(place);
  });
}

async function measureAll(): Promise<void> {
  const [sqlite, postgres] = served;
  if (sqlite === undefined) return;
  const staticPort = Number(new URL(await statics.listen({ host: '127.0.0.1', port: 0 })).port);
  const pages = sqlite.pages.filter(({ name, paths }) => paths.length > 0 && name.includes(values.only));
  const backends = postgres && (await openBackends(postgres.place));
  const staticCosts = new Map<number, number>();
  const staticCost = async (bytes: number): Promise<number> => {
    const size = staticSize(bytes);
    const cost = staticCosts.get(size) ?? (await batches.measure(staticPort, () => `/${size}`, seconds)).cpuMicros;
    staticCosts.set(size, cost);
    return cost;
  };
  // The first tens of thousands of requests mostly measure compilation, so these warm up.
  for (const scenario of pages) for (const one of served) await measure(one, scenario, seconds / 4);
  for (let turn = 0; turn < 8; turn++) await batches.measure(staticPort, () => '/1024', seconds);
  const printer = new TablePrinter(
    `Pages beside a static response (${sqlite.transactions} transactions, one process)`,
    [...COLUMNS, ...(postgres ? POSTGRES_COLUMNS : []), FAILURES],
  );
  const ratios: number[] = [];
  const times = { one: [] as number[], list: [] as number[] };
  for (const scenario of pages) {
    const records = await recordsOf(sqlite.running.apiPort, scenario.paths);
    const cost = await measure(sqlite, scenario, seconds);
    const staticMicros = await staticCost(cost.bodyBytes);
    const timesStatic = cost.cpuMicros / staticMicros;
    times[records === undefined ? 'one' : 'list'].push(timesStatic);
    const other = postgres && (await measure(postgres, scenario, seconds, backends));
    const timesSqlite = other && other.cpuMicros / cost.cpuMicros;
    if (timesSqlite !== undefined) ratios.push(timesSqlite);
    printer.add({
      page: scenario.name,
      bodyBytes: cost.bodyBytes,
      records: records ?? 1,
      staticMicros,
      sqlite: cost.cpuMicros,
      timesStatic,
      goal: verdict(timesStatic, goalOf(records)),
      postgres: other?.cpuMicros ?? null,
      server: other?.serverMicros ?? null,
      timesSqlite: timesSqlite ?? null,
      failures: cost.failures + (other?.failures ?? 0) > 0 ? '!! not all are 200' : null,
    });
  }
  printer.note('us: CPU of the process for a request, without its client.');
  goal(printer, 'CPU of a page of one record, in static responses', times.one, goalOf(undefined));
  goal(printer, 'CPU of a list, in static responses', times.list, goalOf(0));
  if (ratios.length > 0) goal(printer, "CPU of a page on PostgreSQL, in SQLite's", ratios, GOAL_OF_POSTGRES);
  await backends?.close();
  saveTables(values.json, [printer.table]);
}

/** The median, and the figure below which nine in ten pages are. */
function goal(printer: TablePrinter, what: string, figures: readonly number[], most: number): void {
  const met = figures.filter(figure => figure <= most).length;
  printer.note(`${what}: at most ${most} on ${met} of ${figures.length} pages.`);
  printer.goal(`${what}: median`, quantileOf(figures, 0.5), most);
  printer.goal(`${what}: of nine in ten`, quantileOf(figures, 0.9), most);
}

async function measure({ running, pages }: Served, { name }: Scenario, seconds: number, backends?: Backends) {
  const { paths, cold = false } = pages.find(page => page.name === name) as Scenario;
  const before = (await backends?.cpuMicros()) ?? 0;
  const cost = await batches.measure(running.apiPort, () => nextPath({ paths, cold }), seconds);
  const after = (await backends?.cpuMicros()) ?? Number.NaN;
  return { ...cost, serverMicros: (after - before) / cost.requests };
}
