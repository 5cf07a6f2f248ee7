/**
 * Measures live updates: `npm run bench -- live [--streams 5000] [--sockets 1000]`. Clients of the stream and of socket.io subscribe to blocks, and blocks of
 * 200 transactions are posted as a node does. It measures the time from the acknowledgement until the last client has a block, the memory of a client, and
 * how much slower other requests become. For comparison, as many clients use a bare `ws` server that broadcasts as many bytes.
 */
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import { io } from 'socket.io-client';
import { WebSocket, WebSocketServer } from 'ws';
import { type BuiltBlock, ChainBuilder } from '../test/support/chain-builder.ts';
import { freePort } from '../test/support/postgres.ts';
import { until } from '../test/support/until.ts';
import { startGenerator } from './generator.ts';
import { freshPlace } from './place.ts';
import { startProgram, startServer, untilAnswered } from './program.ts';
import { quantileOf, TablePrinter } from './report.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '5000' },
    sockets: { type: 'string', default: '1000' },
    blocks: { type: 'string', default: '10' },
    transactions: { type: 'string', default: '200' },
    /** Makes this process the bare server, on this port. */
    serve: { type: 'string' },
  },
});
const MESSAGE_BYTES = 600;
/** Clients that connect at a time. */
const AT_ONCE = 100;

if (values.serve !== undefined) {
  const bare = new WebSocketServer({ port: Number(values.serve), host: '127.0.0.1' });
  const message = JSON.stringify({ block: 'x'.repeat(MESSAGE_BYTES) });
  // Every message of a client is broadcast to all.
  bare.on('connection', client => client.on('message', () => bare.clients.forEach(each => void each.send(message))));
} else {
  await measure();
  process.exit(0);
}

async function measure(): Promise<void> {
  const [streams, sockets, blocks] = [Number(values.streams), Number(values.sockets), Number(values.blocks)];
  process.env.STACKS_INDEX_MAX_LIVE_CLIENTS = process.env.STACKS_INDEX_MAX_LIVE_CLIENTS_PER_ADDRESS = '1000000';
  // All clients have the same address here.
  process.env.STACKS_INDEX_MAX_SHARE = '100';
  const place = await freshPlace(undefined);
  const [port, eventPort, barePort] = [await freePort(), await freePort(), await freePort()];
  const server = startServer(place.args, { port, eventPort });
  const bare = startProgram('bench/live.ts', ['--serve', String(barePort)]);
  const generator = startGenerator();
  try {
    await untilAnswered(server, port, '/extended');
    const chain = new ChainBuilder();
    let last = await post(eventPort, chain.block());
    const question = { ports: [port], connections: 16, paths: ['/extended/v2/blocks?limit=30'], cold: true };
    const alone = await generator.run({ ...question, seconds: 2 });
    const before = server.residentBytes();
    const heard = { count: 0 };
    await connectAll(streams, () => openStream(port, heard));
    await connectAll(sockets, () => openSocket(port, heard));
    const perClient = (server.residentBytes() - before) / (streams + sockets);
    const times: number[] = [];
    const next = async () => {
      const txs = Array.from({ length: Number(values.transactions) }, () => chain.transfer());
      heard.count = 0;
      last = await post(eventPort, chain.block({ parent: last, txs: [chain.coinbase(), ...txs] }));
      const begin = performance.now();
      await until(() => heard.count >= streams + sockets, `only ${heard.count} clients have heard of a block`);
      times.push(performance.now() - begin);
    };
    for (let i = 0; i < blocks; i++) await next();
    const during = generator.run({ ...question, seconds: 2 });
    await next();
    const loaded = await during;
    const bareTime = await broadcastBare(barePort, streams + sockets);
    const printer = new TablePrinter(`Live updates (${streams} streams, ${sockets} sockets)`, [
      { key: 'lastP50', title: 'ack to last client p50 ms', digits: 1 },
      { key: 'lastMax', title: 'max', digits: 1 },
      { key: 'bare', title: 'bare ws ms', digits: 1 },
      { key: 'ratio', title: 'ratio', digits: 1 },
      { key: 'kilobytes', title: 'kB a client', digits: 1 },
      { key: 'aloneP99', title: 'read p99 ms', digits: 1 },
      { key: 'duringP99', title: '+blocks p99', digits: 1 },
    ]);
    printer.add({
      lastP50: quantileOf(times, 0.5),
      lastMax: Math.max(...times),
      bare: bareTime,
      ratio: quantileOf(times, 0.5) / bareTime,
      kilobytes: perClient / 1000,
      aloneP99: alone.p99,
      duringP99: loaded.p99,
    });
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
    await place.remove();
  }
}

async function post(eventPort: number, block: BuiltBlock): Promise<BuiltBlock> {
  const { path, body } = block.delivery;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`http://127.0.0.1:${eventPort}${path}`, {
    method: 'POST',
    headers,
    body: Buffer.from(body),
  });
  if (status !== 200) throw new Error(`a block got ${status}`);
  return block;
}

async function connectAll(count: number, open: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, open));
}

function openStream(port: number, heard: { count: number }): Promise<void> {
  const headers = { accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/extended/v3/stream', headers, agent: false }, response => {
      response.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('event: hello')) resolve();
        if (text.includes('event: block\n')) heard.count++;
      });
    }).on('error', reject);
  });
}

async function openSocket(port: number, heard: { count: number }): Promise<void> {
  const socket = io(`http://127.0.0.1:${port}`, { forceNew: true, transports: ['websocket'] });
  socket.on('block', () => heard.count++);
  await socket.emitWithAck('subscribe', 'block');
}

/** Milliseconds from a message until all clients of the bare server have received it: the median of several. */
async function broadcastBare(port: number, count: number): Promise<number> {
  const clients: WebSocket[] = [];
  let heard = 0;
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}`);
      client.on('open', () => resolve()).on('error', reject);
      client.on('message', () => heard++);
      clients.push(client);
    });
  await connectAll(count, open);
  const times: number[] = [];
  for (let i = 0; i < 10; i++) {
    heard = 0;
    const begin = performance.now();
    clients[0]?.send('go');
    await until(() => heard >= count, 'the bare server is silent');
    times.push(performance.now() - begin);
  }
  return quantileOf(times, 0.5);
}
