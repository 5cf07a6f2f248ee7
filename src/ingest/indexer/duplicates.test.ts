import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { findingsIn } from '../../../test/support/findings.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);

  const open = async () => {
    const db = await emptyDatabase();
    return { db, index: await openTestIndex(db), chain: new ChainBuilder() };
  };
  const idsOf = async (index: TestIndex, path: string): Promise<string[]> =>
    (await index.get(path)).body.results.map((tx: { tx_id: string }) => tx.tx_id);
  const setAside = async (index: TestIndex) => (await index.get('/extended')).body.set_aside;

  test(`a transaction that a block has twice is applied once, and the block stays (${engine})`, async () => {
    const { db, index, chain } = await open();
    const [coinbase, twice] = [chain.coinbase(), chain.transfer()];
    const block = chain.block({ txs: [coinbase, twice, { ...twice, events: [] }] });
    await index.deliver(block.delivery, chain.block({ parent: block }).delivery);
    assert.deepEqual(await idsOf(index, '/extended/v2/blocks/1/transactions'), [coinbase.txId, twice.txId]);
    assert.equal((await index.get('/extended/v2/blocks/1')).body.tx_count, 3, 'as the node counts');
    const { count, newest } = await setAside(index);
    assert.deepEqual([count, newest.position, newest.path], [1, 1, '/new_block']);
    assert.match(newest.reason, new RegExp(`without transactions that the chain has already: ${twice.txId}$`));
    assert.deepEqual(await findingsIn(db), []);
  });

  for (const separately of [false, true])
    test(`a transaction that a block below has is left out, ${separately ? 'also in a later delivery' : 'also of one batch'} (${engine})`, async () => {
      const { db, index, chain } = await open();
      const [again, other] = [chain.transfer(), chain.transfer()];
      const first = chain.block({ txs: [chain.coinbase(), again] });
      const between = chain.block({ parent: first });
      const second = chain.block({ parent: between, txs: [chain.coinbase(), again, other] });
      const top = chain.block({ parent: second });
      const deliveries = [first, between, second, top].map(block => block.delivery);
      if (separately) for (const delivery of deliveries) await index.deliver(delivery);
      else await index.deliver(...deliveries);
      assert.equal((await index.get('/extended')).body.chain_tip.index_block_hash, top.indexHash);
      const [, ...rest] = await idsOf(index, '/extended/v2/blocks/3/transactions');
      assert.deepEqual(rest, [other.txId]);
      assert.equal((await index.get(`/extended/v1/tx/${again.txId}`)).body.block_height, 1);
      assert.equal((await setAside(index)).newest.position, 3);
      assert.deepEqual(await findingsIn(db), []);
      assert.equal(await index.indexer.retrySetAside(), 0, 'the block is in the index: there is nothing to apply');
      assert.equal((await setAside(index)).count, 1);
    });

  test(`when the branch with the first is undone, the second counts, and back (${engine})`, async () => {
    const { db, index, chain } = await open();
    const root = chain.block();
    const again = chain.transfer();
    const first = chain.block({ parent: root, txs: [chain.coinbase(), again] });
    const repeat = chain.block({ parent: first, txs: [chain.coinbase(), again, chain.transfer()] });
    const burn = chain.burnBlock({ parent: root.burn });
    const rival = chain.block({ parent: root, burn });
    const rivalTop = chain.block({ parent: rival, burn, txs: [chain.coinbase(), chain.transfer(), again] });
    const rivalEnd = chain.block({ parent: rivalTop, burn });
    await index.deliver(...[root, first, repeat].map(block => block.delivery));
    assert.equal((await setAside(index)).count, 1);
    await index.deliver(...[rival, rivalTop, rivalEnd].map(block => block.delivery));
    const tip = (await index.get('/extended')).body.chain_tip.index_block_hash;
    assert.equal(tip, rivalEnd.indexHash);
    assert.equal((await index.get(`/extended/v1/tx/${again.txId}`)).body.block_hash, rivalTop.hash);
    assert.equal((await setAside(index)).count, 0, 'the chain has it once');
    const orphaned = (await index.get(`/extended/v1/block/${repeat.hash}`)).body;
    assert.deepEqual(
      orphaned.txs,
      repeat.txs.map(({ txId }) => txId).toReversed(),
      'an orphaned block shows all that is its own, in its order',
    );
    assert.deepEqual(await findingsIn(db), []);

    const back = [chain.block({ parent: repeat })];
    for (let i = 0; i < 3; i++) back.push(chain.block({ parent: back.at(-1) ?? repeat }));
    await index.deliver(...back.map(block => block.delivery));
    assert.equal((await index.get(`/extended/v1/tx/${again.txId}`)).body.block_hash, first.hash);
    assert.equal((await setAside(index)).count, 1);
    assert.deepEqual(await findingsIn(db), []);
  });

  test(`what a block accepts of its microblocks is no duplicate; what they repeat of the chain is (${engine})`, async () => {
    const { db, index, chain } = await open();
    const [streamed, again, alone] = [chain.transfer(), chain.transfer(), chain.transfer()];
    const first = chain.block({ txs: [chain.coinbase(), again, alone] });
    const microblocks = chain.microblocks(first, [[streamed, again], [alone]]);
    await index.deliver(first.delivery, chain.stream(first, microblocks));
    const ids = await idsOf(index, '/extended/v1/tx?unanchored=true');
    assert.deepEqual(ids.filter(id => id === again.txId || id === streamed.txId || id === alone.txId).sort(), [
      ...[again.txId, streamed.txId, alone.txId].sort(),
    ]);
    assert.deepEqual(await findingsIn(db), []);
    const second = chain.block({ parent: first, microblocks });
    await index.deliver(second.delivery);
    assert.equal((await index.get(`/extended/v1/tx/${streamed.txId}`)).body.block_hash, second.hash);
    assert.equal((await index.get(`/extended/v1/tx/${again.txId}`)).body.block_hash, first.hash);
    assert.deepEqual(await findingsIn(db), []);
  });

  test(`operations from Bitcoin with one id are no duplicates (${engine})`, async () => {
    const { db, index, chain } = await open();
    const transfer = chain.transfer();
    const [event] = transfer.events;
    assert.ok(event);
    const txid = chain.hash();
    const operation = {
      ...transfer,
      txId: txid,
      body: { ...transfer.body, txid, raw_tx: '0x00' },
      events: [{ ...event, txid }],
    };
    const first = chain.block({ txs: [chain.coinbase(), operation] });
    await index.deliver(first.delivery, chain.block({ parent: first, txs: [chain.coinbase(), operation] }).delivery);
    for (const height of [1, 2])
      assert.equal((await idsOf(index, `/extended/v2/blocks/${height}/transactions`)).at(-1), txid);
    assert.equal((await setAside(index)).count, 0);
    assert.deepEqual(await findingsIn(db), []);
  });
});
