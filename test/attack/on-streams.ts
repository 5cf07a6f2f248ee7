import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { accountAddress } from '../support/transaction-builder.ts';
import { addressOf, head, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import type { Target } from './target.ts';

/** Streams from the beginning of the chain: of an account without transactions, and of the account with nearly all of them. */
const FROM_THE_BEGINNING = [
  'after=0.0000000000.4&topics=principal:ST000000000000000000002AMW42H',
  `after=0.0000000000.4&payload=ref&topics=principal:${accountAddress(1)}`,
  `after=0.0000000000.4&topics=block,principal:${accountAddress(1)}`,
];

async function streams(
  port: number,
  count: number,
  addresses: number,
  path = '/extended/v3/stream',
): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const socket = await open(port, addressOf(i, addresses));
      const from = FROM_THE_BEGINNING[(i + 1) % FROM_THE_BEGINNING.length];
      socket.resume().write(head(`${path}?${from}`));
      return socket;
    }),
  );
}

/** Streams resume from the beginning, from one address and from several; some of them close at once. */
export async function resumingStreams({ server }: Target, { floodMs }: Size): Promise<Finding[]> {
  const { port } = server();
  const sockets: Socket[] = [];
  for (const [count, addresses] of [
    [1, 1],
    [3, 1],
    [20, 1],
    [20, 4],
  ] as const) {
    sockets.push(...(await streams(port, count, addresses)));
    await delay(floodMs / 6);
  }
  for (const socket of await streams(port, 10, 1)) socket.destroy();
  for (const socket of sockets) socket.destroy();
  const pages = await streams(port, 8, 4, '/extended/v3/stream/events');
  await delay(floodMs / 6);
  for (const socket of pages) socket.destroy();
  const status = await statusOf(port, '/extended/v2/blocks?limit=1&after=streams');
  return [{ what: 'others who are refused', worst: status === 200 ? 0 : 1, bound: 0, unit: '' }];
}
