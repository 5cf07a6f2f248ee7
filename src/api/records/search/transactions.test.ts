import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, dropped, transferOf } from '../../../../test/support/pending-transactions.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { sampleDeploy } from '../../../../test/support/sample-contracts.ts';
import {
  assertFound,
  assertMissed,
  blockFound,
  inBlock,
  inMempool,
  metadata,
  openSearch,
} from '../../../../test/support/searches.ts';

onSqliteAtLeast((_engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);
  const open = async () => openSearch(await emptied());

  test('a transaction is found by its id in every spelling, with white space around it', async () => {
    const { index, chain, mine } = await open();
    const tx = chain.transfer();
    const block = await mine(undefined, tx);
    const bare = tx.txId.slice(2);
    const spellings = [tx.txId, bare, bare.toUpperCase(), `0X${bare}`, `0X${bare.toUpperCase()}`];
    for (const id of [...spellings, ` ${bare}`, `\t${tx.txId}\n`, `\u{feff}${bare}\u{a0} `]) {
      for (const withMetadata of [false, true]) await assertFound(index, id, inBlock(tx, block), withMetadata);
    }
  });

  test('the metadata of a transaction is its record, as every list shows it', async () => {
    const { index, chain, mine } = await open();
    const block = await mine(undefined, sampleDeploy(chain, 'vault', { functions: [] }));
    const call = chain.call('vault', 'run');
    await mine(block, chain.coinbase(), call);
    const { body } = await index.get(`/extended/v1/tx`);
    for (const record of body.results) assert.deepEqual(await metadata(index, record.tx_id), record);
    assert.equal(body.results.length, 3);
  });

  test('a transaction that only a microblock on the tip has shows no block', async () => {
    const { index, chain, mine } = await open();
    const tip = await mine(undefined, chain.coinbase());
    const tx = chain.transfer();
    const microblocks = chain.microblocks(tip, [[tx]]);
    await index.deliver(chain.stream(tip, microblocks));
    const expected = inBlock(tx, { ...tip, hash: '0x', height: 2, burn: { ...tip.burn, time: -1 } });
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, expected, withMetadata);
    assert.equal((await metadata(index, tx.txId)).is_unanchored, true);
    const block = chain.block({ parent: tip, microblocks });
    await index.deliver(block.delivery);
    await assertFound(index, tx.txId, inBlock(tx, block));
  });

  test('a transaction that only an orphaned microblock had is found in the mempool', async () => {
    const { index, chain, mine } = await open();
    const tip = await mine(undefined, chain.coinbase());
    const tx = chain.transfer();
    await index.deliver(chain.stream(tip, chain.microblocks(tip, [[tx]])));
    await mine(tip, chain.coinbase());
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
    await index.deliver(dropped('StaleGarbageCollect', [tx]));
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
  });

  test('a pending transaction is found; so is a dropped one; once mined, in its block', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    const tx = transferOf();
    await index.deliver(announced(tx));
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
    assert.equal((await metadata(index, tx.txId)).tx_status, 'pending');
    await index.deliver(dropped('TooExpensive', [tx]));
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
    assert.equal((await metadata(index, tx.txId)).tx_status, 'dropped_too_expensive');
    const block = await mine(first, tx);
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, block), withMetadata);
  });

  test('a transaction of an undone block is found as it waits again, once dropped in that block', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    const [tx, coinbase] = [chain.transfer(), chain.coinbase()];
    const losing = await mine(first, coinbase, tx);
    const winning = await mine(await mine(first));
    for (const withMetadata of [false, true]) {
      await assertFound(index, tx.txId, inMempool(tx), withMetadata);
      await assertFound(index, coinbase.txId, inBlock(coinbase, losing, false, 'coinbase'), withMetadata);
    }
    await index.deliver(dropped('Problematic', [tx]));
    for (const withMetadata of [false, true])
      await assertFound(index, tx.txId, inBlock(tx, losing, false), withMetadata);
    await mine(await mine(losing));
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, losing), withMetadata);
    assert.equal(winning.height, 3);
  });

  test('a transaction of a block that was never applied is found there', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    await mine(first);
    const [late, waiting] = [chain.transfer(), chain.transfer()];
    const side = await mine(first, late); // as high as the tip, but later
    const gap = await mine(chain.block({ parent: side }), waiting); // its parent is missing
    for (const withMetadata of [false, true]) {
      await assertFound(index, late.txId, inBlock(late, side, false), withMetadata);
      await assertFound(index, waiting.txId, inBlock(waiting, gap, false), withMetadata);
    }
  });

  test('the metadata of an orphaned transaction is its record, with the names of its arguments, as not canonical', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, sampleDeploy(chain, 'vault', { functions: [] }));
    const [call, side] = [chain.call('vault', 'run'), chain.call('vault', 'run')];
    const losing = await mine(first, chain.coinbase(), call);
    const before = await metadata(index, call.txId);
    await mine(losing.height === 2 ? first : losing, side);
    await mine(await mine(first));
    await index.deliver(dropped('Problematic', [call]));
    assert.deepEqual(await metadata(index, call.txId), { ...before, canonical: false });
    const onSide = await metadata(index, side.txId);
    assert.deepEqual(Object.keys(onSide), Object.keys(before));
    assert.deepEqual(onSide.contract_call, before.contract_call);
    assert.equal(onSide.canonical, false);
  });

  test('the canonical row comes before an orphaned one, whichever came first', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    const tx = chain.transfer();
    const losing = await mine(first, tx);
    const winning = await mine(await mine(first), tx);
    await assertFound(index, tx.txId, inBlock(tx, winning));
    await mine(losing, tx); // the fork has it a second time, as high as the canonical one
    await assertFound(index, tx.txId, inBlock(tx, winning));
    await mine(await mine(losing, chain.coinbase()));
    for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, losing), withMetadata);
  });

  test('of orphaned blocks the highest is shown, of equally high ones the first', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    const tip = await mine(await mine(await mine(first)));
    const tx = chain.transfer();
    const side = await mine(first, tx);
    await assertFound(index, tx.txId, inBlock(tx, side, false));
    const higher = await mine(side, tx);
    await mine(side, tx);
    await mine(first, tx);
    await assertFound(index, tx.txId, inBlock(tx, higher, false));
    assert.equal(tip.height, 4);
  });

  test('an orphaned operation that came from Bitcoin has its type, though its bytes do not tell', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    const { body, ...rest } = chain.transfer();
    const operation = { ...rest, body: { ...body, raw_tx: '0x00' } };
    const losing = await mine(first, operation);
    await assertFound(index, operation.txId, inBlock(operation, losing));
    await mine(await mine(first));
    for (const withMetadata of [false, true])
      await assertFound(index, operation.txId, inBlock(operation, losing, false), withMetadata);
  });

  test('transactions of the boot block are found in block 1 and nowhere before', async () => {
    const { index, chain } = await open();
    const tx = chain.transfer();
    const boot = chain.bootBlock([tx]);
    const first = chain.block();
    await index.deliver(boot.delivery);
    await assertMissed(index, tx.txId, 'unknown_hash');
    await assertMissed(index, boot.hash, 'unknown_hash');
    await index.deliver(first.delivery);
    await assertFound(index, tx.txId, inBlock(tx, first));
    await assertMissed(index, boot.hash, 'unknown_hash');
  });

  test('what a search finds without metadata does not depend on the order of delivery', async () => {
    const chain = new ChainBuilder();
    const shared = chain.transfer();
    const first = chain.block();
    const losing = chain.block({ parent: first, txs: [shared, chain.transfer()] });
    const side = chain.block({ parent: first });
    const winning = chain.block({ parent: side, txs: [shared] });
    const blocks = [first, losing, side, winning];
    // The first block last: then all others wait for it.
    const orders = permutations(blocks.slice(1)).map((order, i) => (i % 2 ? [...order, first] : [first, ...order]));
    for (const order of orders) {
      const { index } = await open();
      await index.deliver(...order.map(block => block.delivery));
      await assertFound(index, shared.txId, inBlock(shared, winning));
      // It waits again where its block was the tip before the other branch came, as by its id.
      for (const tx of losing.txs.slice(1)) {
        const { status } = await index.get(`/extended/v1/tx/${tx.txId}`);
        await assertFound(index, tx.txId, status === 200 ? inMempool(tx) : inBlock(tx, losing, false));
      }
      for (const block of blocks) await assertFound(index, block.hash, blockFound(block, block !== losing));
    }
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map(rest => [item, ...rest]));
}
