import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { announced, dropped, receivedAt, transferOf } from '../../../test/support/pending-transactions.ts';
import { ids, openTestMempool } from '../../../test/support/test-mempool.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { pendingSums } from '../../api/records/mempool/queries.ts';

onSqliteAtLeast((engine, openFresh) => {
  const open = (t: Parameters<typeof openFresh>[0]) => openTestMempool(openFresh, t);

  test(`what a block has keeps its time of receipt when it is announced again (${engine})`, async t => {
    const { index } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block({ txs: [] });
    const [kept, news] = [transferOf({ nonce: 1 }), transferOf({ nonce: 2 })];
    const once = announced(kept);
    await index.deliver(root.delivery, once, dropped('TooExpensive', [kept]));
    await index.deliver(chain.block({ parent: root, txs: [kept, news] }).delivery);
    const again = announced(kept, news);
    await index.deliver(again);
    await index.deliver(...chain.chain(2, root).map(block => block.delivery));
    const { results } = (await index.get('/extended/v1/tx/mempool')).body;
    const receipt = new Map(results.map((tx: { tx_id: string; receipt_time: number }) => [tx.tx_id, tx.receipt_time]));
    assert.equal(receipt.get(kept.txId), receivedAt(once));
    assert.equal(receipt.get(news.txId), receivedAt(again), 'nobody had announced it before');
  });

  test(`what came with the boot block is not pending when block 1 is taken back (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const boot = chain.bootBlock();
    const burn = chain.burnBlock();
    const first = chain.block({ burn });
    await index.deliver(boot.delivery, burn.delivery, first.delivery);
    await index.deliver(chain.burnBlock().delivery);
    assert.equal((await index.state()).tip, null);
    assert.deepEqual(await pending(), ids(...first.txs.slice(1)));
  });

  test(`a block takes in what the node had dropped (${engine})`, async t => {
    const { index, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const first = chain.block();
    const tx = transferOf();
    await index.deliver(first.delivery, announced(tx), dropped('StaleGarbageCollect', [tx]));
    await index.deliver(chain.block({ parent: first, txs: [tx] }).delivery);
    assert.deepEqual(await statusOf(tx), [undefined, undefined]);
  });

  test(`what only a losing block has is pending, announced or not, until its branch wins again (${engine})`, async t => {
    const { index, pending, database } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const known = transferOf({ nonce: 1 });
    const unknown = transferOf({ nonce: 2 });
    const rival = transferOf({ nonce: 3, fee: 100 });
    const shared = transferOf({ nonce: 4 });
    const outbid = transferOf({ nonce: 3, fee: 999 });
    const losing = chain.block({ parent: root, txs: [chain.coinbase(), known, unknown, outbid, shared] });
    const winning = chain.block({ parent: root, txs: [chain.coinbase(), rival, shared] });
    const [announcement, top] = [announced(known), chain.block({ parent: winning, txs: [] })];
    await index.deliver(root.delivery, announcement, losing.delivery);
    assert.deepEqual(await pending(), ids());
    await index.deliver(winning.delivery, top.delivery);
    assert.deepEqual(await pending(), ids(known, unknown));
    const { results } = (await index.get('/extended/v1/tx/mempool')).body;
    const receipt = new Map(results.map((tx: { tx_id: string; receipt_time: number }) => [tx.tx_id, tx.receipt_time]));
    assert.equal(receipt.get(known.txId), receivedAt(announcement));
    assert.equal(receipt.get(unknown.txId), losing.burn.time);

    const second = chain.block({ parent: losing, txs: [] });
    await index.deliver(second.delivery, chain.block({ parent: second, txs: [] }).delivery);
    // The rival is not, as its nonce is used.
    assert.deepEqual(await pending(), ids());
    const rows = await database.read(queries => queries.all('SELECT tx_id FROM mempool_txs WHERE announced = 0'));
    assert.deepEqual(rows.length, 1, 'those that were never announced are forgotten when a block has them');
  });

  test(`of those with one nonce that return at once, the first of the chain is pending (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const sponsor = { from: 6, nonce: 1 };
    // A sponsor pays for different senders: each uses a nonce of its own, yet they are rivals.
    const rivals = [5, 4, 3, 2].map(from => transferOf({ from, nonce: 1, fee: 300, sponsor }));
    const lower = chain.block({ parent: root, txs: rivals.slice(0, 2) });
    const upper = chain.block({ parent: lower, txs: rivals.slice(2) });
    await index.deliver(root.delivery, lower.delivery, upper.delivery);
    assert.deepEqual(await pending(), ids());
    await index.deliver(...chain.chain(3, root).map(block => block.delivery));
    const [first, ...others] = rivals;
    assert.ok(first);
    assert.deepEqual(await pending(), ids(first));
    for (const other of others) assert.deepEqual(await statusOf(other), ['dropped_replace_by_fee', first.txId]);
  });

  test(`a fork takes back what used a nonce, and what wanted it is pending again (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const waiting = transferOf({ from: 5, nonce: 4, fee: 500 });
    const user = transferOf({ from: 5, nonce: 4, fee: 100 });
    const losing = chain.block({ parent: root, txs: [user] });
    await index.deliver(root.delivery, announced(waiting), losing.delivery);
    assert.deepEqual(await statusOf(waiting), ['dropped_replace_by_fee', user.txId]);
    await index.deliver(...chain.chain(2, root).map(block => block.delivery));
    assert.deepEqual(await pending(), ids(waiting));
    assert.deepEqual(await statusOf(user), ['dropped_replace_by_fee', waiting.txId]);
  });

  test(`a transaction that was dropped, mined and orphaned is pending (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const tx = transferOf({ nonce: 77 });
    await index.deliver(root.delivery, announced(tx), dropped('Problematic', [tx]));
    await index.deliver(chain.block({ parent: root, txs: [tx] }).delivery);
    await index.deliver(...chain.chain(2, root).map(block => block.delivery));
    assert.ok((await pending()).has(tx.txId));
  });

  const nakamoto = (seconds: number) => ({ signer_bitvec: '00010000000101', block_time: 1_700_100_000 + seconds });

  test(`from epoch 3 on a transaction ages in 2560 minutes of the chain, and a fork makes it young again (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const tx = transferOf();
    const minutes = 2560 * 60;
    const root = chain.block({ txs: [], fields: nakamoto(0) });
    const limit = chain.block({ parent: root, txs: [], fields: nakamoto(minutes) });
    const beyond = chain.block({ parent: limit, txs: [], fields: nakamoto(minutes + 1) });
    await index.deliver(root.delivery, announced(tx), limit.delivery);
    assert.deepEqual(await pending(), ids(tx));
    await index.deliver(beyond.delivery);
    assert.deepEqual(await statusOf(tx), ['dropped_stale_garbage_collect', null]);
    assert.deepEqual(await pending(), ids());
    const other = chain.block({ parent: root, txs: [], fields: nakamoto(10) });
    const second = chain.block({ parent: other, txs: [], fields: nakamoto(20) });
    await index.deliver(other.delivery, second.delivery);
    await index.deliver(chain.block({ parent: second, txs: [], fields: nakamoto(30) }).delivery);
    assert.deepEqual(await pending(), ids(tx));
  });

  test(`an aged transaction that is announced again begins anew (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const tx = transferOf();
    const root = chain.block({ txs: [], fields: nakamoto(0) });
    const late = chain.block({ parent: root, txs: [], fields: nakamoto(2561 * 60) });
    await index.deliver(root.delivery, announced(tx), late.delivery, announced(tx));
    assert.deepEqual(await pending(), ids(tx));
  });

  test(`before epoch 3 a transaction ages in 256 blocks (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const tx = transferOf();
    const blocks = chain.chain(257).map(block => block.delivery);
    await index.deliver(...blocks.slice(0, 1), announced(tx), ...blocks.slice(1, 256));
    assert.deepEqual(await pending(), ids(tx));
    await index.deliver(...blocks.slice(256));
    assert.deepEqual(await pending(), ids());
  });

  test(`a burn fork that takes the tip back takes the chain's clock back (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const burns = [chain.burnBlock()];
    for (let i = 0; i < 2; i++) burns.push(chain.burnBlock({ parent: burns.at(-1) as (typeof burns)[0] }));
    const [one, two, three] = burns;
    assert.ok(one && two && three);
    const tx = transferOf();
    const root = chain.block({ burn: one, txs: [], fields: nakamoto(0) });
    const late = chain.block({ parent: root, burn: two, txs: [], fields: nakamoto(2561 * 60) });
    await index.deliver(...burns.map(burn => burn.delivery), root.delivery, announced(tx), late.delivery);
    assert.deepEqual(await pending(), ids());
    const before = await index.get('/extended/v1/tx/mempool');
    await index.deliver(chain.burnBlock({ parent: one }).delivery);
    assert.equal((await index.state()).tip?.height, 1);
    assert.deepEqual(await pending(), ids(tx));
    const after = await index.get('/extended/v1/tx/mempool');
    assert.notEqual(after.headers.etag, before.headers.etag);
  });

  test(`what a streamed microblock has is listed unless unanchored=true, and counts in no fee or sum (${engine})`, async t => {
    const { index, pending, database } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const [streamed, unknown, waiting] = [0, 1, 2].map(nonce => transferOf({ nonce, fee: 100 * (nonce + 1) }));
    assert.ok(streamed && unknown && waiting);
    const stream = chain.microblocks(root, [[streamed, unknown]]);
    await index.deliver(root.delivery, announced(streamed, waiting), chain.stream(root, stream));
    assert.deepEqual(await pending(), ids(streamed, waiting));
    assert.deepEqual(await pending('&unanchored=true'), ids(waiting));
    assert.equal((await index.get('/extended/v2/mempool/fees')).body.all.no_priority, 300);
    const sums = await database.read(queries => pendingSums(queries, accountAddress(9)));
    assert.deepEqual(sums, { inbound: '0', outbound: '1300' });
    await index.deliver(chain.block({ parent: root, txs: [] }).delivery);
    assert.deepEqual(await pending(), ids(streamed, unknown, waiting), 'no block accepted the microblock');
  });

  test(`what an accepted microblock has is mined (${engine})`, async t => {
    const { index, pending, database } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const [known, unknown] = [transferOf({ nonce: 0 }), transferOf({ nonce: 1 })];
    const stream = chain.microblocks(root, [[known], [unknown]]);
    await index.deliver(root.delivery, announced(known), chain.stream(root, stream));
    await index.deliver(chain.block({ parent: root, txs: [], microblocks: stream }).delivery);
    assert.deepEqual(await pending(), ids());
    const rows = await database.read(queries => queries.all('SELECT status FROM mempool_txs'));
    assert.deepEqual(
      rows.map(({ status }) => status),
      [1],
    );
  });
});
