import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { GrowingChain } from '../cost/growing-chain.ts';
import { mountSmallDisk } from '../crash/mounts.ts';
import { runServer, type Server, untilIndexed } from '../crash/program.ts';
import { directoryStore, schemaStore } from '../crash/store.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { addressOf, head, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';

/** The responses that clients get during an outage. */
interface Seen {
  /** Responses without a status, or with 500 or another wrong status. 503 is correct. */
  bad: number;
  responses: number;
  slowestMs: number;
}

/** Clients that read pages, and live streams, until the work is done. */
export async function underLoad(server: Server, work: () => Promise<void>): Promise<Seen> {
  const seen: Seen = { bad: 0, responses: 0, slowestMs: 0 };
  let isOver = false;
  const paths = ['/extended/v2/blocks?limit=20', '/extended/v1/tx?limit=20', '/explorer', '/extended'];
  const client = async (number: number) => {
    const agent = new Agent({ keepAlive: true });
    for (let i = number; !isOver; i++) {
      const begun = performance.now();
      const path = number === 0 ? '/livez' : (paths[i % paths.length] ?? '/extended');
      const status = await statusOf(server.port, path, agent, { from: addressOf(number) });
      if (number === 0) seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begun);
      if (status === 0 || (status >= 500 && status !== 503)) seen.bad++;
      seen.responses++;
      await delay(5);
    }
    agent.destroy();
  };
  const streams: Socket[] = [];
  for (let i = 0; i < 20; i++) {
    const socket = await open(server.port, addressOf(i));
    socket.resume().write(head('/extended/v3/stream?topics=block'));
    streams.push(socket);
  }
  const clients = Array.from({ length: 6 }, (_, i) => client(i));
  await work();
  isOver = true;
  await Promise.all(clients);
  for (const socket of streams) socket.destroy();
  return seen;
}

/** As a node: what is refused is sent again. @returns tries with a status that is neither 200 nor 503 */
export async function insist(server: Server, deliveries: readonly Delivery[]): Promise<number> {
  let wrong = 0;
  for (const delivery of deliveries) {
    for (;;) {
      const { status } = await server.post(delivery);
      if (status === 200) break;
      if (status !== 503 && status !== 0) wrong++;
      await delay(50);
    }
  }
  return wrong;
}

export const findingsOf = ({ bad, responses, slowestMs }: Seen, wrong: number, isComplete: boolean): Finding[] => [
  { what: `pages without a proper response, of ${responses}`, worst: bad, bound: 0, unit: '' },
  { what: 'events without a proper response', worst: wrong, bound: 0, unit: '' },
  { what: 'whether blocks are missing afterwards', worst: isComplete ? 0 : 1, bound: 0, unit: '' },
  { what: 'the slowest /livez', worst: slowestMs, bound: 1_000, unit: 'ms', isDelay: true },
];

export const hasAll = async (server: Server, chain: GrowingChain): Promise<boolean> => {
  await untilIndexed(server);
  return (await server.get(`/extended/v2/blocks/${chain.top.hash}`)).status === 200;
};

/** The disk becomes full repeatedly while clients read, streams are open and blocks arrive. */
export async function fullDisk({ name }: Size): Promise<Finding[]> {
  const disk = mountSmallDisk(80);
  if ('missing' in disk) return [];
  const store = directoryStore(disk.path);
  const chain = new GrowingChain();
  const server = await runServer([...store.args, '--min-free-space', '0']);
  try {
    if (!(await server.ready)) throw new Error(server.output());
    let wrong = await insist(server, chain.begin());
    const seen = await underLoad(server, async () => {
      for (let times = 0; times < (name === 'full' ? 10 : 2); times++) {
        wrong += await insist(server, chain.grow(3));
        disk.fill();
        const sending = insist(server, chain.grow(3));
        await delay(700);
        disk.free();
        wrong += await sending;
      }
    });
    return findingsOf(seen, wrong, await hasAll(server, chain));
  } finally {
    await server.kill();
    disk.remove();
  }
}

/** PostgreSQL ends, by a crash and by an orderly stop, while clients read, streams are open and blocks arrive. */
export async function databaseRestarts({ name }: Size): Promise<Finding[]> {
  const postgres = await startOwnPostgres();
  if ('missing' in postgres) return [];
  const store = schemaStore(postgres.url);
  const chain = new GrowingChain();
  const server = await runServer(store.args);
  try {
    if (!(await server.ready)) throw new Error(server.output());
    let wrong = await insist(server, chain.begin());
    const seen = await underLoad(server, async () => {
      for (let times = 0; times < (name === 'full' ? 10 : 2); times++) {
        wrong += await insist(server, chain.grow(3));
        const sending = insist(server, chain.grow(3));
        await postgres.interrupt(times % 2 === 0 ? 'SIGQUIT' : 'SIGINT');
        await delay(700);
        await postgres.resume();
        wrong += await sending;
      }
    });
    return findingsOf(seen, wrong, await hasAll(server, chain));
  } finally {
    await server.kill();
    await postgres.stop();
  }
}
