import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, callOf, dropped, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestMempool } from '../../../../test/support/test-mempool.ts';

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const { index } = await openTestMempool(openFresh, t);
    return { index, summary: async () => (await index.get('/extended/v3/mempool')).body };
  };

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
});
