import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder, delivery, repeated } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';

const X = 'mnvi1WQb3cm2QMeeKe6G9D7L1GsjmmGTda';
const Y = 'mk4zAE1iVWf5PJAgeX83rSXnzF5zQBiqf1';
/** The Stacks address of the key of X. */
const STACKS_X = 'ST18MDW2PDTBSCR1ACXYRJP2JX70FWNM6YY2VX4SS';
const REWARDS = '/extended/v1/burnchain/rewards';

/** [burn height, index, recipient, satoshis] of a page. */
async function rewards(index: TestIndex, rest = ''): Promise<unknown[][]> {
  const { status, body } = await index.get(`${REWARDS}${rest}`);
  assert.equal(status, 200, rest);
  return (body.results as Record<string, unknown>[]).map(reward => [
    reward.burn_block_height,
    reward.reward_index,
    reward.reward_recipient,
    reward.reward_amount,
  ]);
}

const totalOf = async (index: TestIndex, address: string) => (await index.get(`${REWARDS}/${address}/total`)).body;

/** A burn block like one that the builder makes, with other transactions that pay rewards. */
function paying(burn: { readonly delivery: { readonly body: Uint8Array } }, transactions: unknown) {
  const body = JSON.parse(Buffer.from(burn.delivery.body).toString());
  return delivery('/new_burn_block', { ...body, pox_transactions: transactions });
}

onSqliteAtLeast((_engine, openFresh) => {
  test('rewards are listed newest burn block first, last payment first, in all and by address', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.burnBlock({ slots: [X, Y] });
    const second = chain.burnBlock({ parent: first, slots: [X] });
    await index.deliver(first.delivery, second.delivery);
    const all = [
      [101, 0, X, '10000'],
      [100, 1, Y, '10000'],
      [100, 0, X, '10000'],
    ];
    assert.deepEqual(await rewards(index), all);
    assert.deepEqual(await rewards(index, '?limit=1&offset=1'), all.slice(1, 2));
    assert.deepEqual(
      await rewards(index, `/${STACKS_X}`),
      all.filter(([, , recipient]) => recipient === X),
    );
    assert.deepEqual((await index.get(`${REWARDS}?offset=9`)).body, { limit: 96, offset: 9, results: [] });
  });

  test('the total of an address is the sum of its payments, follows burn forks, and counts a repeat once', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.burnBlock({ slots: [X] });
    const left = chain.burnBlock({ parent: base, slots: [X, X, Y] });
    const right = chain.burnBlock({ parent: base, slots: [Y] });
    await index.deliver(base.delivery, left.delivery, repeated(left.delivery));
    assert.deepEqual(await totalOf(index, X), { reward_recipient: X, reward_amount: '30000' });
    await index.deliver(right.delivery);
    assert.deepEqual(await totalOf(index, STACKS_X), { reward_recipient: X, reward_amount: '10000' });
    assert.deepEqual(await totalOf(index, Y), { reward_recipient: Y, reward_amount: '10000' });
    await index.deliver(chain.burnBlock({ parent: left }).delivery);
    assert.deepEqual(await totalOf(index, X), { reward_recipient: X, reward_amount: '30000' });
  });

  test('a fork of the Stacks chain takes no reward away', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const burn = chain.burnBlock({ slots: [X] });
    const first = chain.block({ burn });
    const other = chain.burnBlock({ parent: burn, slots: [Y] });
    const lost = chain.block({ parent: first, burn: other });
    const third = chain.burnBlock({ parent: other });
    const blocks = [chain.block({ parent: first, burn: third })];
    blocks.push(...chain.chain(2, blocks[0]));
    await index.deliver(burn.delivery, first.delivery, other.delivery, lost.delivery, third.delivery);
    await index.deliver(...blocks.map(block => block.delivery));
    assert.deepEqual(await totalOf(index, Y), { reward_recipient: Y, reward_amount: '10000' });
  });

  test('what is no address is refused, and one that was never paid has none', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    for (const given of ['nobody', `${STACKS_X}.pool`, X.replace('m', 'n')])
      for (const path of [
        `${REWARDS}/${given}`,
        `${REWARDS}/${given}/total`,
        `/extended/v2/addresses/${given}/pox-transactions`,
      ])
        assert.equal((await index.get(path)).status, 400, path);
    assert.deepEqual(await totalOf(index, X), { reward_recipient: X, reward_amount: '0' });
  });

  test('transactions of rewards are listed by burn block, then by id and output', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [a, b] = [`0x${'0a'.repeat(32)}`, `0x${'0b'.repeat(32)}`];
    const burn = chain.burnBlock();
    const second = chain.burnBlock({ parent: burn });
    const none = chain.burnBlock({ parent: second });
    const to = (recipient: string, utxo_idx: number) => ({ recipient, amt: 7, utxo_idx });
    await index.deliver(
      paying(burn, [
        { txid: b, reward_recipients: [to(X, 1), to(Y, 0)] },
        { txid: a, reward_recipients: [to(X, 2)] },
      ]),
      paying(second, [{ txid: b, reward_recipients: [to(X, 0)] }]),
      paying(none, []),
    );
    const listed = async (path: string) => {
      const { body } = await index.get(`/extended/v2/${path}`);
      return {
        total: body.total,
        outputs: (body.results as Record<string, unknown>[]).map(({ burn_block_height, tx_id, utxo_idx }) => [
          burn_block_height,
          tx_id,
          utxo_idx,
        ]),
      };
    };
    const ofFirst = {
      total: 3,
      outputs: [
        [100, a, 2],
        [100, b, 0],
        [100, b, 1],
      ],
    };
    for (const id of ['100', burn.hash, burn.hash.slice(2).toUpperCase()])
      assert.deepEqual(await listed(`burn-blocks/${id}/pox-transactions`), ofFirst);
    assert.deepEqual(await listed('burn-blocks/100/pox-transactions?limit=1&offset=1'), {
      total: 3,
      outputs: [[100, b, 0]],
    });
    assert.deepEqual(await listed('burn-blocks/latest/pox-transactions'), { total: 1, outputs: [[101, b, 0]] });
    for (const id of ['102', none.hash, '9', `0x${'ef'.repeat(32)}`])
      assert.deepEqual(await listed(`burn-blocks/${id}/pox-transactions`), { total: 0, outputs: [] });
    assert.deepEqual(await listed(`addresses/${STACKS_X}/pox-transactions`), {
      total: 3,
      outputs: [
        [101, b, 0],
        [100, a, 2],
        [100, b, 1],
      ],
    });
  });

  test('the ETag of payments changes with a burn block alone, and limit=0 is an empty page with the true total', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const burn = chain.burnBlock();
    const payments = (n: number) => [
      {
        txid: `0x${'0a'.repeat(32)}`,
        reward_recipients: Array.from({ length: n }, (_, i) => ({ recipient: X, amt: 7, utxo_idx: i })),
      },
    ];
    await index.deliver(paying(burn, payments(2)), chain.block({ burn }).delivery);
    for (const path of ['burn-blocks/latest', `addresses/${X}`]) {
      const url = `/extended/v2/${path}/pox-transactions`;
      const { headers } = await index.get(url);
      assert.equal(headers['cache-control'], 'public, no-cache, must-revalidate', path);
      assert.equal((await index.get(url, { 'if-none-match': String(headers.etag) })).status, 304, path);
      assert.deepEqual((await index.get(`${url}?limit=0`)).body, { limit: 0, offset: 0, total: 2, results: [] });
    }
    const known = await Promise.all(
      ['burn-blocks/latest', `addresses/${X}`].map(async path => {
        const url = `/extended/v2/${path}/pox-transactions`;
        return { url, etag: String((await index.get(url)).headers.etag) };
      }),
    );
    await index.deliver(paying(chain.burnBlock({ parent: burn }), payments(3)));
    for (const { url, etag } of known) assert.equal((await index.get(url, { 'if-none-match': etag })).status, 200, url);
  });
});
