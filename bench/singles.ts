/**
 * Pages of one record, each requested once: `npm run bench -- singles ARCHIVE [--database URL] [--old DIR]`. Every page is requested for as many
 * different records as the chain has, up to `--ids`, over several connections. CPU is that of the API process, and of the PostgreSQL processes
 * of its connections; on SQLite a static response of the same size stands beside it.
 *
 *     --old DIR     another checkout of this program, measured in turn with this one
 *     --places A,B  directories or postgres:// URLs of existing indexes, in place of ARCHIVE: of this checkout, then of the other one
 *     --ids N  --rounds N  --connections N  --only TEXT  --json FILE
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { analyze, type Backends, openBackends } from './backends.ts';
import { type Load, startGenerator } from './generator.ts';
import { staticSize } from './goals.ts';
import { failuresOf } from './measure.ts';
import { freshPlace, type Place, placeThere } from './place.ts';
import { type Program, replayInto, startProgram, startServer, untilAnswered } from './program.ts';
import { quantileOf, saveTables, TablePrinter } from './report.ts';
import { readSingles, type Single } from './singles-pages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ids: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    old: { type: 'string' },
    places: { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const [most, rounds, connections] = [Number(values.ids), Number(values.rounds), Number(values.connections)];

/** Goals as multiples of CPU time: on SQLite of a static response, on PostgreSQL of the other checkout. */
const GOAL_OF_STATIC = 1.5;
const GOAL_OF_OLD = 0.5;
/** Requests to each server before all others, divided among the pages: a page alone compiles for 12,000. They repeat in turn where a chain is short. */
const WARM_UP = 18_000;
/** Static responses of a round at least. */
const STATIC_RESPONSES = 2000;
/** Seconds that a run may take at most. */
const LONGEST = 300;

/** A program that serves the chain, with the processes that work for it. */
interface Side {
  readonly place: Place;
  readonly server: Program;
  readonly port: number;
  readonly backends: Backends | undefined;
}

/** The cost of a request, in microseconds of CPU. */
interface Cost {
  readonly api: number;
  readonly database: number;
  readonly load: Load;
}

const sides: Side[] = [];
const generator = startGenerator();
try {
  for (const [i, checkout] of [join(import.meta.dirname, '..'), ...(values.old ? [values.old] : [])].entries())
    sides.push(await serve(checkout, await placeOf(checkout, i), `bench-singles-${i}`));
  const [first] = sides;
  if (first) await compare(first, await singlesOf(first.place));
} finally {
  generator.close();
  for (const { server, place, backends } of sides) {
    await server.stop();
    await backends?.close();
    await place.remove();
  }
}
process.exit(0);

async function placeOf(checkout: string, i: number): Promise<Place> {
  if (values.places !== undefined) return placeThere(values.places.split(',')[i] ?? '');
  const place = await freshPlace(values.database);
  await replayInto(place.args, archive, checkout);
  if (place.engine === 'postgres') await analyze(place);
  return place;
}

async function serve(checkout: string, place: Place, application: string): Promise<Side> {
  const port = await freePort();
  const named = place.args.map(arg => (arg.startsWith('postgres') ? `${arg}&application_name=${application}` : arg));
  const server = startServer(named, { port }, ['--mode', 'readonly'], checkout);
  await untilAnswered(server, port, '/extended');
  const backends = place.engine === 'postgres' ? await openBackends(place, application) : undefined;
  return { place, server, port, backends };
}

async function singlesOf(place: Place): Promise<Single[]> {
  const { indexDb, close } = await place.open();
  const all = await indexDb.read(queries => readSingles(queries, most));
  await close();
  return all.filter(({ name, paths }) => paths.length > 0 && name.includes(values.only));
}

async function compare(first: Side, singles: readonly Single[]): Promise<void> {
  const { engine } = first.place;
  const staticServer = engine === 'sqlite' ? await startStatic() : undefined;
  const ofPage = Math.ceil(WARM_UP / singles.length);
  for (const side of sides) for (const { paths } of singles) await run(side, repeated(paths, ofPage));
  if (staticServer) await run(staticServer, repeated(['/1024'], WARM_UP));
  const printer = new TablePrinter(`Pages of one record, each requested once (${engine}, ${connections} connections)`, [
    { key: 'page', title: 'page' },
    { key: 'records', title: 'records' },
    { key: 'bytes', title: 'body' },
    ...sides.flatMap((_, i) => [
      { key: `api${i}`, title: i === 0 ? 'API us' : 'old API us', digits: 1 },
      ...(first.backends ? [{ key: `database${i}`, title: i === 0 ? 'server us' : 'old server us', digits: 1 }] : []),
    ]),
    ...(sides.length > 1 ? [{ key: 'timesOld', title: 'x old', digits: 2 }] : []),
    ...(staticServer
      ? [
          { key: 'static', title: 'static us', digits: 1 },
          { key: 'timesStatic', title: 'x static', digits: 2 },
        ]
      : []),
    { key: 'failures', title: '' },
  ]);
  const times = { old: [] as number[], static: [] as number[] };
  for (const { name, paths } of singles) {
    const costs = sides.map((): Cost[] => []);
    const statics: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      const part = paths.filter((_, i) => i % rounds === round);
      for (const [i, side] of sides.entries()) costs[i]?.push(await run(side, part));
      const size = staticSize(bytesOf(costs[0]));
      if (staticServer)
        statics.push(await run(staticServer, repeated([`/${size}`], Math.max(part.length, STATIC_RESPONSES))));
    }
    const [own = NaN, old = NaN] = costs.map(all => mean(all, ({ api, database }) => api + database));
    const ofStatic = mean(statics, ({ api }) => api);
    if (sides.length > 1) times.old.push(own / old);
    if (staticServer) times.static.push(own / ofStatic);
    printer.add({
      page: name,
      records: paths.length,
      bytes: bytesOf(costs[0]),
      ...Object.fromEntries(
        costs.flatMap((all, i) => [
          [`api${i}`, mean(all, ({ api }) => api)],
          [`database${i}`, mean(all, ({ database }) => database)],
        ]),
      ),
      timesOld: own / old,
      static: ofStatic,
      timesStatic: own / ofStatic,
      failures:
        costs
          .flat()
          .map(({ load }) => failuresOf(load))
          .find(failure => failure !== null) ?? null,
    });
  }
  if (times.static.length > 0)
    printer.goal('a record on SQLite in static responses, most', quantileOf(times.static, 1), GOAL_OF_STATIC);
  if (times.old.length > 0)
    printer.goal(`a record on ${engine} in the older code, most`, quantileOf(times.old, 1), GOAL_OF_OLD);
  await staticServer?.server.stop();
  saveTables(values.json, [printer.table]);
}

async function startStatic(): Promise<Pick<Side, 'server' | 'port' | 'backends'>> {
  const [port, barePort] = [await freePort(), await freePort()];
  const server = startProgram('bench/ceiling.ts', [String(port), String(barePort)]);
  await untilAnswered(server, barePort, '/1');
  return { server, port, backends: undefined };
}

async function run(
  { server, port, backends }: Pick<Side, 'server' | 'port' | 'backends'>,
  paths: readonly string[],
): Promise<Cost> {
  const before = [server.cpuMicros(), (await backends?.cpuMicros()) ?? 0] as const;
  const load = await generator.run({ ports: [port], connections, seconds: LONGEST, paths, once: true });
  const after = [server.cpuMicros(), (await backends?.cpuMicros()) ?? 0] as const;
  return { load, api: (after[0] - before[0]) / load.requests, database: (after[1] - before[1]) / load.requests };
}

/** Repeats paths up to a length. */
function repeated(paths: readonly string[], length: number): string[] {
  return Array.from({ length }, (_, i) => paths[i % paths.length] ?? '');
}

function mean(costs: readonly Cost[], of: (cost: Cost) => number): number {
  const requests = costs.reduce((sum, { load }) => sum + load.requests, 0);
  return costs.reduce((sum, cost) => sum + of(cost) * cost.load.requests, 0) / requests;
}

function bytesOf(costs: readonly Cost[] = []): number {
  return mean(costs, ({ load }) => load.bodyBytes);
}
