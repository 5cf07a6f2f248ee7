import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { io } from 'socket.io-client';
import { type ApiResponse, responseOf, runServer, type Server, untilIndexed } from '../crash/program.ts';
import { sampleEvents } from '../crash/round.ts';
import { directoryStore } from '../crash/store.ts';
import { TestEventSource } from '../support/event-source.ts';
import { freePort } from '../support/postgres.ts';
import { atLength, scale } from '../support/scale.ts';
import { todaysEnd, todaysEvents } from '../support/todays-chain.ts';
import { until } from '../support/until.ts';
import { cleanedUp } from './cleanup.ts';
import { startApiNode } from './processes.ts';
import { startWanderer } from './wanderer.ts';

const events = sampleEvents().slice(0, scale === 'short' ? 110 : 250);

async function serve(
  t: { after(hook: () => Promise<void>): void },
  ...args: readonly string[]
): Promise<{ server: Server; directory: readonly string[] }> {
  const store = directoryStore();
  const server = await runServer([...store.args, ...args]);
  t.after(async () => {
    await server.kill('SIGINT');
    await store.remove();
  });
  assert.equal(await server.ready, true, server.output());
  return { server, directory: store.args };
}

async function deliver(server: Server, from: number, to: number, chain = events): Promise<void> {
  for (const event of chain.slice(from, to)) assert.equal((await server.post(event)).status, 200);
}

/** Process ids of all workers that have responded so far. */
const workersOf = (server: Server): number[] =>
  [...server.output().matchAll(/"apiWorker":(\d+)[^\n]*"msg":"API worker is listening"/g)].map(([, pid]) =>
    Number(pid),
  );

const heightOf = ({ body }: ApiResponse): unknown =>
  (body?.chain_tip as { block_height?: number } | undefined)?.block_height;

/** One server with two workers for the tests of workers, one after the other: the last of them kills a worker. */
let shared: ReturnType<typeof startWithWorkers> | undefined;
const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});
const withWorkers = () => {
  shared ??= startWithWorkers();
  return shared;
};

async function startWithWorkers() {
  const metricsPort = await freePort();
  const { server } = await serve(
    { after: hook => cleanups.push(hook) },
    '--workers',
    '2',
    '--metrics-port',
    String(metricsPort),
  );
  let sent = 0;
  /** Delivers up to this event; each test may run alone. */
  const deliverUpTo = async (end: number) => {
    await deliver(server, sent, end);
    sent = end;
  };
  return { server, deliverUpTo, metrics: () => responseOf(`http://127.0.0.1:${metricsPort}/metrics`, {}) };
}

test('clients of socket.io that poll, and of the stream, come to another worker each time, and miss nothing', {
  skip: atLength,
}, async t => {
  const { server, deliverUpTo } = await withWorkers();
  await deliverUpTo(150);
  const wanderer = startWanderer([server, server], cleanedUp(t));
  const clients = [
    { transports: ['polling'], upgrade: false },
    { transports: ['polling'], upgrade: false },
    { transports: ['polling', 'websocket'] },
    { transports: ['polling', 'websocket'] },
  ].map(options => {
    const client = io(`http://127.0.0.1:${server.port}`, { forceNew: true, ...options });
    t.after(() => client.disconnect());
    const ends: string[] = [];
    client.on('disconnect', reason => ends.push(reason));
    const heights: number[] = [];
    client.on('block', ({ height }) => heights.push(height));
    return { client, ends, heights };
  });
  for (const { client } of clients) assert.equal(await client.emitWithAck('subscribe', 'block'), null);
  for (const { client } of clients.slice(2))
    await until(() => client.io.engine.transport.name === 'websocket', 'it is never upgraded', server);
  await deliverUpTo(170);
  await untilIndexed(server);
  const tip = heightOf(await server.get('/extended'));
  for (const { heights } of clients) await until(() => heights.at(-1) === tip, 'a client is not told', server);
  assert.deepEqual(
    clients.map(({ ends }) => ends),
    clients.map(() => []),
    'no session was lost',
  );
  await wanderer.untilKnows(server);
  // A session of a worker that never was.
  const { status, body } = await server.get('/socket.io/?EIO=4&transport=polling&sid=77-abcdefghijklmnopqrst');
  assert.deepEqual([status, body], [400, { code: 1, message: 'Session ID unknown' }]);
});

/** Events that the workers' server has before anything happens to them. */
const AT_FIRST = scale === 'short' ? 60 : 170;

test('workers serve one port, see every block, and are replaced when they die', async t => {
  const { server, deliverUpTo, metrics } = await withWorkers();
  await deliverUpTo(AT_FIRST);
  await untilIndexed(server);
  const height = heightOf(await server.get('/extended'));
  assert.equal(typeof height, 'number');
  // Each request may come to another worker.
  for (let i = 0; i < 20; i++)
    await until(
      async () => heightOf(await server.get('/extended')) === height,
      'a worker does not see the tip',
      server,
    );
  const streams = await Promise.all([0, 1].map(() => TestEventSource.open(server.port, '/extended/v3/stream')));
  t.after(() => streams.map(stream => stream.close()));
  for (const stream of streams) await stream.has('hello');
  await deliverUpTo(AT_FIRST + 20);
  await untilIndexed(server);
  const tip = heightOf(await server.get('/extended'));
  for (const stream of streams)
    await until(
      () => stream.named('block').at(-1)?.data.block.height === tip,
      'a worker does not stream what the writer wrote',
      server,
    );
  const { text } = await metrics();
  assert.match(text, /^stacks_index_live\{figure="stream_clients"\} 2$/m);
  const count = /^stacks_index_http_request_seconds_count\{route="\/extended",status="200"\} (\d+)$/m.exec(text)?.[1];
  assert.ok(Number(count) >= 20, `the requests of all workers are counted: ${count}`);
  assert.match(text, new RegExp(`^stacks_index_block_height ${tip}$`, 'm'));

  process.kill(workersOf(server)[0] ?? 0, 'SIGKILL');
  await until(() => server.output().includes('API worker exited'), 'nobody notices', server);
  await deliverUpTo(events.length);
  await untilIndexed(server);
  await until(() => workersOf(server).length === 3, 'the worker is not replaced', server);
  for (let i = 0; i < 20; i++) assert.equal((await server.get('/extended/v2/blocks')).status, 200);
});

test('a read-only process waits for an index that is not there yet, then reads the directory that another one writes', {
  skip: atLength,
}, async t => {
  const store = directoryStore();
  t.after(() => store.remove());
  const reader = await runServer([...store.args, '--mode', 'readonly']);
  t.after(() => reader.kill());
  assert.equal(await reader.ready, true, reader.output());
  const early = await reader.get('/extended/v2/blocks');
  assert.equal(early.status, 503);
  assert.match(String(early.retryAfter), /^\d+$/);
  const server = await runServer(store.args);
  t.after(() => server.kill());
  assert.equal(await server.ready, true, server.output());
  await deliver(server, 0, events.length);
  await untilIndexed(server);
  const tip = heightOf(await server.get('/extended'));
  await until(async () => heightOf(await reader.get('/extended')) === tip, 'the reader does not follow', reader);
  for (const path of ['/extended', '/extended/v2/blocks', '/extended/v1/tx?limit=50', '/extended/v1/tx/mempool'])
    assert.equal((await reader.get(path)).text, (await server.get(path)).text, path);
});

const skip = scale === 'short' && 'npm run test:all follows it';

test('a read-only process follows a chain of epoch 4.0 through its forks', { skip }, async t => {
  const { server, directory } = await serve(t);
  const reader = await startApiNode(directory);
  t.after(() => reader.kill());
  const chain = todaysEvents();
  const paths = [...Object.keys(todaysEnd().accounts)].map(account => `/extended/v2/addresses/${account}/balances/stx`);
  for (let next = 0; next < chain.length; next += 10) {
    await deliver(server, next, next + 10, chain);
    await untilIndexed(server);
    const { text: tip } = await server.get('/extended/v2/blocks');
    await until(
      async () => (await reader.get('/extended/v2/blocks')).text === tip,
      'the reader does not follow',
      server,
    );
    for (const path of paths) assert.equal((await reader.get(path)).text, (await server.get(path)).text, path);
  }
});
