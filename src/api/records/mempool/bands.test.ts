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

  test(`the wait of a band is the median of blocks from announcement to block, and what was never announced has none (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [soon, second, late] = [1, 2, 3].map(from => transferOf({ from, fee: 500 }));
    const unheard = chain.transfer({ fee: 2_000_000 });
    assert.ok(soon && second && late);
    const blocks = chain.chain(2);
    const [, below] = blocks;
    const third = chain.block({ ...(below && { parent: below }), txs: [soon, unheard] });
    const fourth = chain.block({ parent: third, txs: [chain.coinbase(), second, late] });
    await index.deliver(...blocks.map(({ delivery }) => delivery), announced(soon, second, late));
    await index.deliver(third.delivery, fourth.delivery);
    const { body } = await index.get('/extended/v3/mempool/bands');
    const waitedOf = (fee: string) => body.bands.find(({ from_fee }: { from_fee: string }) => from_fee === fee).waited;
    assert.deepEqual(waitedOf('300'), { count: 3, median_blocks: 2 });
    assert.deepEqual(waitedOf('1000000'), { count: 0, median_blocks: null });
    const { body: home } = await index.page('/explorer');
    assert.match(home, /from 0\.0003<\/th><td class="number">3<\/td><td class="number">2<\/td>/);
    assert.match(home, /Waited: blocks until then, the median/);
  });
});
