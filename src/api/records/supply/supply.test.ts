import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import { inStx, inStxWithCommas } from './queries.ts';

const event = (type: 'mint' | 'burn', amount: number) => ({
  type: `stx_${type}_event`,
  [`stx_${type}_event`]: { [type === 'mint' ? 'recipient' : 'sender']: accountAddress(3), amount: String(amount) },
});

/** A transfer that also has these events. */
function moving(chain: ChainBuilder, ...events: ReturnType<typeof event>[]) {
  const tx = chain.transfer();
  return { ...tx, events: [...tx.events, ...events.map(each => ({ txid: tx.txId, committed: true, ...each }))] };
}

const coinbase = (amount: number) => ({
  recipient: accountAddress(5),
  miner_address: accountAddress(5),
  coinbase_amount: String(amount),
  tx_fees_anchored: '77',
  tx_fees_streamed_confirmed: '7',
  tx_fees_streamed_produced: '7',
  from_stacks_block_hash: `0x${'01'.repeat(32)}`,
  from_index_consensus_hash: `0x${'02'.repeat(32)}`,
});

const supply = async (index: TestIndex, query = '') => {
  const { body } = await index.get(`/extended/v1/stx_supply${query}`);
  assert.equal(body.unlocked_stx, body.total_stx);
  return [body.block_height, body.total_stx, body.unlocked_percent];
};

onSqliteAtLeast((_engine, openFresh) => {
  test('the supply is what was minted and matured, less what was burned, at every height', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const boot = chain.bootBlock([moving(chain, event('mint', 1_000_000_000))]);
    const first = chain.block();
    const second = chain.block({ parent: first, txs: [moving(chain, event('burn', 10_500_000))] });
    const third = chain.block({ parent: second });
    const fourth = chain.block({ parent: third, fields: { matured_miner_rewards: [coinbase(1_000_001)] } });
    await index.deliver(...[boot, first, second, third, fourth].map(({ delivery }) => delivery));
    assert.deepEqual(await supply(index), [4, '990.500001', '100.00']);
    assert.deepEqual(await supply(index, '?height=0'), [0, '0.000000', 'NaN']);
    assert.deepEqual(await supply(index, '?height=1'), [1, '1000.000000', '100.00']);
    assert.deepEqual(await supply(index, '?height=3'), [3, '989.500000', '100.00']);
    assert.deepEqual(await supply(index, '?height=99&unanchored=true'), [99, '990.500001', '100.00']);
    assert.deepEqual(await supply(index, '?unanchored=true'), [5, '990.500001', '100.00']);
    const { body } = await index.get('/extended/v1/stx_supply/legacy_format?height=1');
    assert.deepEqual(
      [body.totalStacks, body.totalStacksFormatted, body.unlockedSupplyFormatted, body.blockHeight],
      ['1000.000000', '1,000.000000', '1,000.000000', '1'],
    );
  });

  test('a fork takes back what its blocks minted and burned', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block({ txs: [moving(chain, event('mint', 9_000_000))] });
    const lost = chain.block({ parent: first, txs: [moving(chain, event('mint', 5_000_000), event('burn', 1))] });
    const blocks: BuiltBlock[] = chain.chain(2, first);
    await index.deliver(first.delivery, lost.delivery);
    assert.deepEqual(await supply(index), [2, '13.999999', '100.00']);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    assert.deepEqual(await supply(index), [3, '9.000000', '100.00']);
  });

  test('what unanchored microblocks burn counts when it is asked for', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block({ txs: [moving(chain, event('mint', 9_000_000))] });
    const microblocks = chain.microblocks(first, [
      [moving(chain, event('burn', 2))],
      [moving(chain, event('burn', 1))],
    ]);
    await index.deliver(first.delivery, chain.stream(first, microblocks));
    assert.deepEqual(await supply(index), [1, '9.000000', '100.00']);
    assert.deepEqual(await supply(index, '?unanchored=true'), [2, '8.999997', '100.00']);
  });

  test('in version 3 the supply is what was minted and matured, less what was burned; a fork that loses changes nothing', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const boot = chain.bootBlock([moving(chain, event('mint', 1000))]);
    const first = chain.block({ txs: [moving(chain, event('mint', 20), event('burn', 5))] });
    const second = chain.block({ parent: first, fields: { matured_miner_rewards: [coinbase(3), coinbase(3)] } });
    const total = async () => (await index.get('/extended/v3/tokens/stx/supply')).body.total;
    await index.deliver(boot.delivery, first.delivery, second.delivery);
    assert.equal(await total(), '1021');
    const loses = chain.block({ parent: first, txs: [moving(chain, event('mint', 7))] });
    await index.deliver(loses.delivery);
    assert.equal(await total(), '1021');
    const wins = chain.block({ parent: loses });
    await index.deliver(wins.delivery);
    assert.equal(await total(), '1022');
    const [third, fourth] = chain.chain(2, second);
    assert.ok(third && fourth);
    await index.deliver(third.delivery, fourth.delivery);
    assert.equal(await total(), '1021');
  });

  test('the plain forms are the newest supply as text without more, and take no height', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    await index.deliver(chain.block({ txs: [moving(chain, event('mint', 1_234_567))] }).delivery);
    for (const part of ['total', 'circulating']) {
      const { body, headers } = await index.get(`/extended/v1/stx_supply/${part}/plain`);
      assert.equal(body, 1.234567);
      assert.equal(headers['content-type'], 'text/plain');
      assert.equal((await index.get(`/extended/v1/stx_supply/${part}/plain?height=0`)).body, 1.234567);
    }
    assert.equal((await index.get('/extended/v1/stx_supply/total')).status, 404);
  });
});

test('STX have six decimals, and commas at thousands of whole ones alone', () => {
  const cases: [bigint, string, string][] = [
    [0n, '0.000000', '0.000000'],
    [1n, '0.000001', '0.000001'],
    [-1n, '-0.000001', '-0.000001'],
    [999_999_999n, '999.999999', '999.999999'],
    [-1_000_000_000n, '-1000.000000', '-1,000.000000'],
    [2_422_157_090_721_611n, '2422157090.721611', '2,422,157,090.721611'],
  ];
  for (const [micro, text, formatted] of cases)
    assert.deepEqual([inStx(micro), inStxWithCommas(micro)], [text, formatted]);
});
