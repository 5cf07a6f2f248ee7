/** The published clients of the API, as applications use them. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { deliverBlocks, openLiveServer } from '../support/live-server.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { sampleMove } from '../support/sample-contracts.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
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

/** A transaction that has something for every subject of what is in blocks. */
const mintOf = (chain: ChainBuilder) =>
  chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), {
    from: 10,
    events: [sampleMove(ASSET, TOKEN, null, ADDRESS)],
  });

/** Something for every subject: a pending transaction, blocks of which one has this transaction, and a microblock on the last. */
function everything(chain: ChainBuilder, parent: BuiltBlock, mint: BuiltTx, length: number) {
  const pending = transferOf({ from: 11, nonce: length });
  const block = chain.block({ parent, txs: [chain.coinbase(), mint] });
  const [top = block] = chain.chain(length - 1, block).slice(-1);
  const more = length === 1 ? [] : [top.delivery];
  const microblocks = chain.microblocks(top, [[chain.transfer({ from: 12 })]]);
  return { pending, block, deliveries: [announced(pending), block.delivery, ...more, chain.stream(top, microblocks)] };
}

const SUBJECTS = ['block', 'mempool', 'microblock', 'tx', 'address', 'balance', 'nft', 'token', 'collection'];

for (const [version, library] of CLIENTS) {
  test(`client ${version} by socket.io hears of every subject, also when it came back by itself, and of nothing when it has unsubscribed`, async t => {
    const { index, port, chain, first } = await serve(t);
    const client = new library.StacksApiSocketClient({
      url: `http://127.0.0.1:${port}`,
      socketOpts: { forceNew: true },
    });
    const { socket } = client;
    t.after(() => socket.disconnect());
    const mint = mintOf(chain);
    const told = new Map<string, unknown[][]>();
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void told.set(name, [...(told.get(name) ?? []), args]);
    /** An argument of the last call. */
    const heardOf = (name: string, argument = 0): AnyClient => told.get(name)?.at(-1)?.[argument];
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
    const missing = () => SUBJECTS.filter(name => !told.has(name));
    const joined = () =>
      until(async () => (await socket.emitWithAck('subscribe', 'block')) === null, 'it is not connected');
    const assertHeard = async ({ pending, block }: ReturnType<typeof everything>) => {
      const { body: stx } = await index.get(`/extended/v1/address/${ADDRESS}/stx?unanchored=false`);
      const isTold = () =>
        missing().length === 0 &&
        heardOf('tx').block_hash === block.hash &&
        heardOf('balance', 1).balance === stx.balance && // the last of a block
        told.get('mempool')?.some(([tx]) => (tx as AnyClient).tx_id === pending.txId) === true;
      await until(isTold, `${version} hears nothing of ${missing()}`);
      const { body } = await index.get(`/extended/v1/block/by_height/${heardOf('block').height}`);
      assert.deepEqual(heardOf('block'), body);
      const { body: microblock } = await index.get(`/extended/v1/microblock/${heardOf('microblock').microblock_hash}`);
      assert.deepEqual(heardOf('microblock'), microblock);
      assert.deepEqual([heardOf('tx').tx_status, heardOf('tx').block_hash], ['success', block.hash]);
      assert.deepEqual([heardOf('address'), heardOf('address', 1).tx.block_hash], [ADDRESS, block.hash]);
      assert.equal(heardOf('balance'), ADDRESS);
      assert.deepEqual(told.get('token')?.at(-1)?.slice(0, 2), [ASSET, TOKEN]);
      assert.equal(heardOf('collection'), ASSET);
      assert.deepEqual([heardOf('nft').asset_event_type, heardOf('nft').tx_id], ['mint', mint.txId]);
    };
    await joined();
    const before = everything(chain, first, mint, 1);
    await index.deliver(...before.deliveries);
    await assertHeard(before);
    // Its connection breaks. It does not subscribe again: its handshake does.
    const reconnected = new Promise(resolve => socket.once('connect', resolve));
    socket.io.engine.close();
    await reconnected;
    await joined();
    told.clear();
    // A fork with the same transaction.
    const after = everything(chain, first, mint, 2);
    await index.deliver(...after.deliveries);
    await assertHeard(after);
    for (const { unsubscribe } of subscriptions) unsubscribe();
    await socket.emitWithAck('subscribe', `transaction:${'ab'.repeat(32)}`); // in order: after the other subscriptions
    told.clear();
    const [next, last] = chain.chain(2, after.block);
    assert.ok(next && last);
    await index.deliver(next.delivery, last.delivery, ...everything(chain, last, mintOf(chain), 3).deliveries);
    const witness = new library.StacksApiSocketClient({
      url: `http://127.0.0.1:${port}`,
      socketOpts: { forceNew: true },
    });
    t.after(() => witness.socket.disconnect());
    assert.equal(await witness.socket.emitWithAck('subscribe', 'block'), null);
    assert.deepEqual([...told.keys()], []);
  });

  test(`client ${version} by WebSocket hears of every subject that it subscribed to, also on a new connection`, async t => {
    const { index, port, chain, first } = await serve(t);
    const mint = mintOf(chain);
    const told = new Map<string, AnyClient[]>();
    const note = (name: string) => (event: unknown) => void told.set(name, [...(told.get(name) ?? []), event]);
    const missing = () => SUBJECTS.filter(name => !told.has(name));
    const connect = async () => {
      const client = await library.connectWebSocketClient(`ws://127.0.0.1:${port}`);
      t.after(() => client.webSocket.close());
      const blocks = await client.subscribeBlocks(note('block'));
      await client.subscribeMicroblocks(note('microblock'));
      await client.subscribeMempool(note('mempool'));
      await client.subscribeTxUpdates(mint.txId, note('tx'));
      await client.subscribeAddressTransactions(ADDRESS, note('address'));
      await client.subscribeAddressBalanceUpdates(ADDRESS, note('balance'));
      await client.subscribeNftEventUpdates(note('nft'));
      await client.subscribeNftAssetEventUpdates(ASSET, TOKEN, note('token'));
      await client.subscribeNftCollectionEventUpdates(ASSET, note('collection'));
      return { client, blocks };
    };
    const assertHeard = async ({ pending, block }: ReturnType<typeof everything>) => {
      const isTold = () =>
        missing().length === 0 &&
        told.get('tx')?.at(-1).block_hash === block.hash &&
        told.get('mempool')?.some(({ tx_id }) => tx_id === pending.txId) === true;
      await until(isTold, `${version} hears nothing of ${missing()}`);
      assert.deepEqual(
        [told.get('address')?.at(-1).tx_id, told.get('address')?.at(-1).tx.block_hash],
        [mint.txId, block.hash],
      );
      assert.equal(told.get('token')?.at(-1).value.hex, TOKEN);
    };
    const { client } = await connect();
    const before = everything(chain, first, mint, 1);
    await index.deliver(...before.deliveries);
    await assertHeard(before);
    client.webSocket.close();
    told.clear();
    const { blocks } = await connect();
    const after = everything(chain, first, mint, 2);
    await index.deliver(...after.deliveries);
    await assertHeard(after);
    await blocks.unsubscribe();
    told.clear();
    const [next, last] = chain.chain(2, after.block);
    assert.ok(next && last);
    await index.deliver(next.delivery, last.delivery, ...everything(chain, last, mintOf(chain), 3).deliveries);
    await until(() => told.has('nft'), 'nothing');
    assert.equal(told.get('block'), undefined);
  });
}
