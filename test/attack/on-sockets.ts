import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { addressOf, open, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import type { Target } from './target.ts';

const POLLING = '/socket.io/?EIO=4&transport=polling';
const SOCKET_IO = '/socket.io/?EIO=4&transport=websocket';
const RPC = '/extended/v1/ws';
/** Between the packets of a body (engine.io, version 4). */
const SEPARATOR = '\u001e';

/** Opens a WebSocket. Frames that come are read unless `paused`. */
export async function openSocket(port: number, path: string, from: string, paused = false): Promise<WebSocket> {
  const createConnection = () => connect({ port, host: '127.0.0.1', localAddress: from });
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { createConnection, perMessageDeflate: false });
  socket.on('error', () => undefined);
  // Not `once`, which throws where the server refuses the socket.
  await new Promise<void>(resolve => {
    socket.once('open', resolve);
    socket.once('close', resolve);
  });
  if (paused) socket.pause();
  return socket;
}

/** Topics that each socket of a session joins: as many as a client may have. */
const TOPICS = Array.from({ length: 200 }, (_, i) => `transaction:${i.toString(16).padStart(64, '0')}`);
const IN_HEAD = TOPICS.join(',')
  .slice(0, 15_000)
  .replace(/,[^,]*$/, '');

/** Begins a session that polls. @returns its id; undefined if it is refused */
async function beginPolling(port: number, from: string): Promise<string | undefined> {
  const path = `${POLLING}&subscriptions=${IN_HEAD}`;
  const text = await exchange(port, from, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return /"sid":"([^"]+)"/.exec(text)?.[1];
}

/** Sends one request, and reads until the server closes the connection. */
async function exchange(port: number, from: string, request: string): Promise<string> {
  const socket: Socket = await open(port, from);
  let text = '';
  socket.on('data', chunk => {
    if (text.length < 10_000) text += chunk;
  });
  socket.write(request);
  await once(socket, 'close');
  return text;
}

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Packets of one body, each of which would create a socket. */
const CONNECTS = 5_000;

/** One POST of 15 kB with thousands of packets that each connect, and a smaller one; also as frames of a WebSocket. */
export async function connectPackets({ server }: Target): Promise<Finding[]> {
  const { port } = server();
  for (const [i, count] of [CONNECTS, CONNECTS / 5].entries()) {
    const from = addressOf(i);
    const session = await beginPolling(port, from);
    if (session === undefined) continue;
    const packets = Array.from({ length: count }, () => '40').join(SEPARATOR);
    await exchange(port, from, post(`${POLLING}&sid=${session}`, packets));
  }
  const socket = await openSocket(port, SOCKET_IO, addressOf(2));
  for (let i = 0; i < CONNECTS && socket.readyState === WebSocket.OPEN; i++) socket.send('40');
  await delay(300);
  socket.terminate();
  return served(port, 'packets');
}

const served = async (port: number, mark: string): Promise<Finding[]> => [
  {
    what: 'others who are refused',
    worst: (await statusOf(port, `/extended/v2/blocks?limit=1&after=${mark}`)) === 200 ? 0 : 1,
    bound: 0,
    unit: '',
  },
];

/** Frames of the largest size that join nothing, are invalid, or get a long response. */
const FRAMES: readonly (readonly [path: string, join: string, frame: string])[] = [
  [SOCKET_IO, '', `40/${'a'.repeat(65_000)}`],
  [SOCKET_IO, '40', `42${JSON.stringify(['subscribe', Array.from({ length: 15_000 }, () => '')])}`],
  [SOCKET_IO, '40', `42${JSON.stringify(['subscribe', Array.from({ length: 15_000 }, (_, i) => i)])}`],
  [RPC, '', JSON.stringify(Array.from({ length: 190 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'x'.repeat(280) })))],
  [RPC, '', JSON.stringify(Array.from({ length: 190 }, (_, id) => transactions(id)))],
];

function transactions(id: number): object {
  return {
    jsonrpc: '2.0',
    id,
    method: 'subscribe',
    params: { event: 'tx_update', tx_id: `0x${id.toString(16).padStart(64, '0')}` },
  };
}

/** The most frames of each socket: 2.6 MB, far more than a client may send. And the most milliseconds until the server closes it. */
const MOST_FRAMES = 40;
const ENDING_MS = 5_000;
/** After this time the server has released everything of a connection that it closed. */
const LINGER_MS = 1_500;

/** Eight connections from one address, and eight from others, constantly send such frames and read nothing. */
export async function deafSockets({ server }: Target, { floodMs }: Size): Promise<Finding[]> {
  const { port } = server();
  let tolerated = 0;
  for (const [path, join, frame] of FRAMES) {
    const sockets = await Promise.all(
      Array.from({ length: 16 }, (_, i) => openSocket(port, path, i < 8 ? addressOf(0) : addressOf(i), true)),
    );
    if (join !== '') for (const socket of sockets) if (socket.readyState === WebSocket.OPEN) socket.send(join);
    const begun = performance.now();
    const left = new Map(sockets.map(socket => [socket, MOST_FRAMES]));
    const isDone = (socket: WebSocket) => socket.readyState !== WebSocket.OPEN || left.get(socket) === 0;
    const end = performance.now() + Math.max(floodMs / FRAMES.length, ENDING_MS);
    while (performance.now() < end && !sockets.every(isDone)) {
      for (const socket of sockets)
        if (!isDone(socket) && socket.bufferedAmount < 1_000_000) {
          socket.send(frame);
          left.set(socket, (left.get(socket) ?? 1) - 1);
        }
      await delay(1);
    }
    // Now it reads, to see whether the server has ended the connection.
    for (const socket of sockets) socket.resume();
    const isOpen = ({ readyState }: WebSocket) => readyState === WebSocket.OPEN;
    for (const last = performance.now() + ENDING_MS; performance.now() < last && sockets.some(isOpen); )
      await delay(10);
    const allowed = 1_100_000 + ((performance.now() - begun) / 1000) * 140_000;
    const sent = (socket: WebSocket) => (MOST_FRAMES - (left.get(socket) ?? 0)) * frame.length - socket.bufferedAmount;
    tolerated += sockets.filter(socket => isOpen(socket) && sent(socket) > allowed).length;
    for (const socket of sockets) socket.terminate();
  }
  await delay(LINGER_MS);
  return [
    { what: 'sockets that send as much as they like', worst: tolerated, bound: 0, unit: '' },
    ...(await served(port, 'sockets')),
  ];
}
