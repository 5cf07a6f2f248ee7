import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`a fee belongs to the band that begins with it, and full blocks count with their newest thousand transactions (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const full = (fee: number) => Array.from({ length: 350 }, () => chain.transfer({ fee }));
    const first = chain.block({ txs: full(299) });
    const second = chain.block({ parent: first, txs: full(300) });
    const third = chain.block({ parent: second, txs: [chain.coinbase(), ...full(2_000_000)] });
    await index.deliver(
      first.delivery,
      second.delivery,
      third.delivery,
      announced(transferOf({ from: 41, fee: 999_999 })),
    );
    const { body } = await index.get('/extended/v3/mempool/bands');
    assert.deepEqual(body.mined_in, { from_height: 1, to_height: 3 });
    const mined = body.bands.flatMap((band: { from_fee: string; mined: Record<string, { count: number }> }) =>
      band.mined.token_transfer?.count ? [[band.from_fee, band.mined.token_transfer.count]] : [],
    );
    assert.deepEqual(mined, [
      ['1000000', 350],
      ['300', 350],
      ['0', 299],
    ]);
    const waiting = body.bands.find(({ from_fee }: { from_fee: string }) => from_fee === '300000').waiting;
    assert.equal(waiting.token_transfer.count, 1);
    assert.ok(waiting.token_transfer.bytes > 100);
    const { body: page } = await index.page('/explorer/mempool');
    assert.match(page, /<th scope="row">from 0\.3<\/th><td class="number">1<\/td>/);
    assert.match(page, /Confirmed: in blocks .*>1<\/a> to .*>3<\/a>/);
  });
});
