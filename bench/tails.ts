/**
 * Measures how large blocks delay readers: `npm run bench -- tails [--database URL]`. Blocks of 200 transactions are posted every two seconds while 16
 * connections read a page. Goal: p99 is at most three times p50, or 1.5 times the p99/p50 of a static response under the same load, whichever is more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BuiltBlock, ChainBuilder } from '../test/support/chain-builder.ts';
import { freePort } from '../test/support/postgres.ts';
import { type Load, startGenerator } from './generator.ts';
import type { LoadRequest } from './load.ts';
import { freshPlace, type Place } from './place.ts';
import { type Program, startProgram, startServer, untilAnswered } from './program.ts';
import { saveTables, TablePrinter } from './report.ts';
import { questionsOf } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    /** Milliseconds from one block to the next. */
    interval: { type: 'string', default: '2000' },
    transactions: { type: 'string', default: '200' },
    /** The number of blocks before the measurement, and while each page is read. */
    before: { type: 'string', default: '30' },
    blocks: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const connections = Number(values.connections);

const PAGES = [
  'getBlockV2',
  'getTransactionByIdV1',
  'getTransactionListV1 newest, hot',
  'getTransactionListV1 second page',
  'getAddressTransactionsV2 busy address',
];
const GOAL = 3;
const GOAL_OF_STATIC = 1.5;

const COLUMNS = [
  { key: 'page', title: 'page' },
  { key: 'aloneP50', title: 'p50 ms', digits: 2 },
  { key: 'aloneP99', title: 'p99 ms', digits: 2 },
  { key: 'duringP50', title: '+blocks p50', digits: 2 },
  { key: 'duringP99', title: '+blocks p99', digits: 2 },
  { key: 'spread', title: 'its p99/p50', digits: 1 },
  { key: 'goal', title: 'goal' },
];

const chain = new ChainBuilder();
let last: BuiltBlock | undefined;

/** A block of transfers on the previous block. */
function next(): BuiltBlock {
  const transfers = Array.from({ length: Number(values.transactions) }, () => chain.transfer());
  last = chain.block({ ...(last && { parent: last }), txs: [chain.coinbase(), ...transfers] });
  return last;
}

const place = await freshPlace(values.database);
const [port, eventPort, staticPort, barePort] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
try {
  await fill(place);
  await measureAll(place);
} finally {
  await place.remove();
}
process.exit(0);

async function serve(place: Place): Promise<Program> {
  const server = startServer(place.args, { port, eventPort });
  await untilAnswered(server, port, '/extended');
  return server;
}

async function fill(place: Place): Promise<void> {
  const server = await serve(place);
  for (let i = 0; i < Number(values.before); i++) await post(next());
  await server.stop();
}

async function measureAll(place: Place): Promise<void> {
  const { pages: all, transactions } = await questionsOf(place);
  const pages = all.filter(({ name }) => PAGES.includes(name));
  const server = await serve(place);
  const ceiling = startProgram('bench/ceiling.ts', [String(staticPort), String(barePort)]);
  const generator = startGenerator(1, { pinned: true });
  try {
    await untilAnswered(ceiling, barePort, '/1');
    const printer = new TablePrinter(
      `Reads while blocks of ${values.transactions} arrive (${place.engine}, ${transactions} transactions, ${connections} connections)`,
      COLUMNS,
    );
    const read = async (question: Omit<LoadRequest, 'connections' | 'seconds'>) => {
      await generator.run({ ...question, connections, seconds: 2 });
      const alone = await generator.run({ ...question, connections, seconds: 4 });
      const reading = generator.run({ ...question, connections, seconds: 3600 });
      for (let i = 0; i < Number(values.blocks); i++) {
        await delay(Number(values.interval) / 2);
        await post(next());
        await delay(Number(values.interval) / 2);
      }
      generator.stop();
      return figures(alone, await reading);
    };
    const ready = await read({ ports: [staticPort], paths: ['/1024'] });
    printer.add({ page: 'a static response', ...ready });
    const goal = Math.max(GOAL, GOAL_OF_STATIC * ready.spread);
    const spreads: number[] = [];
    for (const { name, paths, cold = false } of pages) {
      const row = await read({ ports: [port], paths, cold });
      spreads.push(row.spread);
      printer.add({ page: name, ...row, goal: `${row.spread <= goal ? 'below' : 'ABOVE'} ${goal.toFixed(1)}` });
    }
    printer.goal('p99/p50 of the worst page while large blocks arrive', Math.max(...spreads), goal);
    printer.note(
      `A block every ${values.interval} ms; the process that asks has a core of its own where there is taskset.`,
    );
    saveTables(values.json, [printer.table]);
  } finally {
    generator.close();
    await Promise.all([server.stop(), ceiling.stop()]);
  }
}

function figures(alone: Load, during: Load) {
  return {
    aloneP50: alone.p50,
    aloneP99: alone.p99,
    duringP50: during.p50,
    duringP99: during.p99,
    spread: during.p99 / during.p50,
  };
}

async function post({ delivery: { path, body } }: BuiltBlock): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${eventPort}${path}`;
  const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
  if (status !== 200) throw new Error(`a block got ${status}`);
}
