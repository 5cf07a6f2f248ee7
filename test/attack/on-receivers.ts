import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { WebhookClient } from '../../src/api/webhooks/post.ts';
import { WebhookRefused } from '../../src/api/webhooks/webhook.ts';
import type { Resolver } from '../../src/base/net/destinations.ts';
import { hooks } from '../../src/cli/commands/hooks.ts';
import { readOptions } from '../../src/cli/options/options.ts';
import { runServer, untilIndexed } from '../crash/program.ts';
import { seededRandom } from '../crash/random.ts';
import { directoryStore } from '../crash/store.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { testFetcher } from '../support/fetcher.ts';
import { deliverTo } from '../support/places.ts';
import { TESTNET } from '../support/test-index.ts';
import { until } from '../support/until.ts';
import type { Finding, Size } from './finding.ts';

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Addresses without a route from most machines, so that no packet is sent. The second one is the answer to the next lookup of the name. */
const ANSWERS: readonly (readonly [first: string, then: string])[] = [
  ['2606:4700::1111', '127.0.0.1'],
  ['2606:4700::1111', '::1'],
  ['2606:4700::1111', '::ffff:127.0.0.1'],
  ['2606:4700::1111', '0.0.0.0'],
  ['2606:4700::1111', '64:ff9b::7f00:1'],
  ['127.0.0.1', '2606:4700::1111'],
];

/** Names with another address at each lookup, for token metadata and webhooks. */
export async function changingNames({ name }: Size): Promise<Finding[]> {
  let reached = 0;
  let answered = 0;
  const server = createServer(socket => {
    reached++;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  const port = await listening(server);
  const attempts = name === 'full' ? 200 : 6;
  let settled = 0;
  for (const [first, then] of ANSWERS) {
    let looks = 0;
    const resolver: Resolver = async () => {
      answered++;
      const address = looks++ % 2 === 0 ? first : then;
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    };
    const fetcher = testFetcher({ resolver, allowPorts: [port], limits: { documentMs: 300, connectMs: 200 } });
    const limits = { connectMs: 200, responseMs: 300 };
    const client = new WebhookClient({ allowHosts: [], limits, version: 'attack', resolver });
    for (let i = 0; i < attempts; i++) {
      await fetcher.fetchDocument(`http://changing.example.org:${port}/${i}`, { id: '1' });
      await client.post(new URL('http://changing.example.org/'), '{}', 's', new AbortController().signal);
      settled += 2;
    }
  }
  server.close();
  return [
    { what: 'connections to this machine', worst: reached, bound: 0, unit: '' },
    { what: 'attempts that never end', worst: 2 * attempts * ANSWERS.length - settled, bound: 0, unit: '' },
    { what: 'whether no name was resolved', worst: answered >= settled ? 0 : 1, bound: 0, unit: '' },
  ];
}

/** Ways in which a receiver of webhooks is slow. */
const SLOWNESS: readonly ((socket: Socket) => void)[] = [
  () => undefined,
  socket => socket.pause(),
  socket => void socket.once('data', () => socket.write('HTTP/1.1 200')),
  socket => {
    const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
    socket.once('close', () => clearInterval(drip));
  },
  socket => void socket.once('data', () => socket.destroy()),
];

/** Seconds within which a prompt receiver must get the events of all blocks, whatever the others do. */
const NEWS_S = 10;

/** Receivers of webhooks that respond slowly, or never, beside one that is prompt. */
export async function slowReceivers({ name }: Size): Promise<Finding[]> {
  const count = name === 'full' ? 90 : 10;
  const sockets = new Set<Socket>();
  let number = 0;
  const slow = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    SLOWNESS[number++ % SLOWNESS.length]?.(socket);
  });
  const heights: number[] = [];
  const prompt = createHttpServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
    request.once('end', () => {
      const { events } = JSON.parse(text) as { readonly events: readonly { data: { block?: { height: number } } }[] };
      heights.push(...events.map(({ data }) => data.block?.height ?? 0));
      response.end();
    });
  });
  const [slowPort, promptPort] = [await listening(slow), await listening(prompt)];
  const store = directoryStore();
  const allow = ['--hooks-allow-hosts', `127.0.0.1:${slowPort},127.0.0.1:${promptPort}`];
  const blocks = new ChainBuilder('receivers').chain(20);
  const deliveries = blocks.map(({ delivery }) => delivery);
  const start = async () => {
    const started = await runServer([...store.args, ...allow]);
    if (!(await started.ready)) throw new Error(started.output());
    return started;
  };
  let server = await start();
  try {
    for (const delivery of deliveries.slice(0, 1)) await server.post(delivery);
    await untilIndexed(server);
    await server.kill('SIGTERM');
    const add = (url: string) => {
      const args = ['hooks', 'add', url, '--after', '0.0000000000.4', ...store.args, ...allow];
      return hooks(readOptions(args, {}), () => undefined);
    };
    for (let i = 0; i < count; i++) await add(`http://127.0.0.1:${slowPort}/${i}`);
    await add(`http://127.0.0.1:${promptPort}/`);
    server = await start();
    await until(() => sockets.size >= Math.min(count, 10), 'the receivers get nothing', server);
    const begun = performance.now();
    let refused = 0;
    for (const delivery of deliveries.slice(1)) if ((await server.post(delivery)).status !== 200) refused++;
    await until(() => heights.at(-1) === blocks.length, 'the prompt receiver lacks a block', server);
    const seconds = (performance.now() - begun) / 1000;
    const ending = performance.now();
    const { code } = await server.kill('SIGTERM');
    return [
      { what: 'blocks that are refused', worst: refused, bound: 0, unit: '' },
      { what: 'until the prompt receiver has 20 blocks', worst: seconds, bound: NEWS_S, unit: 's', isDelay: true },
      { what: 'time until it ends', worst: (performance.now() - ending) / 1000, bound: 10, unit: 's', isDelay: true },
      { what: 'exit status', worst: code ?? 255, bound: 0, unit: '' },
    ];
  } finally {
    await server.kill();
    for (const socket of sockets) socket.destroy();
    slow.close();
    prompt.closeAllConnections();
    prompt.close();
    await store.remove();
  }
}

/** Webhooks that begin after events of blocks that the index does not have: they would never get an event, or get a gap. */
export async function unknownPlaces({ name }: Size, seed: number): Promise<Finding[]> {
  const store = directoryStore();
  const random = seededRandom(seed);
  const chain = new ChainBuilder('places');
  const blocks = chain.chain(20);
  const lost = chain.block({ ...(blocks[9] && { parent: blocks[9] }) });
  const place = { data: store.directory ?? '', database: undefined, chainId: TESTNET };
  const idOf = (height: number, hash: string) => `${height}.${hash}.4`;
  const known = [...blocks, lost].map(({ height, indexHash }) => idOf(height, indexHash.slice(2, 12)));
  known.push('0.0000000000.4');
  const hash = () => Array.from({ length: 10 }, () => random.int(0, 15).toString(16)).join('');
  const unknown = [
    ...Array.from({ length: name === 'full' ? 500 : 30 }, () => idOf(random.int(0, 25), hash())),
    // Tokens of a known block, at another height, with another digit, or with one digit less.
    ...blocks.flatMap(({ height, indexHash }) => [
      idOf(height + 1, indexHash.slice(2, 12)),
      idOf(height, indexHash.slice(2, 11)),
      idOf(
        height,
        indexHash.slice(2, 12).replace(/^./, digit => (digit === '0' ? '1' : '0')),
      ),
    ]),
    ...['', '1', '..', '-1.0000000000.4', '1e3.0000000000.4', '0x1.0000000000.4', '0.0000000001.4', '0.0000000000.'],
    ...[
      '1.%.4',
      "1.' OR 1=1 --.4",
      '1.0000000000.4\0',
      `1.${'0'.repeat(1_000_000)}.4`,
      '9007199254740993.0000000000.4',
    ],
  ];
  const seen = { accepted: 0, refused: 0, unforeseen: 0 };
  const add = async (after: string): Promise<'accepted' | 'refused' | 'unforeseen'> => {
    const options = readOptions(
      ['hooks', 'add', 'https://example.com/', '--max-hooks', '1000', '--after', after, ...store.args],
      {},
    );
    return hooks(options, () => undefined).then(
      () => 'accepted',
      error => (error instanceof WebhookRefused && error.statusCode === 400 ? 'refused' : 'unforeseen'),
    );
  };
  try {
    await deliverTo(
      place,
      [...blocks, lost].map(({ delivery }) => delivery),
    );
    for (const after of unknown) seen[await add(after)]++;
    let missing = 0;
    for (const after of known) if ((await add(after)) !== 'accepted') missing++;
    return [
      { what: `webhooks at places that are none, of ${unknown.length}`, worst: seen.accepted, bound: 0, unit: '' },
      { what: 'errors that no one foresaw', worst: seen.unforeseen, bound: 0, unit: '' },
      { what: 'known places that are refused', worst: missing, bound: 0, unit: '' },
    ];
  } finally {
    await store.remove();
  }
}
