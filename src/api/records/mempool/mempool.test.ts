import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import {
  announced,
  announcedBytes,
  callOf,
  deployOf,
  dropped,
  rawOf,
  receivedAt,
  transferOf,
} from '../../../../test/support/pending-transactions.ts';
import { ids, openTestMempool } from '../../../../test/support/test-mempool.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { findPendingDeploy, mempoolStatus, pendingSums } from './queries.ts';

onSqliteAtLeast((engine, openFresh) => {
  const open = (t: Parameters<typeof openFresh>[0]) => openTestMempool(openFresh, t);

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

  test(`of transactions that are received in one second, the last announced is listed first (${engine})`, async t => {
    const { index } = await open(t);
    const txs = [0, 1, 2, 3, 4].map(nonce => transferOf({ nonce }));
    const messages = txs.map(tx => ({ ...announced(tx), receivedAt: 1_700_000_000_000_000 }));
    await index.deliver(...messages);
    const listed = async (query: string) =>
      (await index.get(`/extended/v1/tx/mempool${query}`)).body.results.map((tx: { tx_id: string }) => tx.tx_id);
    const inOrder = txs.map(({ txId }) => txId);
    assert.deepEqual(await listed(''), inOrder.toReversed());
    assert.deepEqual(await listed('?order=asc'), inOrder);
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
    const drops = () => index.get(`/extended/v3/mempool/transactions/${tx.txId}/drop`);
    assert.equal((await drops()).status, 404);
    await index.deliver(drop);
    assert.deepEqual(await pending(), ids());
    const { status, time } = (await drops()).body;
    assert.deepEqual([status, time], ['dropped_too_expensive', receivedAt(drop)]);
    await index.deliver(again);
    assert.deepEqual(await times(), [receivedAt(again)]);
    assert.equal((await drops()).status, 404);
  });

  test(`what was outbid begins anew when it is announced again, what had outbid it keeps its time (${engine})`, async t => {
    const { index, pending } = await open(t);
    const [low, high] = [transferOf({ fee: 300 }), transferOf({ fee: 400 })];
    const [first, again] = [announced(low, high), announced(low, high)];
    // In one transaction of the indexer, which settles the mempool only at its end.
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

  test(`the fee of a sponsored transaction counts for its sender and its sponsor, and at one nonce of a sender one is pending (${engine})`, async t => {
    const { index, pending, statusOf, database } = await open(t);
    const own = transferOf({ from: 9, nonce: 1, fee: 50 });
    const sponsored = transferOf({ from: 9, nonce: 1, fee: 70, sponsor: { from: 3, nonce: 8 } });
    const other = transferOf({ from: 8, nonce: 2, fee: 90, sponsor: { from: 3, nonce: 9 } });
    await index.deliver(announced(own), announced(sponsored), announced(other));
    assert.deepEqual(await pending(), ids(sponsored, other));
    assert.deepEqual(await statusOf(own), ['dropped_replace_by_fee', sponsored.txId]);
    const sums = (account: number) => database.read(queries => pendingSums(queries, accountAddress(account)));
    assert.deepEqual(await sums(9), { inbound: '0', outbound: '1070' });
    assert.deepEqual(await sums(3), { inbound: '0', outbound: '160' });
    assert.deepEqual(await sums(7), { inbound: '2000', outbound: '0' });
    const { results } = (await index.get('/extended/v1/tx/mempool?order_by=fee&limit=1')).body;
    assert.equal(results[0].sponsor_nonce, 9);
    assert.equal(results[0].sponsor_address, accountAddress(3));
    assert.equal(results[0].fee_rate, '90');
  });

  test(`a nonce of an account is used once, by the account as sender or as sponsor, whatever the other nonce is (${engine})`, async t => {
    const { index, pending, statusOf } = await open(t);
    const by = (from: number, nonce: number, fee: number, ofSponsor: number) =>
      transferOf({ from, nonce, fee, sponsor: { from: 3, nonce: ofSponsor } });
    const [five, six] = [by(8, 0, 300, 5), by(9, 0, 400, 6)];
    await index.deliver(announced(five), announced(six));
    assert.deepEqual(await pending(), ids(five, six), 'equal nonces of two senders, two nonces of the sponsor');

    const cheaper = by(10, 4, 200, 6);
    const own = transferOf({ from: 3, nonce: 5, fee: 500 });
    await index.deliver(announced(cheaper), announced(own));
    assert.deepEqual(await pending(), ids(six, own));
    assert.deepEqual(await statusOf(cheaper), ['dropped_replace_by_fee', six.txId]);
    assert.deepEqual(await statusOf(five), ['dropped_replace_by_fee', own.txId]);

    const chain = new ChainBuilder();
    const root = chain.block();
    const mined = chain.block({ parent: root, txs: [by(11, 7, 100, 6)] });
    await index.deliver(root.delivery, mined.delivery);
    assert.deepEqual(await statusOf(six), ['dropped_replace_by_fee', mined.txs[0]?.txId]);
    assert.deepEqual(await pending(), ids(own));
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

  test(`a coinbase or a tenure change never is pending, neither announced nor of a lost block (${engine})`, async t => {
    const { index, pending } = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const [coinbase, tenure, transfer] = [chain.coinbase(), chain.tenureChange('00'.repeat(20)), chain.transfer()];
    const losing = chain.block({ parent: root, txs: [tenure, coinbase, transfer] });
    await index.deliver(root.delivery, losing.delivery, ...chain.chain(2, root).map(block => block.delivery));
    assert.deepEqual(await pending(), ids(transfer));
    await index.deliver(announced(coinbase, tenure));
    assert.deepEqual(await pending(), ids(transfer));
    for (const { txId } of [coinbase, tenure])
      assert.equal((await index.get(`/extended/v1/tx/${txId}/raw`)).status, 200, 'the bytes were seen');
  });
});
