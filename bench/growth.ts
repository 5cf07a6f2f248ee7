/**
 * Measures the same pages at several sizes of the chain: `npm run bench -- growth --archives SMALL,LARGE`. With one archive, parts of these sizes are cut
 * from it (`--sizes 10k,100k`); with `--chainsim DIR`, the folder of the simulator, archives of these sizes are generated.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { startGenerator } from './generator.ts';
import { type Ingested, ingestArchive } from './ingest-archive.ts';
import { failuresOf, measure } from './measure.ts';
import { freshPlace, type Place } from './place.ts';
import { startServer, untilAnswered } from './program.ts';
import { saveTables, type Table, TablePrinter } from './report.ts';
import { questionsOf } from './scenarios.ts';
import { temporaryDirectory } from './temporary.ts';

const { values } = parseArgs({
  options: {
    archives: { type: 'string', default: join(import.meta.dirname, '../examples/sample-chain.tsv.gz') },
    chainsim: { type: 'string' },
    sizes: { type: 'string' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

/** An archive, or its beginning. */
interface Chain {
  readonly archive: string;
  /** Transactions that are taken, at least; undefined: all. */
  readonly transactions?: number;
}

/** One page at one size. */
interface Figure {
  readonly p50: number;
  readonly cpuMicros: number;
  readonly failures: string | null;
}

/** The results for a chain of one size. */
interface Size {
  readonly engine: string;
  readonly ingested: Ingested;
  readonly pages: ReadonlyMap<string, Figure>;
  readonly residentBytes: number;
}

const made = temporaryDirectory();
try {
  const sizes: Size[] = [];
  for (const chain of chainsOf()) sizes.push(await sizeOf(chain));
  const { engine = '' } = sizes[0] ?? {};
  saveTables(values.json, [chainTable(engine, sizes), pageTable(engine, sizes)]);
} finally {
  made.remove();
}

function chainsOf(): Chain[] {
  const { chainsim } = values;
  const archives = values.archives.split(',');
  const wanted = (standard: string) => (values.sizes ?? standard).split(',').map(countOf);
  if (chainsim !== undefined)
    return wanted('10k,100k').map(transactions => ({ archive: simulate(chainsim, transactions) }));
  const [archive = ''] = archives;
  if (archives.length > 1) return archives.map(file => ({ archive: file }));
  return wanted(values.archives.includes('sample-chain') ? '200,900' : '10k,100k').map(transactions => ({
    archive,
    transactions,
  }));
}

/** `10k` is 10,000, `1m` is 1,000,000. */
function countOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([km]?)$/.exec(text) ?? [];
  const count = Number(digits) * ({ k: 1000, m: 1_000_000 }[unit] ?? 1);
  if (!(count > 0)) throw new Error(`--sizes ${text}: numbers such as 10k or 1m are expected`);
  return count;
}

function simulate(chainsim: string, transactions: number): string {
  const archive = join(made.path, `${transactions}.tsv`);
  const args = ['gen.mjs', '--scenario', 'scale', '--txs', String(transactions), '--out', archive];
  const { status } = spawnSync(process.execPath, args, { cwd: chainsim, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`the simulator ended with ${status}`);
  return archive;
}

async function sizeOf({ archive, transactions }: Chain): Promise<Size> {
  const place = await freshPlace(values.database);
  try {
    const ingested = await ingestArchive(archive, place, transactions);
    await place.fillMetadata();
    return { engine: place.engine, ingested, ...(await askAll(place)) };
  } finally {
    await place.remove();
  }
}

async function askAll(place: Place): Promise<Pick<Size, 'pages' | 'residentBytes'>> {
  const { pages: all } = await questionsOf(place);
  const asked = all.filter(({ name, paths }) => paths.length > 0 && name.includes(values.only));
  const port = await freePort();
  const server = startServer(place.args, { port });
  const generator = startGenerator();
  try {
    await untilAnswered(server, port, '/extended');
    const pages = new Map<string, Figure>();
    for (const { name, paths, cold = false } of asked) {
      const measured = await measure(generator, [server], { ports: [port], connections, seconds, paths, cold });
      pages.set(name, { p50: measured.p50, cpuMicros: measured.cpuMicros, failures: failuresOf(measured) });
    }
    return { pages, residentBytes: server.residentBytes() };
  } finally {
    generator.close();
    await server.stop();
  }
}

function chainTable(engine: string, sizes: readonly Size[]): Table {
  const printer = new TablePrinter(`Growth: the chain (${engine})`, [
    { key: 'what', title: 'what' },
    ...sizes.map(({ ingested }, i) => ({ key: `size${i}`, title: `${ingested.transactions} txs`, digits: 1 })),
    { key: 'ratio', title: 'last/first', digits: 2 },
  ]);
  const add = (what: string, figure: (size: Size) => number) => printer.add({ what, ...across(sizes.map(figure)) });
  add('index, bytes/tx', ({ ingested }) => ingested.bytes.index / ingested.transactions);
  add('journal, bytes/tx', ({ ingested }) => ingested.bytes.journal / ingested.transactions);
  add('ingest, tx/s', ({ ingested }) => ingested.whole.perSecond);
  add('ingest, first tenth, tx/s', ({ ingested }) => ingested.firstTenth.perSecond);
  add('ingest, last tenth, tx/s', ({ ingested }) => ingested.lastTenth.perSecond);
  add('ingest, first tenth, CPU us/tx', ({ ingested }) => ingested.firstTenth.cpuMicros);
  add('ingest, last tenth, CPU us/tx', ({ ingested }) => ingested.lastTenth.cpuMicros);
  add('ingest, most memory, MB', ({ ingested }) => ingested.maxResidentBytes / 1e6);
  add('server, memory, MB', ({ residentBytes }) => residentBytes / 1e6);
  return printer.table;
}

function pageTable(engine: string, sizes: readonly Size[]): Table {
  const counts = sizes.map(({ ingested }) => ingested.transactions);
  const printer = new TablePrinter(`Growth: pages (${engine}, ${connections} connections)`, [
    { key: 'page', title: 'page' },
    ...counts.map((count, i) => ({ key: `p50_${i}`, title: `ms ${count}`, digits: 2 })),
    { key: 'p50_ratio', title: 'last/first', digits: 2 },
    ...counts.map((count, i) => ({ key: `cpu_${i}`, title: `us ${count}` })),
    { key: 'cpu_ratio', title: 'last/first', digits: 2 },
    { key: 'failures', title: '' },
  ]);
  const names = new Set(sizes.flatMap(({ pages }) => [...pages.keys()]));
  for (const page of names) {
    const figures = sizes.map(({ pages }) => pages.get(page));
    printer.add({
      page,
      ...across(
        figures.map(figure => figure?.p50 ?? Number.NaN),
        'p50_',
      ),
      ...across(
        figures.map(figure => figure?.cpuMicros ?? Number.NaN),
        'cpu_',
      ),
      failures: figures.find(figure => figure?.failures)?.failures ?? null,
    });
  }
  printer.note('ms: p50 of a request; us: CPU of the server for one.');
  return printer.table;
}

/** The figures of all sizes, and the ratio of the last to the first. */
function across(figures: readonly number[], prefix = 'size'): Record<string, number> {
  const ratio = (figures.at(-1) ?? Number.NaN) / (figures[0] ?? Number.NaN);
  return {
    ...Object.fromEntries(figures.map((figure, i) => [`${prefix}${i}`, figure])),
    [prefix === 'size' ? 'ratio' : `${prefix}ratio`]: ratio,
  };
}
