import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../test/support/pending-transactions.ts';
import { openTestMempool } from '../../../../test/support/test-mempool.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

const ACCOUNT = 9;
const SPONSOR = 8;

onSqliteAtLeast((engine, openFresh) => {
  async function open(t: Parameters<typeof openFresh>[0]) {
    const { index } = await openTestMempool(openFresh, t);
    const nonces = async (account = ACCOUNT, query = '') => {
      const { status, body } = await index.get(`/extended/v1/address/${accountAddress(account)}/nonces${query}`);
      if (status !== 200) return status;
      return [
        body.last_executed_tx_nonce,
        body.last_mempool_tx_nonce,
        body.possible_next_nonce,
        body.detected_missing_nonces,
        body.detected_mempool_nonces,
      ];
    };
    return { index, nonces };
  }

  const sent = (...nonces: readonly (number | bigint)[]) => nonces.map(nonce => transferOf({ nonce }));

  test(`the next nonce follows the highest that is mined or pending, and gaps below a pending one are told (${engine})`, async t => {
    const { index, nonces } = await open(t);
    assert.deepEqual(await nonces(), [null, null, 0, [], []]);
    await index.deliver(announced(...sent(4, 6)));
    assert.deepEqual(await nonces(), [null, 6, 7, [], []]);
    await index.deliver(new ChainBuilder().block({ txs: sent(0, 1) }).delivery);
    assert.deepEqual(await nonces(), [1, 6, 7, [5, 3, 2], [4]]);
    await index.deliver(announced(...sent(2, 3, 5)));
    assert.deepEqual(await nonces(), [1, 6, 7, [], [5, 4, 3, 2]]);
  });

  test(`a pending nonce far ahead makes no long response (${engine})`, async t => {
    const { index, nonces } = await open(t);
    await index.deliver(new ChainBuilder().block({ txs: sent(3) }).delivery);
    await index.deliver(announced(...sent(5, 2n ** 64n - 1n)));
    const found = await nonces();
    assert.ok(Array.isArray(found));
    assert.deepEqual(found[1], 2 ** 64);
    assert.deepEqual(found[3].length, 199);
    assert.deepEqual([found[3][0], found[3].at(-2), found[3].at(-1), found[4]], [203, 6, 4, [5]]);
  });

  test(`a sponsor uses nonces of its own, mined and pending (${engine})`, async t => {
    const { index, nonces } = await open(t);
    const sponsored = (nonce: number, ofSponsor: number) =>
      transferOf({ nonce, sponsor: { from: SPONSOR, nonce: ofSponsor } });
    const first = new ChainBuilder().block({ txs: [sponsored(0, 40), sponsored(1, 41)] });
    await index.deliver(first.delivery);
    assert.deepEqual(await nonces(SPONSOR), [41, null, 42, [], []]);
    assert.deepEqual(await nonces(ACCOUNT), [1, null, 2, [], []]);
    await index.deliver(announced(sponsored(2, 43), sponsored(3, 45)));
    assert.deepEqual(await nonces(SPONSOR), [41, 45, 46, [44, 42], [43]]);
    // As recorded: at a block, a transaction counts for the nonce of its sender even if a sponsor pays.
    assert.deepEqual(await nonces(SPONSOR, '?block_height=1'), [1, null, 2, [], []]);
    assert.deepEqual(await nonces(ACCOUNT, '?block_height=1'), [null, null, 0, [], []]);
  });

  test(`nonces after a block are those of the canonical chain up to its height, also by the hash of an orphan (${engine})`, async t => {
    const { index, nonces } = await open(t);
    const chain = new ChainBuilder();
    const first = chain.block({ txs: sent(0) });
    const lost = chain.block({ parent: first, txs: sent(1, 2, 3) });
    const second = chain.block({ parent: first, txs: sent(1) });
    const third = chain.block({ parent: second, txs: sent(2) });
    await index.deliver(first.delivery, lost.delivery);
    assert.deepEqual(await nonces(), [3, null, 4, [], []]);
    await index.deliver(second.delivery, third.delivery);
    const at = async (query: string) => nonces(ACCOUNT, query);
    assert.deepEqual(await at('?block_height=1'), [0, null, 1, [], []]);
    assert.deepEqual(await at('?block_height=2'), [1, null, 2, [], []]);
    assert.deepEqual(await at(`?block_hash=${lost.hash}`), [1, null, 2, [], []]);
    assert.deepEqual(await at(`?block_hash=${third.hash.toUpperCase().replace('0X', '0x')}`), [2, null, 3, [], []]);
    assert.equal(await at('?block_height=4'), 404);
    assert.equal(await at(`?block_hash=0x${'ab'.repeat(32)}`), 404);
    for (const bad of ['block_height=0', 'block_hash=ab', 'block_hash=0xzz', `block_height=1&block_hash=${first.hash}`])
      assert.equal(await at(`?${bad}`), 400, bad);
  });

  test(`an operation from Bitcoin is shown with nonce 0 and uses none (${engine})`, async t => {
    const { index, nonces } = await open(t);
    const chain = new ChainBuilder();
    const moved = { sender: accountAddress(ACCOUNT), recipient: accountAddress(7), amount: '5', memo: '' };
    const operation = () => {
      const txId = chain.hash();
      const body = { ...transferOf().body, txid: txId, raw_tx: '0x00', burnchain_op: null };
      const event = { txid: txId, committed: true, type: 'stx_transfer_event', stx_transfer_event: moved };
      return { txId, body, events: [event] };
    };
    await index.deliver(chain.block({ txs: [...sent(4), operation(), operation()] }).delivery);
    assert.deepEqual(await nonces(), [4, null, 5, [], []]);
    assert.deepEqual(await nonces(ACCOUNT, '?block_height=1'), [4, null, 5, [], []]);
  });
});
