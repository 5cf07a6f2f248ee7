import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import fc from '../../../../../test/support/fast-check.ts';
import { scratch } from '../../../../../test/support/workspace-tables.ts';
import { u64 } from '../../../../base/lib/number-bytes.ts';
import type { DatabaseTransaction } from '../../../../base/store/database.ts';
import { TXS } from '../../../../index/transactions/tables.ts';
import { nearPageBefore } from './fee-order.ts';

interface Transaction {
  readonly type: number;
  readonly fee: bigint;
}

const insert = (tx: DatabaseTransaction, txs: readonly Transaction[]) =>
  tx.insertMany(
    TXS,
    txs.map(({ type, fee }, seq) => {
      const row = { seq, tx_id: u64(BigInt(seq)), height: 1, type, burn_time: 0, fee: u64(fee), nonce: 0, sender: 0 };
      return Object.keys(TXS.columns).map(
        name => ({ recipient: null, contract: null, function: null, record: '', ...row })[name] ?? null,
      );
    }),
  );

/** The positions below one, of some types, by fee. */
function byFee(txs: readonly Transaction[], types: readonly number[], before: number, order: 'asc' | 'desc'): number[] {
  const all = txs.map((tx, seq) => ({ ...tx, seq })).filter(({ type, seq }) => seq < before && types.includes(type));
  const ascending = all.sort((a, b) => Number(a.fee - b.fee) || a.seq - b.seq).map(({ seq }) => seq);
  return order === 'asc' ? ascending : ascending.reverse();
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a page by fee as of a block is that of all transactions below it sorted, or undecided (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([TXS]);
    const cases = fc.record({
      txs: fc.array(fc.record({ type: fc.nat(2), fee: fc.constantFrom(0n, 1n, 180n, 20_000n) }), { maxLength: 90 }),
      before: fc.nat(90),
      types: fc.subarray([0, 1, 2], { minLength: 1 }),
      slice: fc.record({
        order: fc.constantFrom('asc' as const, 'desc' as const),
        offset: fc.nat(4),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
    });
    const property = fc.asyncProperty(cases, ({ txs, before, types, slice }) =>
      scratch(database, async tx => {
        await insert(tx, txs);
        const page = await nearPageBefore(tx, types, slice, before);
        const all = byFee(txs, types, before, slice.order);
        if (page) assert.deepEqual(page, all.slice(slice.offset, slice.offset + slice.limit));
        else assert.ok(txs.length - before > 2 * slice.limit, 'most rows of a type are hidden');
      }),
    );
    await fc.assert(property);
  });

  test(`a type whose highest fees are all above the block, and below those of the page, leaves it decided (${engine})`, async t => {
    const { database } = await openFresh(t);
    await database.create([TXS]);
    const paid = Array.from({ length: 20 }, (_, i) => ({ type: 0, fee: BigInt(1000 + i) }));
    const free = Array.from({ length: 600 }, () => ({ type: 1, fee: 0n }));
    await scratch(database, async tx => {
      await insert(tx, [...paid, ...free]);
      const page = await nearPageBefore(tx, [0, 1], { order: 'desc', offset: 0, limit: 3 }, 20);
      assert.deepEqual(page, [19, 18, 17]);
    });
  });
});
