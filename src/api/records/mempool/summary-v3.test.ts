import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, callOf, dropped, signedTx, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestMempool } from '../../../../test/support/test-mempool.ts';
import { bytes, longText, name } from '../../../../test/support/wire-transaction.ts';

const NOTHING = { p25: null, p50: null, p75: null, p95: null };
const NO_TRANSACTION = {
  count: 0,
  fee_rate: NOTHING,
  tx_size: NOTHING,
  receipt_time: NOTHING,
  receipt_block_height: NOTHING,
};

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const { index } = await openTestMempool(openFresh, t);
    return { index, summary: async () => (await index.get('/extended/v3/mempool')).body };
  };

  test(`percentiles of the mempool are fees that occur (${engine})`, async t => {
    const { index, summary } = await open(t);
    const fees = [50, 100, 200, 300, 400, 1000, 2000];
    const txs = fees.map((fee, nonce) => transferOf({ nonce, fee }));
    await index.deliver(announced(...txs));
    const { count, fee_rate, by_type } = await summary();
    assert.equal(count, 7);
    assert.deepEqual(fee_rate, { p25: '100', p50: '300', p75: '1000', p95: '2000' });
    assert.deepEqual(by_type.token_transfer.fee_rate, fee_rate);
  });

  test(`percentiles follow what comes and leaves, in each type and in all (${engine})`, async t => {
    const { index, summary } = await open(t);
    // Of one byte and of several, equal ones, and such as differ in the last byte.
    const fees = [0, 1, 255, 256, 257, 257, 65_535, 65_536, 70_000, 16_777_216, 16_777_217];
    const transfers = fees.map((fee, nonce) => transferOf({ nonce, fee }));
    const calls = fees
      .toReversed()
      .map((fee, nonce) => callOf('three', 'join', { from: 8, nonce, fee: BigInt(fee) + 3n }));
    const rankOf = (all: readonly bigint[], percent: number) =>
      String(all.toSorted((a, b) => (a < b ? -1 : 1))[Math.ceil((percent * all.length) / 100) - 1]);
    const expect = async (ofTransfers: readonly number[], ofCalls: readonly number[]) => {
      const { fee_rate, count, by_type } = await summary();
      const own = [ofTransfers.map(BigInt), ofCalls.map(fee => BigInt(fee) + 3n)] as const;
      for (const [shown, all] of [
        [fee_rate, own.flat()],
        [by_type.token_transfer.fee_rate, own[0]],
        [by_type.contract_call.fee_rate, own[1]],
      ] as const)
        assert.deepEqual(shown, Object.fromEntries([25, 50, 75, 95].map(part => [`p${part}`, rankOf(all, part)])));
      assert.equal(count, own.flat().length);
    };
    await index.deliver(announced(...transfers));
    await index.deliver(announced(...calls));
    await expect(fees, fees);
    await index.deliver(dropped('DroppedTooExpensive', transfers.slice(3, 9)));
    await expect([...fees.slice(0, 3), ...fees.slice(9)], fees);
    await index.deliver(dropped('DroppedTooExpensive', [...transfers, ...calls]));
    assert.equal((await summary()).count, 0);
    assert.deepEqual((await index.dump()).mempool_counts, []);
  });

  test(`of an empty mempool every percentile is null, and all types are there (${engine})`, async t => {
    const { summary } = await open(t);
    const [token_transfer, smart_contract, contract_call] = [NO_TRANSACTION, NO_TRANSACTION, NO_TRANSACTION];
    assert.deepEqual(await summary(), {
      ...NO_TRANSACTION,
      by_type: { token_transfer, smart_contract, contract_call },
    });
  });

  test(`a versioned deployment is a smart contract, and a coinbase counts nowhere (${engine})`, async t => {
    const { index, summary } = await open(t);
    const chain = new ChainBuilder();
    const versioned = signedTx(bytes(0x06, 0x03, name('three'), longText('(print "hi")')), { fee: 700 });
    const root = chain.block();
    await index.deliver(root.delivery, announced(chain.coinbase(), versioned));
    await index.deliver(announced(callOf('three', 'join', { from: 8, fee: 2n ** 64n - 1n })));
    const { count, fee_rate, tx_size, receipt_block_height, by_type } = await summary();
    assert.equal(count, 2);
    assert.deepEqual([fee_rate.p50, fee_rate.p95], ['700', '18446744073709551615']);
    assert.deepEqual([by_type.smart_contract.count, by_type.contract_call.count], [1, 1]);
    assert.equal(by_type.smart_contract.tx_size.p50, String(versioned.body.raw_tx).length / 2 - 1);
    assert.equal(receipt_block_height.p50, 1);
    assert.ok(tx_size.p95 > 0);
  });
});
