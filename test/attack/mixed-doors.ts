import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { BUSY, BUSY_CONTRACT } from '../cost/growing-chain.ts';
import { untilIndexed } from '../crash/program.ts';
import { seededRandom } from '../crash/random.ts';
import { addressOf, head, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import { post, showsNewest } from './on-events.ts';
import { openSocket } from './on-sockets.ts';
import { LARGE, SLOW } from './stand-in.ts';
import type { Target } from './target.ts';

type Random = ReturnType<typeof seededRandom>;

/** An action of a client from an address; returns the connection that it leaves open. */
type Door = (target: Target, from: string, random: Random) => Promise<Socket | WebSocket | undefined>;

const request = async (port: number, from: string, text: string, isRead = true): Promise<Socket> => {
  const socket = await open(port, from);
  if (isRead) socket.resume();
  socket.write(text);
  return socket;
};

const page = async (target: Target, from: string, path: string) =>
  void (await Promise.race([statusOf(target.server().port, path, false, { from }), delay(2_000)]));

/** A random number up to a maximum; small ones are more likely. */
const skewed = (random: Random, most: number): number => Math.floor(most * random.next() ** 3);

const DOORS: Readonly<Record<string, Door>> = {
  'a stream that resumes': ({ server }, from, random) =>
    request(
      server().port,
      from,
      head(`/extended/v3/stream?after=0.0000000000.4&topics=${random.next() < 0.5 ? `principal:${BUSY}` : 'block'}`),
      random.next() < 0.5,
    ),
  'events for polling': async (target, from, random) => {
    await page(target, from, `/extended/v3/stream/events?after=0.0000000000.4&limit=${1 + random.int(0, 99)}`);
    return undefined;
  },
  'a socket of JSON-RPC': async ({ server }, from, random) => {
    const socket = await openSocket(server().port, '/extended/v1/ws', from, random.next() < 0.5);
    if (socket.readyState !== WebSocket.OPEN) return undefined;
    const params = { event: 'address_tx_update', address: BUSY };
    const one = { jsonrpc: '2.0', id: 1, method: 'subscribe', params };
    socket.send(JSON.stringify(Array.from({ length: skewed(random, 190) + 1 }, (_, id) => ({ ...one, id }))));
    return socket;
  },
  'a socket of socket.io': async ({ server }, from, random) => {
    const socket = await openSocket(server().port, '/socket.io/?EIO=4&transport=websocket', from, random.next() < 0.5);
    if (socket.readyState !== WebSocket.OPEN) return undefined;
    for (let i = skewed(random, 50); i >= 0; i--) socket.send('40');
    socket.send(`42${JSON.stringify(['subscribe', Array.from({ length: skewed(random, 3_000) }, (_, i) => `${i}`)])}`);
    return socket;
  },
  'half a body': ({ server }, from, random) =>
    request(
      server().port,
      from,
      `POST /v2/transactions HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n${'x'.repeat(skewed(random, 500_000))}`,
    ),
  'a response of the node that is not read': ({ server }, from, random) =>
    request(server().port, from, head(`${LARGE}?n=${random.next()}`), false),
  'a page that is not read': ({ server }, from, random) =>
    request(server().port, from, head(`/openapi.json?n=${random.next()}`), false),
  'a deep page': async (target, from, random) => {
    await page(target, from, `/extended/v1/tx?limit=50&offset=${skewed(random, 20_000)}`);
    await page(target, from, `/extended/v1/contract/${BUSY_CONTRACT}/events?limit=50&offset=${skewed(random, 5_000)}`);
    return undefined;
  },
  'the faucet': async (target, from, random) => {
    const address = `${BUSY}.c${random.int(0, 1_000)}`;
    const options = { method: 'post', from } as const;
    await statusOf(target.server().port, `/extended/v1/faucets/stx?address=${address}`, false, options);
    return undefined;
  },
  'the node': async (target, from, random) => {
    await page(target, from, `${random.next() < 0.2 ? SLOW : '/v2/info'}?n=${random.next()}`);
    return undefined;
  },
  'a page of the explorer': async (target, from, random) => {
    const paths = ['', '/blocks', '/mempool', '/tokens', '/names', `/address/${BUSY}`, '/stacking', '/status'];
    await page(target, from, `/explorer${paths[random.int(0, paths.length - 1)] ?? ''}?n=${random.next()}`);
    return undefined;
  },
  'the event port': ({ server }, from, random) =>
    request(
      server().eventPort,
      from,
      `POST /new_block HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${'{"a":'.repeat(skewed(random, 90_000))}`,
    ),
};

/** The most connections that one address leaves open at once. */
const MOST_OPEN = 40;

const close = (connection: Socket | WebSocket): void =>
  connection instanceof WebSocket ? connection.terminate() : void connection.destroy();

/** Clients from several addresses use all interfaces in random order while blocks arrive. The seed determines what they do. */
export async function mixedDoors(target: Target, { mixedMs }: Size, seed: number): Promise<Finding[]> {
  const doors = Object.values(DOORS);
  const end = performance.now() + mixedMs;
  let failures = 0;
  const client = async (number: number) => {
    const random = seededRandom(seed + number);
    const kept: (Socket | WebSocket)[] = [];
    while (performance.now() < end) {
      const door = doors[random.int(0, doors.length - 1)];
      const connection = await door?.(target, addressOf(number), random);
      if (connection) kept.push(connection);
      if (kept.length > MOST_OPEN || random.next() < 0.1) {
        const [oldest] = kept.splice(random.int(0, Math.max(0, kept.length - 1)), 1);
        if (oldest) close(oldest);
      }
      await delay(random.int(0, 10));
    }
    for (const connection of kept) close(connection);
  };
  const blocks = async () => {
    for (; performance.now() < end; await delay(200)) failures += await post(target, target.honest(1));
  };
  await Promise.all([blocks(), ...Array.from({ length: 12 }, (_, i) => client(i))]);
  await untilIndexed(target.server());
  if (!(await showsNewest(target))) failures++;
  return [{ what: 'blocks that are refused or missing', worst: failures, bound: 0, unit: '' }];
}
