import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, follow } from '../examples/follow.ts';
import { type BuiltBlock, ChainBuilder } from './support/chain-builder.ts';
import { openFreshOf } from './support/engines.ts';
import { type LiveServer, openLiveServer } from './support/live-server.ts';
import { accountAddress } from './support/transaction-builder.ts';
import { until } from './support/until.ts';

const ACCOUNT = accountAddress(7);

/** Blocks with transfers to the account. */
function grow(chain: ChainBuilder, count: number, parent?: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let i = 0; i < count; i++) {
    const below = blocks.at(-1) ?? parent;
    const txs = Array.from({ length: 20 }, () => chain.transfer());
    blocks.push(chain.block({ ...(below && { parent: below }), txs }));
  }
  return blocks;
}

/** A client that keeps the list by what it learns. */
class ListOfClient {
  readonly heights = new Map<string, number>();
  undone = 0;
  /** Called with every change, before the next one is read. */
  onChange: (change: Change) => Promise<unknown> = async () => {};

  async run(port: number, signal: AbortSignal): Promise<void> {
    for await (const change of follow(`http://127.0.0.1:${port}`, ACCOUNT, signal)) {
      if (change.kind === 'undone') {
        this.undone++;
        for (const [txId, height] of this.heights) if (height > change.above) this.heights.delete(txId);
      } else {
        assert.ok(!this.heights.has(change.txId), `${change.txId} came twice`);
        this.heights.set(change.txId, change.height);
      }
      await this.onChange(change);
    }
  }
}

const deliver = ({ index }: LiveServer, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

const idsOf = (blocks: readonly BuiltBlock[]): string[] =>
  blocks.flatMap(({ txs }) => txs.map(({ txId }) => txId)).sort();

test('examples/follow.ts reads the past, goes over to the stream, and undoes forks, with each transaction once', async t => {
  const server = await openLiveServer(t, openFreshOf.sqlite);
  const chain = new ChainBuilder();
  const past = grow(chain, 6);
  await deliver(server, past);
  const client = new ListOfClient();
  const stop = new AbortController();
  t.after(() => stop.abort());

  // A block comes while the past is read, and later a fork: of the block as of which the client reads.
  const [more, fork] = [grow(chain, 1, past[5]), grow(chain, 3, past[4])];
  client.onChange = async () => {
    if (client.heights.size === 10) await deliver(server, more);
    if (client.heights.size === 60 && client.undone === 1) await deliver(server, fork);
  };
  const running = client.run(server.port, stop.signal).catch(error => {
    if (!stop.signal.aborted) throw error;
  });
  const isTold = (blocks: readonly BuiltBlock[]) => () =>
    [...client.heights.keys()].sort().join() === idsOf(blocks).join();
  await until(isTold([...past.slice(0, 5), ...fork]), 'the client has not the chain after the fork');
  assert.ok(client.undone >= 2);

  client.onChange = async () => {};
  const later = grow(chain, 2, fork[2]);
  await deliver(server, later);
  await until(isTold([...past.slice(0, 5), ...fork, ...later]), 'the client has not the next blocks');
  const undone = client.undone;
  const other = grow(chain, 4, fork[2]);
  await deliver(server, other);
  await until(isTold([...past.slice(0, 5), ...fork, ...other]), 'the client has not undone the fork');
  assert.equal(client.undone, undone + 1, 'by one event of the stream');
  stop.abort();
  await running;
});
