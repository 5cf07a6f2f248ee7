/**
 * Measures a server at the tip: `npm run bench -- tip ARCHIVE`. The last blocks of an archive are posted to a running server, one after the other, as a node
 * does. It measures the time until they are acknowledged (goal: 5 ms) and until the API shows them (goal: 20 ms), idle and while 16 connections read; and how
 * blocks delay readers (goal: p99 at most three times p50).
 */

import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readArchive } from '../src/ingest/node/archive/read.ts';
import type { ArchivedEvent } from '../src/ingest/node/archive/row.ts';
import { parseEvent } from '../src/ingest/node/events/parse.ts';
import { freePort } from '../test/support/postgres.ts';
import { countArchive, cutArchive } from './cut-archive.ts';
import { type Generator, type Load, startGenerator } from './generator.ts';
import { freshPlace, type Place } from './place.ts';
import { replayInto, startServer, untilAnswered } from './program.ts';
import { quantileOf, saveTables, TablePrinter } from './report.ts';
import { questionsOf } from './scenarios.ts';
import { temporaryDirectory } from './temporary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '400' },
    /** Milliseconds from one block to the next. */
    interval: { type: 'string', default: '100' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const connections = Number(values.connections);

/** Every request costs the same, so a late response had to wait. */
const PAGES = ['getBlockV2', 'getTransactionListV1 newest, hot', 'getTransactionListV1 second page'];

/** A block that is not shown within this time is on a losing fork. */
const SHOWN_WITHIN_MS = 500;

const COLUMNS = [
  { key: 'page', title: 'read meanwhile' },
  { key: 'ackP50', title: 'ack p50 ms', digits: 2 },
  { key: 'ackP99', title: 'ack p99 ms', digits: 2 },
  { key: 'shownP50', title: 'shown p50', digits: 2 },
  { key: 'shownP99', title: 'shown p99', digits: 2 },
  { key: 'blocks', title: 'blocks' },
  { key: 'aloneP50', title: 'read p50 ms', digits: 2 },
  { key: 'aloneP99', title: 'read p99 ms', digits: 2 },
  { key: 'duringP50', title: '+blocks p50', digits: 2 },
  { key: 'duringP99', title: '+blocks p99', digits: 2 },
  { key: 'spread', title: 'its p99/p50', digits: 1 },
];

const agent = new Agent({ keepAlive: true });
const parts = temporaryDirectory();
const place = await freshPlace(values.database);
try {
  const [loaded = '', rest = ''] = await cutBeforeTip(Number(values.blocks));
  await replayInto(place.args, loaded);
  await measureAll(place, await eventsOf(rest));
} finally {
  parts.remove();
  await place.remove();
}
process.exit(0);

/** Cuts the last blocks off the archive; returns the files of both parts. */
async function cutBeforeTip(last: number): Promise<string[]> {
  const { blocks, transactions } = await countArchive(archive);
  const before = Math.round(transactions * (1 - Math.min(last / blocks, 0.9)));
  return cutArchive(archive, [before, Number.POSITIVE_INFINITY], parts.path);
}

async function eventsOf(file: string): Promise<ArchivedEvent[]> {
  const events: ArchivedEvent[] = [];
  for await (const row of readArchive(file)) if (row.kind === 'event') events.push(row);
  return events;
}

async function measureAll(place: Place, events: readonly ArchivedEvent[]): Promise<void> {
  const { pages: all, transactions } = await questionsOf(place);
  const pages = all.filter(({ name }) => PAGES.includes(name));
  const [port, eventPort] = [await freePort(), await freePort()];
  const server = startServer(place.args, { port, eventPort });
  const generator = startGenerator();
  try {
    await untilAnswered(server, port, '/extended');
    const printer = new TablePrinter(
      `Blocks at the tip (${place.engine}, ${transactions} transactions, ${connections} connections read)`,
      COLUMNS,
    );
    // A new server processes its first blocks slowly.
    const warmUp = Math.ceil(events.length / 10);
    await postAll(events.slice(0, warmUp), port, eventPort);
    const share = Math.ceil((events.length - warmUp) / (pages.length + 1));
    const partOf = (i: number) => events.slice(warmUp + i * share, warmUp + (i + 1) * share);
    printer.add({ page: 'nothing', ...timesOf(await postAll(partOf(0), port, eventPort)) });
    for (const [i, { name, paths, cold = false }] of pages.entries()) {
      const question = { ports: [port], connections, paths, cold };
      await generator.run({ ...question, seconds: Number(values.seconds) / 4 });
      const alone = await generator.run({ ...question, seconds: Number(values.seconds) });
      const { posted, during } = await postWhileReading(generator, question, () =>
        postAll(partOf(i + 1), port, eventPort),
      );
      printer.add({
        page: name,
        ...timesOf(posted),
        aloneP50: alone.p50,
        aloneP99: alone.p99,
        duringP50: during.p50,
        duringP99: during.p99,
        spread: during.p99 / during.p50,
      });
    }
    printer.note(
      `A block every ${values.interval} ms. Goals: acknowledged in 5 ms, shown in 20 ms, p99/p50 of 3 at most.`,
    );
    saveTables(values.json, [printer.table]);
  } finally {
    generator.close();
    await server.stop();
  }
}

type Question = Omit<Parameters<Generator['run']>[0], 'seconds'>;

async function postWhileReading(
  generator: Generator,
  question: Question,
  post: () => Promise<readonly PostedBlock[]>,
): Promise<{ posted: readonly PostedBlock[]; during: Load }> {
  const reading = generator.run({ ...question, seconds: 3600 });
  const posted = await post();
  generator.stop();
  return { posted, during: await reading };
}

/** Milliseconds since the POST began. */
interface PostedBlock {
  readonly acknowledged: number;
  /** Undefined: not within the time. */
  readonly shown: number | undefined;
}

function timesOf(posted: readonly PostedBlock[]) {
  const acks = posted.map(({ acknowledged }) => acknowledged);
  const shown = posted.flatMap(block => block.shown ?? []);
  return {
    ackP50: quantileOf(acks, 0.5),
    ackP99: quantileOf(acks, 0.99),
    shownP50: quantileOf(shown, 0.5),
    shownP99: quantileOf(shown, 0.99),
    blocks: shown.length,
  };
}

/** Posts events in order, blocks at their pace. */
async function postAll(events: readonly ArchivedEvent[], port: number, eventPort: number): Promise<PostedBlock[]> {
  const posted: PostedBlock[] = [];
  for (const { path, body } of events) {
    const event = parseEvent(path, body);
    const block = event.ok && event.value.path === '/new_block' ? event.value.block : undefined;
    const next = delay(block ? Number(values.interval) : 0);
    const begun = performance.now();
    const acknowledging = send(eventPort, 'POST', path, body).then(() => performance.now() - begun);
    const shown = block && untilShown(port, block.index_block_hash, begun);
    const acknowledged = await acknowledging;
    if (shown !== undefined) posted.push({ acknowledged, shown: await shown });
    await next;
  }
  return posted;
}

async function untilShown(port: number, hash: string, begun: number): Promise<number | undefined> {
  for (;;) {
    const status = await send(port, 'GET', `/extended/v2/blocks/${hash}`);
    const passed = performance.now() - begun;
    if (status === 200) return passed;
    if (passed > SHOWN_WITHIN_MS) return undefined;
  }
}

/** @returns the status */
function send(port: number, method: string, path: string, body?: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body && { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.setNoDelay(true);
    sent.once('error', reject).end(body);
  });
}
