import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { deliverBlocks, openLiveServer } from '../support/live-server.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { sampleMove } from '../support/sample-contracts.ts';
import type { Scale } from '../support/scale.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { until } from '../support/until.ts';
import type { ClientCall } from './calls.ts';

// biome-ignore lint/suspicious/noExplicitAny: of three versions, whose types differ; what they do is under test
type AnyClient = any;

const require = createRequire(import.meta.url);
const VERSIONS = [
  { client: '@stacks/blockchain-api-client 7.14.1', folder: 'client-7' },
  { client: '@stacks/blockchain-api-client 8.15.4', folder: 'client-8' },
  { client: '@stacks/blockchain-api-client 9.0.2', folder: 'client-9' },
];

const ADDRESS = accountAddress(10);
const ASSET = `${accountAddress(9)}.apes::ape`;
const TOKEN = '0x0100000000000000000000000000000001';

/** Methods of the client by WebSocket, and their parameters besides a listener. */
const BY_WEBSOCKET: Readonly<Record<string, (next: Happening) => readonly unknown[]>> = {
  subscribeBlocks: () => [],
  subscribeMicroblocks: () => [],
  subscribeMempool: () => [],
  subscribeTxUpdates: ({ txId }) => [txId],
  subscribeAddressTransactions: () => [ADDRESS],
  subscribeAddressBalanceUpdates: () => [ADDRESS],
  subscribeNftEventUpdates: () => [],
  subscribeNftAssetEventUpdates: () => [ASSET, TOKEN],
  subscribeNftCollectionEventUpdates: () => [ASSET],
};

const BY_SOCKET_IO: typeof BY_WEBSOCKET = {
  subscribeBlocks: () => [],
  subscribeMicroblocks: () => [],
  subscribeMempool: () => [],
  subscribeTransaction: ({ txId }) => [txId],
  subscribeAddressTransactions: () => [ADDRESS],
  subscribeAddressStxBalance: () => [ADDRESS],
  subscribeNftEvent: () => [],
  subscribeNftAssetEvent: () => [ASSET, TOKEN],
  subscribeNftCollectionEvent: () => [ASSET],
};

/** What will happen, with something for every subject. */
interface Happening {
  readonly txId: string;
  readonly happen: () => Promise<void>;
}

/** Each subscription of each version, over an API to which something happens whenever one stands; in short, those of the newest. */
export async function callsOfLiveClients(t: Pick<TestContext, 'after'>, scale: Scale): Promise<ClientCall[]> {
  const { index, port, read } = await openLiveServer(t as TestContext, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  let [top] = await deliverBlocks(index, chain, 1);
  let sent = 0;

  const next = (): Happening => {
    const parent = top as BuiltBlock;
    const mint = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, ++sent)]), {
      from: 10,
      events: [sampleMove(ASSET, TOKEN, null, ADDRESS)],
    });
    const block = chain.block({ parent, txs: [chain.coinbase(), mint] });
    const microblocks = chain.microblocks(parent, [[chain.transfer()]]);
    top = block;
    const pending = announced(transferOf({ from: 11, nonce: sent }));
    const happen = async () => {
      for (const delivery of [pending, chain.stream(parent, microblocks), block.delivery]) {
        await index.deliver(delivery);
        await read(); // a block may accept microblocks before live updates have seen them
      }
    };
    return { txId: mint.txId, happen };
  };

  return VERSIONS.slice(scale === 'short' ? -1 : 0).flatMap(({ client, folder }) => {
    const library: AnyClient = require(folder);
    const call = (method: string, run: () => Promise<unknown>): ClientCall => ({ client, method, run });
    return [
      ...Object.entries(BY_WEBSOCKET).map(([method, valuesOf]) =>
        call(`StacksApiWebSocketClient.${method}`, async () => {
          const connected = await library.connectWebSocketClient(`ws://127.0.0.1:${port}`);
          try {
            const happening = next();
            const heard = listener();
            const subscription = await connected[method](...valuesOf(happening), heard.note);
            await happening.happen();
            await heard.something();
            await subscription.unsubscribe();
          } finally {
            connected.webSocket.close();
          }
        }),
      ),
      ...Object.entries(BY_SOCKET_IO).map(([method, valuesOf]) =>
        call(`StacksApiSocketClient.${method}`, async () => {
          const url = `http://127.0.0.1:${port}`;
          const connected = new library.StacksApiSocketClient({ url, socketOpts: { forceNew: true } });
          try {
            const happening = next();
            const heard = listener();
            const subscription = connected[method](...valuesOf(happening), heard.note);
            // It does not wait for the response of the server, which comes in order.
            await connected.socket.emitWithAck('subscribe', 'block');
            await happening.happen();
            await heard.something();
            subscription.unsubscribe();
          } finally {
            connected.socket.disconnect();
          }
        }),
      ),
    ];
  });
}

function listener() {
  let isTold = false;
  return {
    note: () => {
      isTold = true;
    },
    something: () => until(() => isTold, 'it hears nothing'),
  };
}
