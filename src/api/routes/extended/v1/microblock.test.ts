import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../test/support/test-index.ts';

const LIST = '/extended/v1/microblock';
const UNANCHORED = `${LIST}/unanchored/txs`;

interface Shown {
  readonly microblock_hash: string;
  readonly block_hash: string;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`what only microblocks on the tip have is listed newest first, until a block accepts it (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    assert.deepEqual((await index.get(UNANCHORED)).body, { total: 0, results: [] });
    const root = chain.block();
    const stream = chain.microblocks(root, [[chain.transfer()], [chain.transfer(), chain.transfer()]]);
    await index.deliver(root.delivery, chain.stream(root, stream));
    const { body } = await index.get(UNANCHORED);
    const ids = stream.flatMap(({ txs }) => txs.map(({ txId }) => txId));
    assert.equal(body.total, 3);
    assert.deepEqual(
      body.results.map((tx: { tx_id: string; is_unanchored: boolean }) => [tx.tx_id, tx.is_unanchored]),
      ids.reverse().map(id => [id, true]),
    );
    await index.deliver(chain.block({ parent: root, microblocks: stream }).delivery);
    assert.deepEqual((await index.get(UNANCHORED)).body, { total: 0, results: [] });
  });

  test(`microblocks are listed newest first, on the tip and once a block accepts them (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const root = chain.block();
    const stream = chain.microblocks(root, [[chain.transfer()], [chain.transfer(), chain.transfer()]]);
    const [first, second] = stream;
    assert.ok(first && second);
    await index.deliver(root.delivery, chain.stream(root, stream));
    const pageOf = async (query = '') => {
      const { body } = await index.get(`${LIST}${query}`);
      const results = body.results.map((microblock: Shown) => [microblock.microblock_hash, microblock.block_hash]);
      return [body.total, ...results];
    };
    const onTip = [second, first].map(({ hash }) => [hash, '0x']);
    assert.deepEqual(await pageOf(), [2, ...onTip]);
    assert.deepEqual(await pageOf('?limit=1&offset=1'), [2, onTip[1]]);
    assert.deepEqual(await pageOf('?offset=2'), [2]);
    const block = chain.block({ parent: root, microblocks: stream });
    await index.deliver(block.delivery);
    assert.deepEqual(await pageOf(), [2, [second.hash, block.hash], [first.hash, block.hash]]);
    const { body } = await index.get(`${LIST}/${second.hash.slice(2).toUpperCase()}`);
    assert.deepEqual(body.txs, second.txs.map(({ txId }) => txId).reverse());
    assert.deepEqual([body.microblock_parent_hash, body.microblock_sequence], [first.hash, 1]);
    assert.deepEqual([body.parent_block_hash, body.parent_block_height, body.block_height], [root.hash, 1, 2]);
  });

  test(`a microblock that no canonical block accepts is shown by its hash alone, without transactions (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const root = chain.block();
    const [lost] = chain.microblocks(root, [[chain.transfer()]]);
    assert.ok(lost);
    const shown = async () => {
      const { canonical, microblock_canonical, block_hash, txs } = (await index.get(`${LIST}/${lost.hash}`)).body;
      return { canonical, microblock_canonical, block_hash, txs };
    };
    await index.deliver(chain.stream(root, [lost]));
    assert.equal((await index.get(`${LIST}/${lost.hash}`)).status, 404, 'the block it stands on is not known');
    const next = chain.block({ parent: root });
    await index.deliver(root.delivery, next.delivery);
    assert.deepEqual(await shown(), { canonical: true, microblock_canonical: false, block_hash: next.hash, txs: [] });
    await index.deliver(...chain.chain(3).map(({ delivery }) => delivery));
    assert.deepEqual(await shown(), { canonical: false, microblock_canonical: false, block_hash: '0x', txs: [] });
    assert.deepEqual((await index.get(LIST)).body, { limit: 20, offset: 0, total: 0, results: [] });
    assert.equal((await index.get(`${LIST}/0xzz`)).status, 400);
  });

  test(`below block 1, a microblock shows the hash that block 1 names, accepted or not (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const named = `0x${'b0'.repeat(32)}`;
    const boot = chain.bootBlock();
    const [accepted, lost] = [chain.transfer(), chain.transfer()].map(tx => chain.microblocks(boot, [[tx]]));
    assert.ok(accepted && lost);
    const first = chain.block({ microblocks: accepted, fields: { parent_block_hash: named } });
    await index.deliver(first.delivery, chain.stream(boot, lost));
    for (const [microblock, isAccepted] of [
      [accepted, true],
      [lost, false],
    ] as const) {
      const { body } = await index.get(`${LIST}/${microblock[0]?.hash}`);
      assert.deepEqual(
        [body.parent_block_hash, body.parent_block_height, body.microblock_canonical],
        [named, 0, isAccepted],
      );
    }
    assert.equal((await index.get(LIST)).body.results[0].parent_block_hash, named);
  });
});
