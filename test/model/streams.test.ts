import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { Workbench } from '../chains/workbench.ts';
import { type BuiltBlock, ChainBuilder, delivery, repeated } from '../support/chain-builder.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { modelResponse, routeOf } from './model.ts';

/** The deliveries in order, and the transactions to request. */
interface Story {
  readonly deliveries: readonly Delivery[];
  readonly txs: readonly BuiltTx[];
}

const announcement = (...txs: readonly BuiltTx[]): Delivery =>
  delivery(
    '/new_mempool_tx',
    txs.map(tx => tx.body.raw_tx),
  );

const deliveriesOf = (...blocks: readonly BuiltBlock[]): Delivery[] => blocks.map(block => block.delivery);

/** A stream on a block of microblocks with one of these transactions each. */
const streamOn = (chain: ChainBuilder, block: BuiltBlock, ...txs: readonly BuiltTx[]): Delivery =>
  chain.stream(
    block,
    chain.microblocks(
      block,
      txs.map(tx => [tx]),
    ),
  );

/** Cases that random chains seldom have. All blocks are of epoch 2 unless noted. */
const STORIES: Readonly<Record<string, (chain: ChainBuilder) => Story>> = {
  'a fork takes the tip away, and Bitcoin brings it back': chain => {
    const txs = [chain.transfer(), chain.transfer()];
    const [tip, ...rivals] = [chain.block(), ...chain.chain(2)];
    const [burn, losing] = [tip.burn, chain.burnBlock()];
    const rivalsOfBurn = rivals.map(block => block.burn.delivery);
    const winning = [chain.burnBlock({ parent: burn }), chain.burnBlock({ parent: losing })];
    const news = [announcement(...txs.slice(1)), burn.delivery, tip.delivery, streamOn(chain, tip, ...txs)];
    const fork = [...rivalsOfBurn, ...deliveriesOf(...rivals), losing.delivery, ...winning.map(next => next.delivery)];
    return { deliveries: [...news, ...fork, burn.delivery], txs };
  },
  'streams before any block, and on another block than the tip': chain => {
    const txs = [chain.transfer(), chain.transfer()];
    const [root, tip] = chain.chain(2);
    assert.ok(root && tip);
    const [early, below] = txs.map(tx => streamOn(chain, root, tx));
    assert.ok(early && below);
    return { deliveries: [early, ...deliveriesOf(root, tip), below], txs };
  },
  'a microblock loses its place, and gets it back by the next': chain => {
    const txs = [chain.transfer(), chain.transfer(), chain.transfer()];
    const root = chain.block();
    const [lost] = chain.microblocks(root, [txs.slice(0, 1)]);
    assert.ok(lost);
    const next = chain.microblocks(lost, [txs.slice(2)]);
    const stream = chain.stream(root, [lost]);
    const rival = chain.stream(root, chain.microblocks(root, [txs.slice(1, 2)]));
    return { deliveries: [root.delivery, stream, rival, repeated(stream), chain.stream(root, next)], txs };
  },
  'a transaction of a lost block, which no mempool announced, is streamed': chain => {
    const tx = chain.transfer();
    const root = chain.block();
    const losing = chain.block({ parent: root, txs: [tx] });
    const [rival, tip, next] = chain.chain(3, root);
    assert.ok(rival && tip && next);
    const stream = streamOn(chain, tip, tx);
    return { deliveries: [...deliveriesOf(root, losing, rival, tip), stream, next.delivery], txs: [tx] };
  },
  'of two streams the later has a transaction of the earlier, which no mempool announced': chain => {
    const txs = [chain.transfer(), chain.transfer()];
    const root = chain.block();
    const streams = [txs, txs.slice(1)].map(list => streamOn(chain, root, ...list));
    return { deliveries: [root.delivery, ...streams, chain.block({ parent: root }).delivery], txs };
  },
  'a contract is only streamed, and called': chain => {
    const txs = [chain.deploy('tower', 'ring'), chain.call('tower', 'ring')];
    const [root, tip] = chain.chain(2);
    assert.ok(root && tip);
    const [deploy, call] = txs;
    assert.ok(deploy && call);
    return { deliveries: [root.delivery, announcement(call), streamOn(chain, root, deploy), tip.delivery], txs };
  },
  'a transaction is announced before any block, long before a block of epoch 3': chain => {
    const tx = chain.transfer();
    const fields = { signer_bitvec: '00040000000105', block_time: 1_700_000_000 };
    const early = { ...announcement(tx), receivedAt: 1_000_000 };
    return { deliveries: [early, chain.block({ fields }).delivery], txs: [tx] };
  },
  'a boot block comes late': chain => {
    const tx = chain.transfer();
    const boot = chain.bootBlock();
    const root = chain.block({ parent: boot });
    return { deliveries: [root.delivery, announcement(tx), streamOn(chain, root, tx), boot.delivery], txs: [tx] };
  },
};

const LISTS = [
  ...['', '?unanchored=true', '?offset=5', '?order_by=fee&limit=1'].map(query => `/extended/v1/tx/mempool${query}`),
  '/extended/v1/microblock',
  '/extended/v2/mempool/fees',
  `/extended/v1/contract/${accountAddress(9)}.tower`,
];

const pathsOf = ({ txId }: BuiltTx): string[] => [
  `/extended/v1/tx/${txId}/raw`,
  `/extended/v1/search/${txId}?include_metadata=true`,
  `/extended/v2/addresses/${accountAddress(9)}/transactions/${txId}/events`,
];

onSqliteAtLeast((engine, openFresh) => {
  test(`streams are answered for as the naive model does, after each event (${engine})`, async t => {
    const bench = await Workbench.open(engine, openFresh);
    t.after(() => bench.close());
    for (const [name, tell] of Object.entries(STORIES)) {
      const { deliveries, txs } = tell(new ChainBuilder(name));
      const { index } = await bench.openIndex();
      for (const [i, next] of deliveries.entries()) {
        await index.deliver(next);
        const soFar = deliveries.slice(0, i + 1);
        // Another page each time: a response is kept while the tip is the same, also when a boot block comes late.
        const newest = `/extended/v1/tx?unanchored=true&limit=${20 + i}`;
        for (const path of [newest, ...LISTS, ...txs.flatMap(pathsOf)]) {
          const expected = modelResponse(soFar, path);
          const actual = await index.get(path);
          const what = `${name}, after event ${i}: ${path}`;
          assert.equal(actual.status, expected.status, what);
          if (actual.status >= 400) continue;
          const { normalise = (body: unknown) => body } = routeOf(path)?.route ?? {};
          assert.deepEqual(normalise(actual.body), normalise(expected.body), what);
        }
      }
    }
  });
});
