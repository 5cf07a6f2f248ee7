/** Clients that send anything at all: each is refused or disconnected, and other clients still get every event. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { LONGEST_TURN, turnsDuring } from '../../../test/support/loop-turns.ts';
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

const LOCAL = '127.0.0.1';
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
    '40',
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
  const { port, clients, hearsOn } = await serve(t);
  const { socket, told } = await open(t, port, RPC);
  const request = (i: number) => ({
    jsonrpc: '2.0',
    id: i,
    method: 'subscribe',
    params: { event: 'tx_update', tx_id: `0x${i.toString(16).padStart(64, '0')}` },
  });
  const batches = 500;
  const send = (i: number) => socket.send(JSON.stringify(Array.from({ length: 200 }, (_, k) => request(i * 200 + k))));
  for (let i = 0; i < 3; i++) send(i);
  await until(() => told.length === 3, 'not all are answered');
  const responses = told.flatMap(text => JSON.parse(text) as { result?: object; error?: { data: string } }[]);
  assert.equal(responses.filter(({ result }) => result).length, 200);
  assert.equal(clients.ledger.heldBy('subscriptions', LOCAL), 201); // with that of the witness
  assert.ok(responses.every(({ result, error }) => result ?? error?.data === 'at most 200 subscriptions'));
  socket.send(JSON.stringify(Array.from({ length: 201 }, (_, k) => request(k))));
  await until(() => told.length > 3, 'no response');
  assert.equal(JSON.parse(told.at(-1) ?? '').error.data, 'at most 200 requests at once');
  const closed = once(socket, 'close');
  for (let i = 3; i < batches; i++) send(i);
  assert.equal((await closed)[0], 1008);
  await until(() => clients.ledger.heldBy('subscriptions', LOCAL) === 1, 'its subscriptions are kept');
  const query = Array.from({ length: 201 }, (_, i) => `transaction:${i.toString(16).padStart(64, '0')}`).join(',');
  const handshake = await open(t, port, `${SOCKET_IO}&subscriptions=${query.slice(0, 15_500).replace(/,[^,]*$/, '')}`);
  handshake.socket.send('40');
  await until(() => handshake.told.some(frame => frame.startsWith('40')), 'it is not connected');
  await hearsOn();
});

/** Begins a session that polls. @returns the path of its requests, and what its POST with packets is answered with */
async function poll(port: number) {
  const path = `http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await (await fetch(path)).text()).slice(1));
  return {
    post: async (...packets: string[]) => postOf(`${path}&sid=${sid}`, packets.join('\u001e')),
    get: async () => (await fetch(`${path}&sid=${sid}`)).text(),
  };
}

const postOf = async (url: string, body: string): Promise<number> =>
  (await fetch(url, { method: 'POST', body })).status;

test('5,000 CONNECT packets in one payload are refused before one is read, and end the session', async t => {
  const { port, clients, hearsOn } = await serve(t);
  const { post } = await poll(port);
  const { longest } = await turnsDuring(async () => {
    assert.equal(await post(...Array(5000).fill('40')), 400);
  });
  assert.ok(longest < LONGEST_TURN, `a turn of ${longest} ms`);
  assert.equal(clients.ledger.heldBy('streams', LOCAL), 1);
  assert.equal(await post('40'), 400, 'the session goes on');
  await hearsOn();
});

test('a connection has one socket of the default namespace, and sends no binary packets: else it ends', async t => {
  const { port, clients, hearsOn } = await serve(t);
  for (const packets of [['40', '40'], ['40{}', '40/,{}'], ['40/other,'], ['451-["subscribe"]'], ['bAAAA']]) {
    const { post } = await poll(port);
    await post(...packets);
    assert.equal(await post('40'), 400, `the session goes on after ${packets}`);
    const { socket, told } = await open(t, port, SOCKET_IO);
    const closed = once(socket, 'close');
    for (const packet of packets) socket.send(packet);
    assert.equal((await closed)[0], 1008);
    assert.ok(!told.some(frame => frame.startsWith('44')), 'a namespace is repeated');
  }
  assert.equal(clients.ledger.heldBy('streams', LOCAL), 1);
  await hearsOn();
});

test('sockets that never join and never read are disconnected, and leave nothing behind', async t => {
  const { port, clients, hearsOn } = await serve(t);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(t, port, SOCKET_IO)));
  const closed = sockets.map(({ socket }) => once(socket, 'close'));
  for (const { socket } of sockets) for (let i = 0; i < 20; i++) socket.send(`40/${'a'.repeat(65_000)}`);
  await Promise.all(closed);
  // Frames that are answered with nothing, and pings, which are answered.
  for (const send of [(socket: WebSocket) => socket.send('3'), (socket: WebSocket) => socket.ping('x'.repeat(100))]) {
    const { socket } = await open(t, port, SOCKET_IO);
    const [[code]] = await Promise.all([once(socket, 'close'), ...Array.from({ length: 600 }, () => send(socket))]);
    assert.ok(code === 1008 || code === 1006, code); // 1006: pongs wait for the connection
  }
  assert.equal(clients.ledger.heldBy('streams', LOCAL), 1);
  assert.equal(clients.ledger.held('unsent_bytes'), 0);
  await hearsOn();
});

test('a socket that does not join in time is disconnected', async t => {
  const { port, hearsOn } = await serve(t, { maxJoin: 50 });
  const { socket } = await open(t, port, SOCKET_IO);
  await once(socket, 'close');
  await hearsOn();
});

test('of 15,000 topics at once so many are read as a client may have, and an error repeats 200 characters of them', async t => {
  const { port, hearsOn } = await serve(t);
  const { socket, told } = await open(t, port, SOCKET_IO);
  socket.send('40');
  await until(() => told.some(frame => frame.startsWith('40')), 'it is not connected');
  const answerTo = async (id: number, topics: readonly string[]) => {
    socket.send(`42${id}${JSON.stringify(['subscribe', topics])}`);
    await until(() => told.some(frame => frame.startsWith(`43${id}`)), 'no response');
    return JSON.parse(told.find(frame => frame.startsWith(`43${id}`))?.slice(3) ?? '')[0];
  };
  const { longest } = await turnsDuring(async () => {
    assert.equal(await answerTo(1, Array(15_000).fill('x')), 'at most 200 subscriptions');
    assert.equal(await answerTo(2, [...Array(199).fill('x'), 'block']), `Invalid topic: ${'x, '.repeat(66)}x,`);
  });
  assert.ok(longest < LONGEST_TURN, `a turn of ${longest} ms`);
  await hearsOn();
});

test('batches of 190 subscriptions from 20 clients that come and go are answered in turns', async t => {
  const { port, clients, hearsOn } = await serve(t);
  const text = (client: number) =>
    JSON.stringify(
      Array.from({ length: 190 }, (_, i) => ({
        jsonrpc: '2.0',
        id: i,
        method: 'subscribe',
        params: { event: 'tx_update', tx_id: `0x${(client * 190 + i).toString(16).padStart(64, '0')}` },
      })),
    );
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open(t, port, RPC)));
  const { longest } = await turnsDuring(async () => {
    for (const [i, { socket }] of sockets.entries()) socket.send(text(i));
    await until(() => sockets.every(({ told }) => told.length === 1), 'not all are answered');
    assert.equal(clients.ledger.heldBy('subscriptions', LOCAL), 20 * 190 + 1);
    for (const { socket } of sockets) socket.terminate();
    await until(() => clients.ledger.heldBy('subscriptions', LOCAL) === 1, 'subscriptions are kept');
  });
  assert.ok(longest < LONGEST_TURN, `a turn of ${longest} ms`);
  await hearsOn();
});

test('what waits for a client that does not poll is counted until it is taken, and ends a session that never takes it', async t => {
  const { port, clients, hearsOn } = await serve(t, { hardQueue: 20_000 });
  const held = () => clients.ledger.heldBy('unsent_bytes', LOCAL);
  const { post, get } = await poll(port);
  assert.equal(await post('40'), 200);
  assert.match(await get(), /^40/);
  assert.equal(await post('420["subscribe","block"]'), 200);
  assert.match(await get(), /^430/);
  await until(async () => {
    await hearsOn();
    return held() > 0;
  }, 'nothing is counted');
  await get();
  await until(() => held() === 0, 'what was taken is counted');
  await until(async () => {
    await hearsOn();
    return clients.ledger.heldBy('streams', LOCAL) === 1;
  }, 'the session stays');
  assert.equal(held(), 0);
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

test('a forged place before the first block leads to the first block: a reading that stands still would stop the process', async t => {
  const { open: openStream, port, hearsOn } = await serve(t);
  for (const after of ['0.0000000000.0', '0.0000000000.1', '0.0000000000.2-7', '0.0000000000.3m1']) {
    const page = await fetch(`http://127.0.0.1:${port}/extended/v3/stream/events?topics=block&after=${after}`);
    const { events } = (await page.json()) as { readonly events: readonly { readonly event: string }[] };
    assert.equal(events[0]?.event, 'block', after);
    await (await openStream(`?after=${after}`)).has('block');
  }
  await hearsOn();
});

test('when all places are taken, a client of an address that holds less gets that of the newest client of another one', async t => {
  // The socket of socket.io never joins, however slow the machine is.
  const limits = { maxStreams: 4, maxStreamsPerAddress: 4, maxJoin: 600_000 };
  const { port, index } = await openLiveServer(t, openFreshOf.sqlite, limits);
  await deliverBlocks(index, new ChainBuilder(), 1);
  const socketFrom = async (path: string, localAddress: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { localAddress });
    t.after(() => socket.terminate());
    const ended = new Promise<string>(resolve => {
      socket.on('close', (code, reason) => resolve(`${code} ${reason}`));
    });
    socket.on('error', () => undefined);
    await Promise.race([once(socket, 'open'), ended]);
    return { socket, ended };
  };
  const streamFrom = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    t.after(() => socket.destroy());
    let text = '';
    const ended = new Promise<string>(resolve => socket.on('close', () => resolve(text)));
    socket.on('data', data => {
      text += data;
    });
    socket.write(
      'GET /extended/v3/stream?topics=block HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n',
    );
    await until(() => /event: hello|^HTTP\/1.1 503/.test(text), 'no stream begins');
    return { ended };
  };
  const many = '127.0.0.2';
  const first = await socketFrom(RPC, many);
  const [rpc, io] = [await socketFrom(RPC, many), await socketFrom(SOCKET_IO, many)];
  const stream = await streamFrom(many);
  await socketFrom(RPC, '127.0.0.3');
  assert.match(await stream.ended, /event: bye\ndata: \{"reason":"full"\}/);
  await streamFrom('127.0.0.4');
  assert.equal(await io.ended, '1013 full');
  await socketFrom(SOCKET_IO, '127.0.0.5');
  assert.equal(await rpc.ended, '1013 full');
  assert.match(await (await streamFrom('127.0.0.6')).ended, /^HTTP\/1.1 503 /, 'no address holds more than it would');
  assert.equal(first.socket.readyState, WebSocket.OPEN);
});
