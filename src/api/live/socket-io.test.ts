import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client';
import { WebSocket } from 'ws';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';

const TX = `0x${'ab'.repeat(32)}`;

/** A connection whose frames are written by hand. */
async function raw(t: TestContext, port: number, query = 'subscriptions=') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?${query}&EIO=4&transport=websocket`);
  t.after(() => socket.terminate());
  const frames: string[] = [];
  socket.on('message', data => frames.push(String(data)));
  await once(socket, 'open');
  const next = async (begin: string): Promise<string> => {
    await until(() => frames.some(frame => frame.startsWith(begin)), `no frame ${begin}: ${frames}`);
    return (
      frames.splice(
        frames.findIndex(frame => frame.startsWith(begin)),
        1,
      )[0] ?? ''
    );
  };
  const open = await next('0');
  socket.send('40');
  return { socket, frames, next, open: JSON.parse(open.slice(1)) };
}

function connect(t: TestContext, port: number, options: Partial<ManagerOptions & SocketOptions> = {}) {
  const socket = io(`http://127.0.0.1:${port}`, { forceNew: true, ...options });
  t.after(() => socket.disconnect());
  return socket;
}

test('frames are those of the protocol, as they were recorded', async t => {
  const { index, port } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(index, chain, 1);
  const { socket, next, open, frames } = await raw(t, port);
  assert.deepEqual(Object.keys(open), ['sid', 'upgrades', 'pingInterval', 'pingTimeout', 'maxPayload']);
  assert.deepEqual(open.upgrades, []);
  assert.match(await next('40'), /^40\{"sid":"[^"]+"\}$/);
  socket.send('420["subscribe","block"]');
  assert.equal(await next('430'), '430[null]');
  socket.send('421["subscribe","nope"]');
  assert.equal(await next('431'), '431["Invalid topic: nope"]');
  socket.send('422["subscribe",["nope","block","mempool"]]');
  assert.equal(await next('432'), '432["Invalid topic: nope"]');
  const [second] = await deliverBlocks(index, chain, 1, first);
  const [name, block] = JSON.parse((await next('42[')).slice(2));
  assert.equal(name, 'block');
  assert.deepEqual(block, (await index.get('/extended/v1/block/by_height/2')).body);
  socket.send('42["unsubscribe","block"]');
  socket.send('423["subscribe","nft-event"]');
  await next('433');
  const witness = await raw(t, port, 'subscriptions=,block,&subscriptions=mempool');
  await witness.next('40');
  // Its topics are joined when it is answered; another subscription waits for the same.
  witness.socket.send('420["subscribe","block"]');
  await witness.next('430');
  await deliverBlocks(index, chain, 1, second);
  await witness.next('42["block"');
  assert.deepEqual(
    frames.filter(frame => frame.startsWith('42')),
    [],
  );
});

test('who answers no ping is disconnected', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite, { pingInterval: 200 });
  const silent = await raw(t, port);
  const [[code]] = await Promise.all([once(silent.socket, 'close'), silent.next('2')]);
  assert.ok(code);
});

test('a handshake with a topic that is none is refused with its name', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite);
  const socket = connect(t, port, {
    query: { subscriptions: `block,foo,transaction:0x12,address-transaction:undefined` },
  });
  const [error] = await new Promise<[Error]>(resolve => {
    socket.on('connect_error', error => resolve([error]));
  });
  assert.equal(error.message, 'Invalid topic: foo, transaction:0x12, address-transaction:undefined');
  assert.equal(socket.active, false);
});

test('every subject has its arguments, under the name that the client gave it, by polling and by WebSocket', async t => {
  const { index, port } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(index, chain, 1);
  assert.ok(first);
  const principal = accountAddress(10);
  const transfer = chain.transfer({ from: 10 });
  const spelled = `transaction:${transfer.txId.slice(2).toUpperCase()}`;
  const topics = ['block', spelled, `address-transaction:${principal}`, `address-stx-balance:${principal}`];
  const clients = ['polling', 'websocket'].map(transport => connect(t, port, { transports: [transport] }));
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  const told = clients.map(() => new Map<string, any[]>());
  for (const [i, client] of clients.entries()) {
    client.onAny((name, ...args) => told[i]?.set(name, args));
    assert.equal(await client.emitWithAck('subscribe', topics), null);
  }
  await index.deliver(chain.block({ parent: first, txs: [chain.coinbase(), transfer] }).delivery);
  for (const each of told) {
    await until(() => each.size === topics.length, `only ${[...each.keys()]}`);
    assert.deepEqual(each.get('block')?.[0].height, 2);
    assert.deepEqual(each.get(spelled)?.[0].tx_id, transfer.txId);
    assert.deepEqual(
      [each.get(topics[2] ?? '')?.[0], each.get(topics[2] ?? '')?.[1].tx.tx_id],
      [principal, transfer.txId],
    );
    const { body } = await index.get(`/extended/v1/address/${principal}/stx`);
    assert.deepEqual(
      [each.get(topics[3] ?? '')?.[0], each.get(topics[3] ?? '')?.[1].balance],
      [principal, body.balance],
    );
  }
});

test('subscriptions that are too many are refused in the acknowledgement', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite, { maxSubscriptions: 1 });
  const client = connect(t, port);
  assert.equal(await client.emitWithAck('subscribe', 'block'), null);
  assert.equal(await client.emitWithAck('subscribe', 'block'), null);
  assert.equal(await client.emitWithAck('subscribe', `transaction:${TX}`), 'at most 1 subscriptions');
  assert.equal(await client.emitWithAck('subscribe', 12), 'Invalid topic: 12');
});

test('a client may subscribe to all its topics one by one at once, by polling and by WebSocket, and then to others', async t => {
  const { port, clients } = await openLiveServer(t, openFreshOf.sqlite);
  for (const transport of ['polling', 'websocket']) {
    const client = connect(t, port, { transports: [transport] });
    await new Promise<void>(resolve => client.on('connect', resolve));
    const topics = Array.from({ length: 200 }, (_, i) => `transaction:0x${i.toString(16).padStart(64, '0')}`);
    const answers = await Promise.all(topics.map(topic => client.emitWithAck('subscribe', topic)));
    assert.deepEqual(answers, Array(200).fill(null));
    assert.equal(clients.ledger.held('subscriptions'), 200);
    for (const topic of topics) client.emit('unsubscribe', topic);
    assert.equal(await client.emitWithAck('subscribe', 'block'), null);
    assert.equal(clients.ledger.held('subscriptions'), 1);
    client.disconnect();
    await until(() => clients.ledger.held('subscriptions') === 0, 'a subscription is kept');
  }
});

/** Timers that keep this process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;

/** Begins a session that polls, on a connection of its own. */
const begin = (port: number, query: string) =>
  fetch(`http://127.0.0.1:${port}/socket.io/?transport=polling&${query}`, { headers: { connection: 'close' } });

test('a session has a place although its connection is closed, and what is none has no place', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite, { maxStreamsPerAddress: 2 });
  assert.equal((await begin(port, 'EIO=3')).status, 400);
  assert.equal((await begin(port, 'EIO=4')).status, 200);
  assert.equal((await begin(port, 'EIO=4&sid=')).status, 200);
  const refused = await begin(port, 'EIO=4&sid=');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10']);
  assert.equal(JSON.parse(await refused.text()).code, 'TOO_MANY_STREAMS');
  const upgrade = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`);
  const [, response] = await once(upgrade, 'unexpected-response');
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [429, '10']);
});

test('a session that polls no more ends, and gives its place back', async t => {
  const { port, clients } = await openLiveServer(t, openFreshOf.sqlite, { maxStreamsPerAddress: 1, pingInterval: 100 });
  const atFirst = timers();
  assert.equal((await begin(port, 'EIO=4')).status, 200);
  await until(() => clients.ledger.held('streams') === 0, 'a place is never free');
  assert.equal(timers(), atFirst, 'it leaves no timer');
  assert.equal((await begin(port, 'EIO=4')).status, 200);
});

test('a channel that closes tells a client that polls, and ends its session without another poll', async t => {
  const database = await databaseWithTables(openFreshOf.sqlite, t);
  const index = await openTestIndex(database, { liveLimits: { pingInterval: PATIENCE_MS } });
  const { port, close } = await index.listen();
  const atFirst = timers();
  const { sid } = JSON.parse((await (await begin(port, 'EIO=4')).text()).slice(1));
  const poll = async (init: RequestInit = {}) =>
    (await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling&sid=${sid}`, init)).text();
  assert.equal(await poll({ method: 'POST', body: '40' }), 'ok');
  assert.match(await poll(), /^40/);
  const last = poll();
  // The response means that the poll before this request has arrived.
  assert.equal(await poll({ method: 'POST', body: '3' }), 'ok');
  await close();
  assert.equal(await last, '41');
  assert.equal(timers(), atFirst);
});
