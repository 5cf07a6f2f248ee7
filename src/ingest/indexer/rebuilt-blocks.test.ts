import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameTables, canonicalTables } from '../../../test/support/chain-assertions.ts';
import { type BuiltBlock, ChainBuilder, delivery } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { databaseWithTables, reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import type { Delivery } from '../journal/entries.ts';
import { readRebuilt, summaryOfRebuilt } from './rebuilt-blocks.ts';

const ORIGIN = { class: 'B', node: 'stacks-node 3.4.0.0.2', unknown: ['miner_txid'], header: '00' };

/** What a node that lies about results makes of a block. */
const rebuilt = ({ body }: BuiltBlock): Delivery =>
  delivery('/rebuilt_block', {
    ...body,
    events: [],
    transactions: (body.transactions as object[]).map(tx => ({ ...tx, status: 'abort_by_response' })),
    _origin: ORIGIN,
  });

/** Every order of these. */
const ordersOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length === 0 ? [[]] : items.flatMap((item, i) => ordersOf(items.toSpliced(i, 1)).map(rest => [item, ...rest]));

onEveryEngine((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  test(`a rebuilt block closes a gap, and is listed until the block is delivered (${engine})`, async t => {
    const chain = new ChainBuilder('rebuilt');
    const [root, missing, child] = chain.chain(3) as [BuiltBlock, BuiltBlock, BuiltBlock];
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    await index.deliver(root.delivery, child.delivery, rebuilt(missing));
    assert.equal((await index.state()).tip?.indexBlockHash, child.indexHash);
    const row = { position: 3, height: 2, indexBlockHash: missing.indexHash, class: 'B', unknown: ['miner_txid'] };
    assert.deepEqual(await db.read(queries => readRebuilt(queries, 0, 9)), [row]);
    assert.deepEqual(await db.read(summaryOfRebuilt), { count: 1, newest: row, unknown: ['miner_txid'] });
    const counted = {
      count: 1,
      newest: { height: 2, index_block_hash: missing.indexHash, class: 'B' },
      unknown_fields: ['miner_txid'],
    };
    assert.deepEqual((await index.get('/extended')).body.rebuilt, counted);
    assert.deepEqual((await index.get('/extended/v3/status')).body.rebuilt_blocks, counted);
    const before = (await index.state()).revision;
    await index.deliver(missing.delivery);
    assert.deepEqual(await db.read(summaryOfRebuilt), { count: 0, newest: null, unknown: [] });
    assert.equal((await index.get('/extended')).body.rebuilt, undefined);
    // So that no client takes a page of before for one of now.
    assert.equal((await index.state()).revision, before + 1);
  });

  test(`in whatever order they come, a delivered block stands in place of a rebuilt one (${engine})`, async () => {
    const chain = new ChainBuilder('orders');
    const [root, missing, child] = chain.chain(3) as [BuiltBlock, BuiltBlock, BuiltBlock];
    const [rival] = chain.chain(1, root) as [BuiltBlock];
    const higher = chain.chain(2, rival);
    const rests = [higher.map(block => block.delivery).concat(rival.delivery), [], [rival.delivery]];
    for (const rest of rests.slice(0, engine === 'sqlite' ? 3 : 1)) {
      const straight = await openTestIndex(await emptyDatabase());
      await straight.deliver(root.delivery, missing.delivery, child.delivery, ...rest);
      const expected = await canonicalTables(straight);
      const orders = ordersOf([rebuilt(missing), missing.delivery, child.delivery]);
      for (const [i, order] of orders.slice(0, engine === 'sqlite' ? 6 : 2).entries()) {
        const index = await openTestIndex(await emptyDatabase());
        // One by one, so that blocks have undo records of their own, and all at once.
        if (i % 2 === 0) await index.deliver(root.delivery, ...order, ...rest);
        else for (const each of [root.delivery, ...order, ...rest]) await index.deliver(each);
        assertSameTables(await canonicalTables(index), expected, order.map(({ path }) => path).join(' '));
        const { rebuilt_blocks, known_blocks, set_aside } = await index.dump();
        assert.deepEqual([rebuilt_blocks, set_aside, known_blocks?.length], [[], [], 3 + rest.length]);
      }
    }
  });
});
