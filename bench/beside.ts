/**
 * Compares another server of this API with this program, on the same chain: `npm run bench -- beside URL ARCHIVE`. This program loads the archive and serves it;
 * each page that both have is requested from both in turn. First requests (each URL once, one after the other) and repeated requests are measured separately.
 *
 *     --database URL     this program on PostgreSQL, in a schema that is removed again
 *     --own-pids PIDS    processes whose CPU counts for this program besides its own, such as its PostgreSQL server
 *     --pids PIDS        processes of the other server on this machine, with all their child processes: their CPU is compared too
 *     --only TEXT  --seconds S  --connections N  --json FILE
 */
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { type Generator, startGenerator } from './generator.ts';
import { failuresOf, measure } from './measure.ts';
import { freshPlace, type Place } from './place.ts';
import { type Program, replayInto, runningPrograms, startServer, untilAnswered } from './program.ts';
import { quantileOf, saveTables, type Table, TablePrinter } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { questionsOf } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    pids: { type: 'string', default: '' },
    'own-pids': { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const [url, archive] = positionals;
if (url === undefined || archive === undefined)
  throw new Error('beside needs the URL of a server, and the archive of its chain');
const other = new URL(url);
if (other.protocol !== 'http:') throw new Error('beside speaks http:// only, so that encryption does not count');

/** The number of requests of a page that are measured one by one. */
const FIRST = 20;
const RATIO = { digits: 2 } as const;

/** A server, and its use of CPU. */
interface Side {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The prefix of each path. */
  readonly base: string;
  readonly servers: readonly Pick<Program, 'cpuMicros'>[];
}

const pidsIn = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));

const place = await freshPlace(values.database);
const generator = startGenerator();
try {
  await replayInto(place.args, archive);
  await place.fillMetadata();
  saveTables(values.json, await compare(place));
} finally {
  generator.close();
  await place.remove();
}
process.exit(0);

async function compare(place: Place): Promise<Table[]> {
  const { pages, transactions } = await questionsOf(place);
  const port = await freePort();
  const server = startServer(place.args, { port });
  try {
    await untilAnswered(server, port, '/extended');
    const own = [server, runningPrograms(pidsIn(values['own-pids']))];
    const theirs = [runningPrograms(pidsIn(values.pids))];
    const sides: readonly [Side, Side] = [
      { name: 'this', host: '127.0.0.1', port, base: '', servers: values['own-pids'] === '' ? [server] : own },
      {
        name: 'other',
        host: other.hostname,
        port: Number(other.port || 80),
        base: other.pathname.replace(/\/$/, ''),
        servers: theirs,
      },
    ];
    const wanted = pages.filter(({ name, paths }) => name.includes(values.only) && paths.length > 0);
    const shared: Scenario[] = [];
    for (const page of wanted) if (await haveBoth(sides, page)) shared.push(page);
    const without = wanted.filter(page => !shared.includes(page)).map(({ name }) => name);
    const title = `${place.engine}, ${transactions} transactions`;
    const first = await compareFirst(`First requests (${title})`, sides, shared);
    const again = await compareAgain(`Rates (${title}, ${values.connections} connections)`, sides, shared, generator);
    if (without.length > 0) again.note(`Only one of them has these pages: ${without.join('; ')}.`);
    return [first.table, again.table];
  } finally {
    await server.stop();
  }
}

/** Whether both respond to a page with 200. */
async function haveBoth(sides: readonly Side[], { paths }: Scenario): Promise<boolean> {
  for (const side of sides) if ((await request(side, paths.at(-1) ?? '/')).status !== 200) return false;
  return true;
}

async function request({ host, port, base }: Side, path: string): Promise<{ status: number; milliseconds: number }> {
  const began = performance.now();
  const response = await fetch(`http://${host}:${port}${base}${path}`);
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - began };
}

/** Requests each URL once from each side, in turn. */
async function compareFirst(
  title: string,
  sides: readonly [Side, Side],
  pages: readonly Scenario[],
): Promise<TablePrinter> {
  const printer = new TablePrinter(title, [
    { key: 'page', title: 'page' },
    { key: 'own', title: 'this, ms', digits: 2 },
    { key: 'theirs', title: 'other, ms', digits: 2 },
    { key: 'ratio', title: 'other / this', ...RATIO },
  ]);
  const ratios: number[] = [];
  for (const page of pages) {
    const times: [number[], number[]] = [[], []];
    for (const path of page.paths.slice(0, FIRST))
      for (const [i, side] of sides.entries()) times[i]?.push((await request(side, path)).milliseconds);
    const [own, theirs] = [quantileOf(times[0], 0.5), quantileOf(times[1], 0.5)];
    ratios.push(theirs / own);
    printer.add({ page: page.name, own, theirs, ratio: theirs / own });
  }
  printer.note(
    `Median of the ratios: ${quantileOf(ratios, 0.5).toFixed(2)}, lowest ${quantileOf(ratios, 0).toFixed(2)}. A figure is the median of at most ${FIRST} URLs.`,
  );
  return printer;
}

/** Repeats the same requests over several connections. */
async function compareAgain(
  title: string,
  sides: readonly [Side, Side],
  pages: readonly Scenario[],
  generator: Generator,
): Promise<TablePrinter> {
  const printer = new TablePrinter(title, [
    { key: 'page', title: 'page' },
    ...['own', 'theirs'].flatMap((key, i) => [
      { key: `${key}Rate`, title: `${sides[i]?.name}, r/s` },
      { key: `${key}P99`, title: 'p99 ms', digits: 1 },
      { key: `${key}Cpu`, title: 'CPU us' },
    ]),
    { key: 'rateRatio', title: 'r/s ratio', ...RATIO },
    { key: 'p99Ratio', title: 'p99 ratio', ...RATIO },
    { key: 'cpuRatio', title: 'CPU ratio', ...RATIO },
    { key: 'failures', title: '' },
  ]);
  const ratios: Record<'rate' | 'cpu', number[]> = { rate: [], cpu: [] };
  for (const page of pages) {
    const run = async ({ host, port, base, servers }: Side) =>
      measure(generator, servers, {
        ...{ ports: [port], host, connections: Number(values.connections), seconds: Number(values.seconds) },
        paths: page.paths.map(path => base + path),
        cold: page.cold ?? false,
      });
    const [own, theirs] = [await run(sides[0]), await run(sides[1])];
    const row = {
      rateRatio: own.perSecond / theirs.perSecond,
      p99Ratio: theirs.p99 / own.p99,
      cpuRatio: theirs.cpuMicros / own.cpuMicros,
    };
    ratios.rate.push(row.rateRatio);
    ratios.cpu.push(row.cpuRatio);
    printer.add({
      page: page.name,
      ...{ ownRate: own.perSecond, ownP99: own.p99, ownCpu: own.cpuMicros },
      ...{ theirsRate: theirs.perSecond, theirsP99: theirs.p99, theirsCpu: theirs.cpuMicros },
      ...row,
      failures: failuresOf(own) ?? failuresOf(theirs),
    });
  }
  // Without --pids there is no CPU of the other server.
  const shown = (values: readonly number[]) => {
    const known = values.filter(Number.isFinite);
    return known.length === 0
      ? 'unknown'
      : `${quantileOf(known, 0.5).toFixed(2)} (lowest ${quantileOf(known, 0).toFixed(2)})`;
  };
  printer.note(
    `Medians: ${shown(ratios.rate)} times as many requests a second, ${shown(ratios.cpu)} times less CPU. A ratio above 1 is in favour of this program.`,
  );
  return printer;
}
