import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import {
  announced,
  announcedBytes,
  callOf,
  deployOf,
  dropped,
  rawOf,
  receivedAt,
  signedTx,
  transferOf,
} from '../../../test/support/pending-transactions.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import type { Database } from '../../store/database.ts';
import { findMempoolTransaction, findPendingDeploy, mempoolStatus, pendingSums } from './queries.ts';

interface Opened {
  readonly index: TestIndex;
  readonly database: Database;
  /** Ids of the pending transactions, in no particular order. */
  pending(query?: string): Promise<Set<string>>;
  statusOf(tx: BuiltTx): Promise<readonly [status: string | undefined, replacedBy: string | null | undefined]>;
}

const ids = (...txs: readonly BuiltTx[]): Set<string> => new Set(txs.map(({ txId }) => txId));

onEveryEngine((engine, openFresh) => {
  async function open(t: Parameters<typeof openFresh>[0]): Promise<Opened> {
    const { database } = await openFresh(t);
    const index = await openTestIndex(database);
    return {
      index,
      database,
      pending: async (query = '') => {
        const { body } = await index.get(`/extended/v1/tx/mempool?limit=50${query}`);
        assert.equal(body.total, body.results.length);
        return new Set<string>(body.results.map((tx: { tx_id: string }) => tx.tx_id));
      },
      statusOf: async tx => {
        const found = await database.read(queries => findMempoolTransaction(queries, tx.txId));
        const record = found && JSON.parse(found.record);
        assert.equal(record?.tx_status, found?.status);
        return [found?.status, record?.replaced_by_tx_id];
      },
    };
  }

  test(`an announced transaction is pending until a block has it (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const first = chain.block();
    const [a, b] = [transferOf({ nonce: 0 }), transferOf({ nonce: 1 })];
    await index.deliver(first.delivery, announced(a, b));
    assert.deepEqual(await pending(), ids(a, b));
    await index.deliver(chain.block({ parent: first, txs: [a] }).delivery);
    assert.deepEqual(await pending(), ids(b));
    assert.deepEqual(await statusOf(a), [undefined, undefined]);
    assert.deepEqual(await statusOf(b), ['pending', null]);
  });

  test(`a transaction that is announced after a block has it is not pending (${engine})`, async t => {
    const { index, pending } = await open(t);
    const tx = transferOf();
    await index.deliver(new ChainBuilder().block({ txs: [tx] }).delivery, announced(tx));
    assert.deepEqual(await pending(), ids());
  });

  test(`bytes that are no transaction are kept and otherwise ignored (${engine})`, async t => {
    const { index, pending } = await open(t);
    const tx = transferOf();
    await index.deliver(announcedBytes('0x00', '0xdeadbeef', rawOf(tx).slice(0, -2), rawOf(tx), rawOf(tx)));
    assert.deepEqual(await pending(), ids(tx));
  });

  test(`the largest nonces, fees and amounts do no harm (${engine})`, async t => {
    const { index, pending, database } = await open(t);
    const most = 2n ** 64n - 1n;
    const tx = transferOf({ nonce: most, fee: most });
    await index.deliver(announced(tx, transferOf({ from: 8, nonce: most - 1n, fee: most })));
    assert.equal((await pending()).size, 2);
    assert.equal((await index.get('/extended/v2/mempool/fees')).status, 200);
    const { outbound } = await database.read(queries => pendingSums(queries, accountAddress(9)));
    assert.equal(outbound, String(most + 1_000n));
  });

  test(`a block that uses the nonce of a pending transaction replaces it, before and after it is announced (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const chain = new ChainBuilder();
    const first = chain.block();
    const [early, late, winner] = [1, 2, 3].map(amount => transferOf({ nonce: 5, fee: 900 - amount }, 7, amount));
    assert.ok(early && late && winner);
    await index.deliver(first.delivery, announced(early), chain.block({ parent: first, txs: [winner] }).delivery);
    await index.deliver(announced(late));
    assert.deepEqual(await pending(), ids());
    assert.deepEqual(await statusOf(early), ['dropped_replace_by_fee', winner.txId]);
    assert.deepEqual(await statusOf(late), ['dropped_replace_by_fee', winner.txId]);
  });

  test(`an operation from Bitcoin uses no nonce (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const txId = chain.hash();
    const moved = { sender: accountAddress(9), recipient: accountAddress(7), amount: '5', memo: '' };
    const operation: BuiltTx = {
      txId,
      body: { ...transferOf().body, txid: txId, raw_tx: '0x00', burnchain_op: null },
      events: [{ txid: txId, committed: true, type: 'stx_transfer_event', stx_transfer_event: moved }],
    };
    const tx = transferOf({ nonce: 0 });
    await index.deliver(chain.block({ txs: [operation] }).delivery, announced(tx));
    assert.equal((await index.get('/extended/v1/tx')).body.total, 1);
    assert.deepEqual(await pending(), ids(tx));
  });

  test(`the highest fee for a nonce is pending, of equal fees the latest (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const [low, high, lower] = [transferOf({ fee: 300 }), transferOf({ fee: 400 }), transferOf({ fee: 200 })];
    const equal = transferOf({ fee: 400 }, 6);
    await index.deliver(announced(low), announced(high), announced(lower));
    assert.deepEqual(await pending(), ids(high));
    assert.deepEqual(await statusOf(low), ['dropped_replace_by_fee', high.txId]);
    await index.deliver(announced(equal));
    assert.deepEqual(await pending(), ids(equal));
    assert.deepEqual(await statusOf(lower), ['dropped_replace_by_fee', equal.txId]);
    await index.deliver(announced(high));
    assert.deepEqual(await pending(), ids(high));
  });

  test(`what was outbid is pending again when the node drops the winner (${engine})`, async t => {
    const { index, pending } = await open(t);
    const [low, high] = [transferOf({ fee: 300 }), transferOf({ fee: 400 })];
    await index.deliver(announced(high), announced(low));
    assert.deepEqual(await pending(), ids(high));
    await index.deliver(dropped('ReplaceAcrossFork', [high], low));
    assert.deepEqual(await pending(), ids(low));
  });

  test(`every reason to drop has its status, also one that is not known (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const reasons = {
      ReplaceByFee: 'dropped_replace_by_fee',
      ReplaceAcrossFork: 'dropped_replace_across_fork',
      TooExpensive: 'dropped_too_expensive',
      StaleGarbageCollect: 'dropped_stale_garbage_collect',
      Problematic: 'dropped_problematic',
      SomethingNewer: 'dropped_problematic',
    };
    const txs = Object.keys(reasons).map((_, i) => transferOf({ nonce: i }));
    const replacement = transferOf({ nonce: 99 });
    await index.deliver(announced(...txs));
    for (const [i, [reason, status]] of Object.entries(reasons).entries()) {
      const tx = txs[i];
      assert.ok(tx);
      await index.deliver(dropped(reason, [tx, replacement], replacement));
      assert.deepEqual(await statusOf(tx), [status, replacement.txId]);
      assert.equal(await index.state().then(({ mempool }) => mempool.version), i + 2);
    }
    assert.deepEqual(await pending(), ids());
    assert.deepEqual(await statusOf(replacement), [undefined, undefined]);
  });

  test(`a dropped transaction that is announced again begins anew; a pending one keeps its time (${engine})`, async t => {
    const { index, pending } = await open(t);
    const tx = transferOf();
    const times = async () =>
      (await index.get('/extended/v1/tx/mempool')).body.results.map((r: { receipt_time: number }) => r.receipt_time);
    const [once, twice, drop, again] = [announced(tx), announced(tx), dropped('TooExpensive', [tx]), announced(tx)];
    await index.deliver(once, twice);
    assert.deepEqual(await times(), [receivedAt(once)]);
    await index.deliver(drop);
    assert.deepEqual(await pending(), ids());
    await index.deliver(again);
    assert.deepEqual(await times(), [receivedAt(again)]);
  });

  test(`what was outbid begins anew when it is announced again, what had outbid it keeps its time (${engine})`, async t => {
    const { index, pending } = await open(t);
    const [low, high] = [transferOf({ fee: 300 }), transferOf({ fee: 400 })];
    const [first, again] = [announced(low, high), announced(low, high)];
    // In one transaction of the indexer, which judges only at its end.
    await index.journal.append([first, again, dropped('TooExpensive', [high])]);
    await index.deliver();
    assert.deepEqual(await pending(), ids(low));
    const times = async () =>
      (await index.get('/extended/v1/tx/mempool')).body.results.map((r: { receipt_time: number }) => r.receipt_time);
    assert.deepEqual(await times(), [receivedAt(again)]);
    const back = announced(high);
    await index.deliver(back);
    assert.deepEqual(await times(), [receivedAt(back)]);
  });

  test(`of equal fees, to announce the pending one again changes nothing (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const [early, late] = [transferOf({ fee: 300 }, 6), transferOf({ fee: 300 }, 7)];
    await index.deliver(root.delivery, announced(early), announced(late), dropped('Problematic', [late]));
    await index.deliver(announced(early), chain.block({ parent: root, txs: [late] }).delivery);
    assert.deepEqual(await pending(), ids());
    await index.deliver(...chain.chain(2, root).map(block => block.delivery));
    assert.deepEqual(await pending(), ids(late), 'it was received later');
  });

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
    assert.deepEqual(await pending(), ids(...first.txs));
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
    const coinbase = losing.txs[0];
    assert.ok(coinbase);
    assert.deepEqual(await pending(), ids(known, unknown, coinbase));
    const { results } = (await index.get('/extended/v1/tx/mempool')).body;
    const receipt = new Map(results.map((tx: { tx_id: string; receipt_time: number }) => [tx.tx_id, tx.receipt_time]));
    assert.equal(receipt.get(known.txId), receivedAt(announcement));
    assert.equal(receipt.get(unknown.txId), losing.burn.time);

    const second = chain.block({ parent: losing, txs: [] });
    await index.deliver(second.delivery, chain.block({ parent: second, txs: [] }).delivery);
    // The coinbase of the branch that has lost now; the rival is not, as its nonce is used.
    const other = winning.txs[0];
    assert.ok(other);
    assert.deepEqual(await pending(), ids(other));
    const rows = await database.read(queries => queries.all('SELECT tx_id FROM mempool_txs WHERE announced = 0'));
    assert.deepEqual(rows.length, 2, 'those that were never announced are forgotten when a block has them');
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

  test(`of sponsored transactions the sponsor pays the fee, and at the same nonce of their sender one is pending (${engine})`, async t => {
    const { index, pending, statusOf, database } = await open(t);
    const own = transferOf({ from: 9, nonce: 1, fee: 50 });
    const sponsored = transferOf({ from: 9, nonce: 1, fee: 70, sponsor: { from: 3, nonce: 8 } });
    const other = transferOf({ from: 8, nonce: 2, fee: 90, sponsor: { from: 3, nonce: 9 } });
    await index.deliver(announced(own), announced(sponsored), announced(other));
    assert.deepEqual(await pending(), ids(sponsored, other));
    assert.deepEqual(await statusOf(own), ['dropped_replace_by_fee', sponsored.txId]);
    const sums = (account: number) => database.read(queries => pendingSums(queries, accountAddress(account)));
    assert.deepEqual(await sums(9), { inbound: '0', outbound: '1000' });
    assert.deepEqual(await sums(3), { inbound: '0', outbound: '160' });
    assert.deepEqual(await sums(7), { inbound: '2000', outbound: '0' });
    const { results } = (await index.get('/extended/v1/tx/mempool?order_by=fee&limit=1')).body;
    assert.equal(results[0].sponsor_nonce, 9);
    assert.equal(results[0].sponsor_address, accountAddress(3));
    assert.equal(results[0].fee_rate, '90');
  });

  test(`a pending deployment is found by its contract, a pending call shows the names of a later deployment (${engine})`, async t => {
    const { index, database } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const deploy = deployOf('pool', 'join', { nonce: 0 });
    const call = callOf('pool', 'join', { from: 8, nonce: 0 });
    const contract = `${accountAddress(9)}.pool`;
    await index.deliver(root.delivery, announced(deploy, call));
    const callRecord = async () => {
      const { body } = await index.get(`/extended/v1/tx/mempool?sender_address=${accountAddress(8)}`);
      return body.results[0].contract_call;
    };
    assert.equal((await callRecord()).function_signature, '');
    const found = await database.read(queries => findPendingDeploy(queries, contract));
    assert.deepEqual([found?.txId, found?.type, found?.status], [deploy.txId, 'smart_contract', 'pending']);
    const both = await index.get(`/extended/v1/tx/mempool?address=${contract}`);
    assert.equal(both.body.total, 2);

    await index.deliver(chain.block({ parent: root, txs: [deploy] }).delivery);
    const { function_signature: signature, function_args: args } = await callRecord();
    assert.equal(signature, '(define-public (join (amount uint)))');
    assert.deepEqual(args, [{ hex: `0x01${'00'.repeat(15)}01`, repr: 'u1', name: 'amount', type: 'uint' }]);
    assert.equal(await database.read(queries => findPendingDeploy(queries, contract)), undefined);
    const without = await index.get('/extended/v1/tx/mempool?exclude_function_args=true');
    assert.ok(!('function_args' in without.body.results[0].contract_call));
  });

  test(`the version of the mempool changes with every announcement, drop and block (${engine})`, async t => {
    const { index } = await open(t);
    const chain = new ChainBuilder();
    const tx = transferOf();
    const root = chain.block();
    const seen = new Set<unknown>();
    for (const delivery of [announced(tx), root.delivery, dropped('Problematic', [tx]), announced(tx)]) {
      await index.deliver(delivery);
      const [list, fees] = [await index.get('/extended/v1/tx/mempool'), await index.get('/extended/v2/mempool/fees')];
      assert.equal(list.headers.etag, fees.headers.etag);
      seen.add(list.headers.etag);
    }
    assert.equal(seen.size, 4);
    await index.deliver(chain.block({ parent: root, txs: [] }).delivery);
    seen.add((await index.get('/extended/v1/tx/mempool')).headers.etag);
    assert.equal(seen.size, 5);
  });

  test(`a reason of a drop is told by id, of a mined or unknown transaction there is none (${engine})`, async t => {
    const { index, database } = await open(t);
    const [a, b] = [transferOf({ nonce: 0 }), transferOf({ nonce: 1 })];
    await index.deliver(announced(a, b), dropped('TooExpensive', [b]), new ChainBuilder().block({ txs: [a] }).delivery);
    const statuses = [a, b, transferOf({ nonce: 9 })].map(({ txId }) =>
      database.read(queries => mempoolStatus(queries, txId)),
    );
    assert.deepEqual(await Promise.all(statuses), [undefined, 'dropped_too_expensive', undefined]);
  });

  test(`coinbases and other kinds that are announced are pending like any (${engine})`, async t => {
    const { index, pending } = await open(t);
    const coinbase = signedTx(new Uint8Array([0x04, ...new Uint8Array(32)]), { nonce: 3, fee: 0 });
    await index.deliver(announced(coinbase));
    assert.deepEqual(await pending(), ids(coinbase));
    assert.deepEqual(Object.keys((await index.get('/extended/v2/mempool/fees')).body), ['all']);
  });
});
