/** The published clients of the API, as applications use them. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { deliverBlocks, openLiveServer } from '../support/live-server.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { sampleMove } from '../support/sample-contracts.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: of three versions, whose types differ; what they do is under test
type AnyClient = any;

const require = createRequire(import.meta.url);
const CLIENTS: readonly (readonly [version: string, library: AnyClient])[] = ['7', '8', '9'].map(version => [
  version,
  require(`client-${version}`),
]);

const ADDRESS = accountAddress(10);
const ASSET = `${accountAddress(9)}.apes::ape`;
const TOKEN = '0x0100000000000000000000000000000001';

async function serve(t: TestContext) {
  const server = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const [first] = await deliverBlocks(server.index, chain, 1);
  assert.ok(first);
  return { ...server, chain, first };
}

/** A block that has something for every subject. */
function eventful(chain: ChainBuilder, parent: BuiltBlock) {
  const mint = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), {
    from: 10,
    events: [sampleMove(ASSET, TOKEN, null, ADDRESS)],
  });
  return { mint, block: chain.block({ parent, txs: [chain.coinbase(), mint] }) };
}

for (const [version, library] of CLIENTS) {
  test(`client ${version} by socket.io hears of every subject, comes back by itself, and of nothing when it has unsubscribed`, async t => {
    const { index, port, chain, first } = await serve(t);
    const client = new library.StacksApiSocketClient({
      url: `http://127.0.0.1:${port}`,
      socketOpts: { forceNew: true },
    });
    const { socket } = client;
    t.after(() => socket.disconnect());
    const { mint, block } = eventful(chain, first);
    const told = new Map<string, unknown[][]>();
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void told.set(name, [...(told.get(name) ?? []), args]);
    /** An argument of the first call. */
    const heardOf = (name: string, argument = 0): AnyClient => told.get(name)?.[0]?.[argument];
    const subscriptions = [
      client.subscribeBlocks(note('block')),
      client.subscribeMempool(note('mempool')),
      client.subscribeMicroblocks(note('microblock')),
      client.subscribeTransaction(mint.txId, note('tx')),
      client.subscribeAddressTransactions(ADDRESS, note('address')),
      client.subscribeAddressStxBalance(ADDRESS, note('balance')),
      client.subscribeNftEvent(note('nft')),
      client.subscribeNftAssetEvent(ASSET, TOKEN, note('token')),
      client.subscribeNftCollectionEvent(ASSET, note('collection')),
    ];
    const joined = () =>
      until(async () => (await socket.emitWithAck('subscribe', 'block')) === null, 'it is not connected');
    await joined();
    const pending = transferOf({ from: 11 });
    await index.deliver(announced(pending));
    await index.deliver(block.delivery);
    await until(() => told.size === 8, `${version} hears only of ${[...told.keys()]}`);
    const { body } = await index.get('/extended/v1/block/by_height/2');
    assert.deepEqual(told.get('block'), [[body]]);
    assert.deepEqual(heardOf('mempool').tx_id, pending.txId);
    assert.equal(heardOf('tx').tx_status, 'success');
    assert.deepEqual([heardOf('address'), heardOf('address', 1).tx.tx_id], [ADDRESS, mint.txId]);
    assert.deepEqual(told.get('token')?.[0]?.slice(0, 2), [ASSET, TOKEN]);
    assert.deepEqual(heardOf('nft').asset_event_type, 'mint');
    // Its connection breaks. It does not subscribe again: its handshake does.
    const reconnected = new Promise(resolve => socket.once('connect', resolve));
    socket.io.engine.close();
    await reconnected;
    const before = told.get('block')?.length ?? 0;
    await until(async () => {
      await index.deliver(chain.block({ parent: block }).delivery);
      return (told.get('block')?.length ?? 0) > before;
    }, 'it hears nothing after it came back');
    for (const { unsubscribe } of subscriptions) unsubscribe();
    const counts = () => [...told.values()].map(calls => calls.length);
    await socket.emitWithAck('subscribe', 'nft-event'); // in order: the server has heard of the others
    const heard = counts();
    const other = eventful(chain, block).block;
    await index.deliver(other.delivery, chain.block({ parent: other }).delivery);
    const witness = new library.StacksApiSocketClient({
      url: `http://127.0.0.1:${port}`,
      socketOpts: { forceNew: true },
    });
    t.after(() => witness.socket.disconnect());
    assert.equal(await witness.socket.emitWithAck('subscribe', 'block'), null);
    assert.deepEqual(counts(), heard);
  });

  test(`client ${version} by WebSocket hears of what it subscribed to`, async t => {
    const { index, port, chain, first } = await serve(t);
    const client = await library.connectWebSocketClient(`ws://127.0.0.1:${port}`);
    t.after(() => client.webSocket.close());
    const { mint, block } = eventful(chain, first);
    const told = new Map<string, AnyClient[]>();
    const note = (name: string) => (event: unknown) => void told.set(name, [...(told.get(name) ?? []), event]);
    const blocks = await client.subscribeBlocks(note('block'));
    await client.subscribeMempool(note('mempool'));
    await client.subscribeTxUpdates(mint.txId, note('tx'));
    await client.subscribeAddressTransactions(ADDRESS, note('address'));
    await client.subscribeAddressBalanceUpdates(ADDRESS, note('balance'));
    await client.subscribeNftEventUpdates(note('nft'));
    await client.subscribeNftAssetEventUpdates(ASSET, TOKEN, note('token'));
    await client.subscribeNftCollectionEventUpdates(ASSET, note('collection'));
    const pending = transferOf({ from: 11 });
    await index.deliver(announced(pending));
    await index.deliver(block.delivery);
    await until(() => told.size === 8, `${version} hears only of ${[...told.keys()]}`);
    assert.equal(told.get('block')?.[0].height, 2);
    assert.equal(told.get('address')?.[0].tx_id, mint.txId);
    assert.equal(told.get('token')?.[0].value.hex, TOKEN);
    await blocks.unsubscribe();
    await index.deliver(chain.block({ parent: block }).delivery);
    await until(() => (told.get('nft')?.length ?? 0) >= 1, 'nothing');
    assert.equal(told.get('block')?.length, 1);
  });
}
