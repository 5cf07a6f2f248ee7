import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverBlocks, openLiveServer } from '../../../test/support/live-server.ts';
import { announced, transferOf } from '../../../test/support/pending-transactions.ts';
import { sampleMove } from '../../../test/support/sample-contracts.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { until } from '../../../test/support/until.ts';

const ADDRESS = accountAddress(10);
const TX = `0x${'ab'.repeat(32)}`;
const ASSET = `${accountAddress(9)}.apes::ape`;

/** A client that records the messages it receives. */
async function connect(t: TestContext, port: number, options: ConstructorParameters<typeof WebSocket>[2] = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/extended/v1/ws`, options);
  t.after(() => socket.terminate());
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  const told: any[] = [];
  socket.on('message', data => told.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const ask = async (text: string) => {
    const before = told.length;
    socket.send(text);
    await until(() => told.length > before, `no response to ${text}`);
    return told[before];
  };
  const rpc = (method: string, params: object) => ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const notified = async (method: string, count = 1) => {
    const of = () => told.filter(message => message.method === method);
    await until(() => of().length >= count, `no ${count} of ${method}: ${JSON.stringify(told)}`);
    return of().map(({ params }) => params);
  };
  return { socket, told, ask, rpc, notified };
}

test('every request of the table is answered as the table says', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite);
  const { ask, told } = await connect(t, port);
  const subscribe = (params: unknown, id: unknown = 1) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params });
  const result = (value: unknown) => ({ jsonrpc: '2.0', id: 1, result: value });
  const error = (id: unknown, code: number, message: string, data?: unknown) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  });
  const asset = { asset_identifier: ASSET };
  const token = { ...asset, value: '0x0100000000000000000000000000000001' };
  const table: readonly (readonly [string, unknown])[] = [
    [subscribe({ event: 'block' }), result({})],
    [subscribe({ event: 'microblock' }), result({})],
    [subscribe({ event: 'mempool' }), result({})],
    [subscribe({ event: 'nft_event' }), result({})],
    [subscribe({ event: 'block' }).replace('subscribe', 'unsubscribe'), result({})],
    [subscribe({ event: 'nft_event' }).replace('subscribe', 'unsubscribe'), result({})],
    [subscribe({ event: 'tx_update', tx_id: TX.toUpperCase().slice(2) }), result({ tx_id: TX })],
    [subscribe({ event: 'address_tx_update', address: ADDRESS }), result({ address: ADDRESS })],
    [subscribe({ event: 'address_balance_update', address: ADDRESS }), result({ address: ADDRESS })],
    [subscribe({ event: 'nft_asset_event', ...token }), result(token)],
    [subscribe({ event: 'nft_collection_event', ...asset }), result(asset)],
    [subscribe(undefined), error(1, -32602, 'Invalid params', 'subscription requests must include an event name')],
    [subscribe({}), error(1, -32602, 'Invalid params', 'subscription requests must include an event name')],
    [subscribe({ event: 'x' }), error(1, -32602, 'Invalid params', 'subscription request must use a valid event name')],
    [subscribe({ event: 'tx_update', tx_id: '0x12' }), error(1, -32602, 'Invalid params', 'invalid tx_id')],
    [
      subscribe({ event: 'address_tx_update', address: `${ADDRESS.slice(0, -1)}0` }),
      error(1, -32602, 'Invalid params', 'invalid address'),
    ],
    [subscribe({ event: 'nft_asset_event' }), error(1, -32602, 'Invalid params', 'invalid asset_identifier')],
    [subscribe({ event: 'nft_asset_event', ...asset }), error(1, -32602, 'Invalid params', 'invalid value')],
    [subscribe({}).replace('subscribe', 'other'), error(1, -32601, 'Method not found')],
    ['{', error(null, -32700, 'Parse error', '{')],
    ['[]', error(null, -32600, 'Invalid request', [])],
    ['{"id":1}', error(null, -32600, 'Invalid request', { id: 1 })],
    ['1', error(null, -32600, 'Invalid request', 1)],
    [subscribe('block'), error(null, -32602, 'Invalid params', 'block')],
    [
      subscribe({ event: 'block' }, null),
      error(null, -32603, 'Internal error', '"id" must be provided, a string or an integer.'),
    ],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', error(1, -32600, 'Invalid request', 'unexpected success msg from client')],
    ['{"jsonrpc":"2.0","id":1,"error":{}}', error(1, -32600, 'Invalid request', 'unexpected error msg from client')],
    [`[${subscribe({ event: 'block' })},${subscribe({}, 2)}]`, undefined],
  ];
  for (const [text, expected] of table) {
    const response = await ask(text);
    if (expected !== undefined) assert.deepEqual(response, expected, text);
    else assert.deepEqual([response.length, response[0].id, response[1].error.code], [2, 1, -32602]);
  }
  assert.equal(told.length, table.length, 'a frame gets one response');
});

test('what is subscribed to is unsubscribed from with the same result, in text and in binary frames', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite);
  const { socket, told, rpc } = await connect(t, port);
  for (const [params, result] of [
    [{ event: 'microblock' }, {}],
    [{ event: 'mempool' }, {}],
    [{ event: 'tx_update', tx_id: TX.slice(2) }, { tx_id: TX }],
    [{ event: 'address_tx_update', address: ADDRESS }, { address: ADDRESS }],
    [{ event: 'address_balance_update', address: ADDRESS }, { address: ADDRESS }],
    [{ event: 'nft_collection_event', asset_identifier: ASSET }, { asset_identifier: ASSET }],
  ] as const)
    for (const method of ['subscribe', 'unsubscribe', 'unsubscribe'])
      assert.deepEqual((await rpc(method, params)).result, result, `${method} ${params.event}`);
  const before = told.length;
  socket.send(
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'subscribe', params: { event: 'block' } })),
  );
  await until(() => told.length > before, 'a binary frame has no response');
  assert.deepEqual(told.at(-1), { jsonrpc: '2.0', id: 'ü', result: {} });
});

test('a request without an id has no response, and subscribes to nothing', async t => {
  const { index, port } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(index, chain, 1);
  const { socket, told, rpc, notified } = await connect(t, port);
  socket.send('{"jsonrpc":"2.0","method":"subscribe","params":{"event":"mempool"}}');
  socket.send('[{"jsonrpc":"2.0","method":"subscribe","params":{"event":"microblock"}}]');
  socket.send('{"jsonrpc":"2.0","method":"subscribe","params":{"event":"nft_event"}}');
  await rpc('subscribe', { event: 'block' });
  assert.equal(told.length, 1);
  assert.ok(first);
  const mint = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), {
    events: [sampleMove(ASSET, '0x0100000000000000000000000000000001', null, ADDRESS)],
  });
  await index.deliver(announced(transferOf()), chain.block({ parent: first, txs: [chain.coinbase(), mint] }).delivery);
  const [block] = await notified('block');
  assert.deepEqual(Object.keys(told[1]), ['jsonrpc', 'method', 'params']);
  assert.equal(block.height, 2);
  await rpc('unsubscribe', { event: 'block' });
  assert.deepEqual(
    told.map(({ method }) => method ?? 'response'),
    ['response', 'block', 'response'],
  );
});

test('a block is told with its transactions, balances and NFTs as the routes tell them, and told again when a fork takes it back', async t => {
  const { index, port } = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(index, chain, 1);
  assert.ok(first);
  const client = await connect(t, port);
  const transfer = chain.transfer({ from: 10 });
  await client.rpc('subscribe', { event: 'block' });
  await client.rpc('subscribe', { event: 'tx_update', tx_id: transfer.txId });
  await client.rpc('subscribe', { event: 'address_tx_update', address: ADDRESS });
  await client.rpc('subscribe', { event: 'address_balance_update', address: ADDRESS });
  const lost = chain.block({ parent: first, txs: [chain.coinbase(), transfer] });
  await index.deliver(lost.delivery);
  const [block] = await client.notified('block');
  assert.deepEqual(block, (await index.get(`/extended/v1/block/by_height/2`)).body);
  const [tx] = await client.notified('tx_update');
  assert.deepEqual(tx, { ...(await index.get(`/extended/v1/tx/${transfer.txId}`)).body, events: [] });
  const [moved] = await client.notified('address_tx_update');
  const { tx_id, tx_status, tx_type } = tx;
  const { body: route } = await index.get(`/extended/v1/address/${ADDRESS}/${transfer.txId}/with_transfers`);
  assert.deepEqual(moved, { address: ADDRESS, tx_id, tx_status, tx_type, ...route });
  const [balance] = await client.notified('address_balance_update');
  const { body: stx } = await index.get(`/extended/v1/address/${ADDRESS}/stx`);
  assert.equal(balance.balance, stx.balance);
  // A fork without the transaction.
  const other: BuiltBlock[] = [];
  for (let i = 0; i < 2; i++) other.push(chain.block({ parent: other.at(-1) ?? first }));
  await index.deliver(...other.map(({ delivery }) => delivery));
  const blocks = await client.notified('block', 4);
  assert.deepEqual(
    blocks.slice(1).map(({ canonical, index_block_hash }) => [canonical, index_block_hash]),
    [[false, lost.indexHash], ...other.map(({ indexHash }) => [true, indexHash])],
  );
  const [, pending] = await client.notified('tx_update', 2);
  assert.equal(pending.tx_status, 'pending');
  assert.equal((await client.notified('address_tx_update', 2)).at(-1).tx.canonical, false);
  const restored = (await client.notified('address_balance_update', 2)).at(-1);
  assert.equal(restored.balance, (await index.get(`/extended/v1/address/${ADDRESS}/stx`)).body.balance);
  // After it unsubscribes, the client gets no more events.
  const before = client.told.length;
  await client.rpc('unsubscribe', { event: 'block' });
  const witness = await connect(t, port);
  await witness.rpc('subscribe', { event: 'block' });
  await deliverBlocks(index, chain, 1, other.at(-1));
  await witness.notified('block');
  assert.equal(client.told.length, before + 1);
});

test('a client that answers no ping is disconnected, one that does stays whatever it listens to', async t => {
  const limits = { pingInterval: 2000 };
  const { port } = await openLiveServer(t, openFreshOf.sqlite, limits);
  const dead = await connect(t, port, { autoPong: false });
  const alive = await connect(t, port);
  await alive.rpc('subscribe', { event: 'tx_update', tx_id: TX });
  await alive.rpc('subscribe', { event: 'tx_update', tx_id: `0x${'cd'.repeat(32)}` });
  let pings = 0;
  alive.socket.on('ping', () => pings++);
  await once(dead.socket, 'close');
  await until(() => pings >= 2 || alive.socket.readyState !== WebSocket.OPEN, 'no pings');
  assert.equal(alive.socket.readyState, WebSocket.OPEN);
});

test('frames, subscriptions and clients that are too many or too large are refused', async t => {
  const limits = { maxSubscriptions: 2, maxFrame: 1000, maxStreamsPerAddress: 2 };
  const { port } = await openLiveServer(t, openFreshOf.sqlite, limits);
  const client = await connect(t, port);
  await client.rpc('subscribe', { event: 'block' });
  await client.rpc('subscribe', { event: 'mempool' });
  assert.deepEqual((await client.rpc('subscribe', { event: 'block' })).result, {});
  assert.equal((await client.rpc('subscribe', { event: 'nft_event' })).error.data, 'at most 2 subscriptions');
  const large = await connect(t, port);
  large.socket.send('x'.repeat(1001));
  const [code] = await once(large.socket, 'close');
  assert.equal(code, 1009);
  await connect(t, port);
  const third = new WebSocket(`ws://127.0.0.1:${port}/extended/v1/ws`);
  const [error] = await once(third, 'error');
  assert.match(error.message, /429/);
});

test('only its own path is a WebSocket, and an offer of HTTP/2 is an ordinary request', async t => {
  const { port } = await openLiveServer(t, openFreshOf.sqlite);
  for (const [path, status] of [
    ['/extended/v1/ws/', 400],
    ['/extended/v1/wsx', 400],
    ['/extended', 404],
  ]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    const [error] = await once(socket, 'error');
    assert.match(error.message, new RegExp(String(status)), String(path));
  }
  const query = new WebSocket(`ws://127.0.0.1:${port}/extended/v1/ws?x=1`);
  await once(query, 'open');
  query.terminate();
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  const [response] = await once(get({ port, host: '127.0.0.1', path: '/extended', headers, agent: false }), 'response');
  assert.equal(response.statusCode, 200);
  response.resume();
});
