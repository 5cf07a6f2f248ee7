import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder, delivery } from '../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../test/support/engines.ts';
import { announced, callOf, transferOf } from '../../../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../../../test/support/test-index.ts';

const DROPPED = '/extended/v1/tx/mempool/dropped';
const STATS = '/extended/v1/tx/mempool/stats';
const NONE = { p25: null, p50: null, p75: null, p95: null };

const drop = (reason: string, ...txIds: readonly string[]) =>
  delivery('/drop_mempool_tx', { dropped_txids: txIds, reason, new_txid: null });

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => openTestIndex(await databaseWithTables(openFresh, t));
  const listed = async (index: TestIndex, query = ''): Promise<string[]> => {
    const { body } = await index.get(`${DROPPED}${query}`);
    return body.results.map((tx: { tx_id: string }) => tx.tx_id);
  };

  test(`what was dropped is listed for every reason, until it is announced again or mined (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const [slow, problem, outbid, kept] = [0, 1, 2, 3].map(nonce => transferOf({ nonce, fee: 200 }));
    assert.ok(slow && problem && outbid && kept);
    const winner = transferOf({ nonce: 2, fee: 300 });
    await index.deliver(announced(slow, problem, outbid, kept, winner));
    assert.deepEqual(await listed(index), [outbid.txId]);
    await index.deliver(drop('TooExpensive', slow.txId), drop('Problematic', problem.txId));
    assert.deepEqual(new Set(await listed(index)), new Set([slow.txId, problem.txId, outbid.txId]));
    assert.equal((await index.get(`${DROPPED}?offset=5`)).body.total, 3);
    const again = { ...announced(slow), receivedAt: announced(slow).receivedAt + 1_000_000 };
    await index.deliver(again);
    assert.deepEqual(new Set(await listed(index)), new Set([problem.txId, outbid.txId]));
    const root = chain.block();
    await index.deliver(root.delivery, chain.block({ parent: root, txs: [problem] }).delivery);
    assert.deepEqual(await listed(index), [outbid.txId]);
    const fork = chain.block({ parent: root });
    await index.deliver(fork.delivery, chain.block({ parent: fork }).delivery);
    assert.deepEqual(await listed(index), [outbid.txId], 'its block is lost: it waits again');
    assert.equal((await index.get(DROPPED)).body.total, 1);
  });

  test(`pages of dropped transactions follow each other, those received last first (${engine})`, async t => {
    const index = await open(t);
    const txs = [0, 1, 2, 3, 4].map(nonce => transferOf({ nonce }));
    for (const [i, tx] of txs.entries()) {
      const message = announced(tx);
      await index.deliver({ ...message, receivedAt: message.receivedAt + i * 1_000_000 });
    }
    await index.deliver(drop('StaleGarbageCollect', ...txs.map(({ txId }) => txId)));
    const newest = txs.map(({ txId }) => txId).reverse();
    assert.deepEqual(await listed(index), newest);
    const pages = await Promise.all([0, 2, 4].map(offset => listed(index, `?limit=2&offset=${offset}`)));
    assert.deepEqual(pages.flat(), newest);
  });

  test(`statistics are of what is pending, by type, and not rounded (${engine})`, async t => {
    const index = await open(t);
    assert.deepEqual((await index.get(STATS)).body.tx_ages.token_transfer, NONE);
    const chain = new ChainBuilder();
    const root = chain.block();
    const calls = [1000, 1001, 1002].map((fee, nonce) => callOf('pool', 'join', { nonce, fee }));
    const transfer = transferOf({ from: 8, fee: 77 });
    await index.deliver(announced(transfer), root.delivery, announced(...calls));
    await index.deliver(chain.block({ parent: root, txs: [] }).delivery, drop('Problematic', calls[0]?.txId ?? ''));
    const { body } = await index.get(STATS);
    const counts = { token_transfer: 1, smart_contract: 0, contract_call: 2, poison_microblock: 0 };
    assert.deepEqual(body.tx_type_counts, counts);
    assert.equal(body.tx_simple_fee_averages.contract_call.p25, 1001.25);
    assert.equal(body.tx_simple_fee_averages.contract_call.p50, 1001.5);
    assert.deepEqual(body.tx_ages.token_transfer, { p25: 3, p50: 3, p75: 3, p95: 3 }, 'received before all blocks');
    assert.deepEqual(body.tx_ages.contract_call, { p25: 2, p50: 2, p75: 2, p95: 2 });
    const size = String(transfer.body.raw_tx).length / 2 - 1;
    assert.deepEqual(body.tx_byte_sizes.token_transfer, { p25: size, p50: size, p75: size, p95: size });
    assert.deepEqual(body.tx_byte_sizes.smart_contract, NONE);
  });
});
