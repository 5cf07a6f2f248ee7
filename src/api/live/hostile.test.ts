/** Clients that send anything at all: each is refused or disconnected, and other clients still get every event. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { until } from '../../../test/support/until.ts';

const SOCKET_IO = '/socket.io/?EIO=4&transport=websocket';
const RPC = '/extended/v1/ws';

async function open(t: TestContext, port: number, path: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  t.after(() => socket.terminate());
  const told: string[] = [];
  socket.on('message', data => told.push(String(data)));
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return { socket, told };
}

/** Starts a server with a client of the stream; `hearsOn` checks that this client gets the next block. */
async function serve(t: TestContext, limits: Parameters<typeof openLiveServer>[2] = {}) {
  const server = await openLiveServer(t, openFreshOf.sqlite, { maxStreamsPerAddress: 200, ...limits });
  const chain = new ChainBuilder();
  let [last] = await deliverBlocks(server.index, chain, 1);
  const witness = await server.open();
  await witness.has('hello');
  const hearsOn = async () => {
    [last] = await deliverBlocks(server.index, chain, 1, last);
    await until(() => witness.named('block').at(-1)?.data.block.height === last?.height, 'others hear nothing more');
  };
  return { ...server, hearsOn };
}

const NO_TEXT = '{"toString":1,"valueOf":1}';
const DEEP = '['.repeat(30_000) + ']'.repeat(30_000);

test('whatever a client of socket.io sends, others hear on', async t => {
  const { port, hearsOn } = await serve(t);
  for (const packet of [
    `420["subscribe",${NO_TEXT}]`,
    `420["subscribe",[${NO_TEXT},"block"]]`,
    `42["unsubscribe",${NO_TEXT}]`,
    `420["subscribe",${DEEP}]`,
    '420["subscribe"]',
    '42["subscribe",null]',
    '42["disconnect"]',
    '42["error",{}]',
    '42[]',
    '42',
    '43',
    '430[1]',
    '40/other,',
    '451-["subscribe",{"_placeholder":true,"num":0}]',
    '45999999-["subscribe",{"_placeholder":true,"num":9}]',
    '9',
    '',
    'x'.repeat(1000),
    'x'.repeat(70_000),
    '\u0000',
  ]) {
    const { socket, told } = await open(t, port, SOCKET_IO);
    socket.send('40');
    await until(() => told.some(frame => frame.startsWith('40')), 'it is not connected');
    socket.send(packet);
    // It is answered on, or disconnected.
    socket.send('429["subscribe","block"]');
    const isAnswered = () => told.some(frame => frame.startsWith('439'));
    await until(() => isAnswered() || socket.readyState === WebSocket.CLOSED, `no end of ${packet.slice(0, 60)}`);
  }
  await hearsOn();
});

test('a client of the JSON-RPC that floods, and reads nothing, is disconnected, and others hear on', async t => {
  const { port, hearsOn } = await serve(t, { hardQueue: 200_000 });
  for (const frame of [
    DEEP,
    `[${DEEP}]`,
    '[1]'.repeat(20_000),
    `[${'1,'.repeat(30_000)}1]`,
    `"${'x'.repeat(60_000)}"`,
  ]) {
    const { socket } = await open(t, port, RPC);
    socket.pause();
    for (let i = 0; i < 300 && socket.readyState === WebSocket.OPEN; i++) {
      socket.send(frame);
      await new Promise(resolve => setImmediate(resolve));
    }
    await hearsOn();
    socket.terminate();
  }
});

test('of 100,000 subscriptions those that are allowed are kept', async t => {
  const { port, hearsOn } = await serve(t);
  const { socket, told } = await open(t, port, RPC);
  const request = (i: number) => ({
    jsonrpc: '2.0',
    id: i,
    method: 'subscribe',
    params: { event: 'tx_update', tx_id: `0x${i.toString(16).padStart(64, '0')}` },
  });
  const batches = 500;
  for (let i = 0; i < batches; i++)
    socket.send(JSON.stringify(Array.from({ length: 200 }, (_, k) => request(i * 200 + k))));
  await until(() => told.length === batches, 'not all are answered');
  const responses = told.flatMap(text => JSON.parse(text) as { result?: object; error?: { data: string } }[]);
  assert.equal(responses.filter(({ result }) => result).length, 200);
  assert.ok(responses.every(({ result, error }) => result ?? error?.data === 'at most 200 subscriptions'));
  socket.send(JSON.stringify(Array.from({ length: 201 }, (_, k) => request(k))));
  await until(() => told.length > batches, 'no response');
  assert.equal(JSON.parse(told.at(-1) ?? '').error.data, 'at most 200 requests at once');
  const query = Array.from({ length: 201 }, (_, i) => `transaction:${i.toString(16).padStart(64, '0')}`).join(',');
  const handshake = await open(t, port, `${SOCKET_IO}&subscriptions=${query.slice(0, 15_500).replace(/,[^,]*$/, '')}`);
  handshake.socket.send('40');
  await until(() => handshake.told.some(frame => frame.startsWith('40')), 'it is not connected');
  await hearsOn();
});

test('a frame of 10 MB ends the connection before it is read', async t => {
  const { port, hearsOn } = await serve(t);
  for (const path of [RPC, SOCKET_IO]) {
    const { socket } = await open(t, port, path);
    socket.send('x'.repeat(10_000_000));
    await once(socket, 'close');
  }
  await hearsOn();
});

test('who asks for an upgrade where there is none is disconnected, also if it leaves its half open', async t => {
  const { port } = await serve(t);
  const headers = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  for (const path of ['/', '/extended/v1/wsx', '/extended/v3/stream', '//', '/%', '/socket.iox/']) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    t.after(() => socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
    const [response] = await once(socket, 'data');
    assert.match(String(response), /^HTTP\/1\.1 40[04] /, path);
    // It never ends its half; writing to a closed socket is an error.
    socket.on('error', () => undefined);
    await until(() => {
      if (!socket.destroyed) socket.write('x');
      return socket.destroyed;
    }, `the connection to ${path} stays`);
  }
});

test('a token that is forged, of the future or of no chain leads to a gap, and nothing else', async t => {
  const { open: openStream, hearsOn } = await serve(t, { maxTokenWait: 50 });
  for (const after of [
    '0.0000000001.0',
    '1.ffffffffff.4',
    '1.ffffffffff1.4',
    '2.0000000000.4m999999999999999',
    '999999999999999.0123456789.999999999-999999999-999999999',
  ]) {
    const source = await openStream(`?after=${after}`);
    assert.equal((await source.has('gap'))[0]?.data.reason, 'unknown', after);
  }
  await hearsOn();
});
