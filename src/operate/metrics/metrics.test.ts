import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { createMetrics, type MetricsSources } from './metrics.ts';
import { startMetricsServer } from './server.ts';

const figures = {
  height: 9,
  burnHeight: 109,
  journalPosition: 30,
  indexedPosition: 28,
  gaps: 1,
  setAside: 2,
  rebuilt: 3,
};

/** The sources of a process without any figures. */
const nothing: MetricsSources = {
  index: async () => figures,
  shed: () => 0,
  clients: () => [],
  isActive: () => false,
  followed: () => undefined,
  readDatabases: () => [],
  live: () => undefined,
  webhooks: async () => ({}),
  metadata: () => ({}),
};

/** The value of a line of the text format. */
const lineValue = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find(line => line.startsWith(`${name} `))
    ?.slice(name.length + 1);

test('the state of the index is read when somebody asks', async () => {
  const metrics = createMetrics({
    ...nothing,
    index: async () => figures,
    shed: () => 4,
    metadata: () => ({ jobs_waiting: 3, outcome_token_done: 12 }),
  });
  const text = await metrics.text();
  assert.equal(lineValue(text, 'stacks_index_up'), '1');
  assert.equal(lineValue(text, 'stacks_index_block_height'), '9');
  assert.equal(lineValue(text, 'stacks_index_burn_block_height'), '109');
  assert.equal(lineValue(text, 'stacks_index_lag_events'), '2');
  assert.equal(lineValue(text, 'stacks_index_gaps'), '1');
  assert.equal(lineValue(text, 'stacks_index_set_aside'), '2');
  assert.equal(lineValue(text, 'stacks_index_http_shed_total'), '4');
  assert.equal(lineValue(text, 'stacks_index_metadata{figure="jobs_waiting"}'), '3');
  assert.equal(lineValue(text, 'stacks_index_metadata{figure="outcome_token_done"}'), '12');
  assert.equal(lineValue(await metrics.text(), 'stacks_index_http_shed_total'), '4', 'reading twice counts once');
});

test('webhooks that cannot be read leave the other metrics as they are', async () => {
  const told = createMetrics({ ...nothing, webhooks: async () => ({ parked: 1 }) });
  assert.equal(lineValue(await told.text(), 'stacks_index_webhooks{figure="parked"}'), '1');
  const away = createMetrics({ ...nothing, webhooks: () => Promise.reject(new Error('away')) });
  assert.equal(lineValue(await away.text(), 'stacks_index_up'), '1');
});

test('an index that cannot be read is down; the other metrics are still told', async () => {
  const metrics = createMetrics({ ...nothing, index: () => Promise.reject(new Error('away')) });
  metrics.request('/extended/v2/blocks/:height_or_hash', 200, 0.002);
  const text = await metrics.text();
  assert.equal(lineValue(text, 'stacks_index_up'), '0');
  const count = 'stacks_index_http_request_seconds_count{route="/extended/v2/blocks/:height_or_hash",status="200"}';
  assert.equal(lineValue(text, count), '1');
});

test('metrics are served on their own port, and nothing else is', async t => {
  const metrics = createMetrics(nothing);
  metrics.event('/new_block', 'accepted', 0.003);
  let isReady = true;
  const server = await startMetricsServer({
    host: '127.0.0.1',
    port: 0,
    logger: pino({ level: 'silent' }),
    metrics,
    ready: async () => isReady || Promise.reject(new Error('away')),
  });
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  assert.equal(response.status, 200);
  assert.match(String(response.headers.get('content-type')), /^text\/plain/);
  const text = await response.text();
  assert.equal(lineValue(text, 'stacks_index_event_seconds_count{path="/new_block",outcome="accepted"}'), '1');
  assert.match(text, /^process_resident_memory_bytes /m);
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
  assert.equal(await status('/extended'), 404);
  for (const path of ['/metrics', '/livez', '/nothing']) {
    const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
  assert.deepEqual([await status('/livez'), await status('/readyz')], [200, 200]);
  isReady = false;
  assert.deepEqual([await status('/livez'), await status('/readyz')], [200, 503]);
});

test('strangers who hold connections open, or send many requests at once, do not keep the monitoring out', async t => {
  let reads = 0;
  const metrics = { contentType: 'text/plain', text: async () => `${++reads}` };
  const logger = pino({ level: 'silent' });
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0, logger, metrics, ready: async () => {} });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  const open = async (text: string, localAddress: string) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}); // the server may close it
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const half = 'POST /hooks HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{';
  for (let i = 0; i < 60; i++) await open(i % 2 ? half : 'GET', `127.0.1.${1 + (i % 6)}`);
  for (let i = 0; i < 20; i++) await open(half, '127.0.0.1');
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
  assert.equal(await get('/livez'), '{"status":"ok"}');
  const greedy = await open('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000), '127.0.0.2');
  greedy.resume();
  await new Promise(resolve => greedy.once('close', resolve)); // with or without an error: the server ends it in the middle of what it sent
  assert.ok(reads < 100, `${reads} reads of the figures`);
  assert.match(await get('/metrics'), /^\d+$/);
});

test('processes that belong together tell their sum, and of what they all tell the newest', async () => {
  const behind = createMetrics({
    ...nothing,
    index: async () => ({ ...figures, height: 8, indexedPosition: 27 }),
    shed: () => 2,
    live: () => ({ figures: { topics: 2 }, lagSeconds: 0.5 }),
    clients: () => [{ resource: 'requests', held: 3, refused: { address: 1, total: 0 }, closed: 1 }],
  });
  const ahead = createMetrics({
    ...nothing,
    shed: () => 3,
    clients: () => [{ resource: 'requests', held: 4, refused: { address: 2, total: 0 }, closed: 1 }],
    live: () => ({ figures: { topics: 3 }, lagSeconds: 0.25 }),
    isActive: () => true,
    readDatabases: () => [{ isUp: true, lag: 1 }],
  });
  for (const metrics of [behind, ahead]) metrics.request('/extended', 200, 0.001);
  const text = await ahead.text([await behind.values()]);
  assert.equal(lineValue(text, 'stacks_index_http_shed_total'), '5');
  assert.equal(lineValue(text, 'stacks_index_live{figure="topics"}'), '5');
  assert.equal(lineValue(text, 'stacks_index_held{resource="requests"}'), '7');
  assert.equal(lineValue(text, 'stacks_index_refused_total{resource="requests",limit="address"}'), '3');
  assert.equal(lineValue(text, 'stacks_index_closed_total{resource="requests"}'), '2');
  assert.equal(lineValue(text, 'stacks_index_live_lag_seconds'), '0.5', 'the slowest process counts');
  assert.equal(lineValue(text, 'stacks_index_block_height'), '9');
  assert.equal(lineValue(text, 'stacks_index_writer_active'), '1');
  assert.equal(lineValue(text, 'stacks_index_read_database_lag_events{database="0"}'), '1');
  assert.equal(lineValue(text, 'stacks_index_http_request_seconds_count{route="/extended",status="200"}'), '2');
});

test('the lag of a followed table is shown by the process that reads it, and by no other', async () => {
  const names = ['stacks_index_follow_up', 'stacks_index_follow_lag_rows'];
  const shown = async (followed: MetricsSources['followed']) => {
    const text = await createMetrics({ ...nothing, followed }).text();
    return names.map(name => lineValue(text, name));
  };
  assert.deepEqual(await shown(() => ({ isUp: true, lag: 3 })), ['1', '3']);
  assert.deepEqual(await shown(() => ({ isUp: false, lag: 3 })), ['0', '3']);
  assert.deepEqual(await shown(() => undefined), [undefined, undefined]);
});
