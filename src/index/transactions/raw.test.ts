import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { announced, transferOf } from '../../../test/support/pending-transactions.ts';
import { openTestMempool } from '../../../test/support/test-mempool.ts';
import { toHex } from '../../base/lib/hex.ts';

onSqliteAtLeast((engine, openFresh) => {
  test(`bytes are kept once: apart while no canonical block has the transaction, else with the block (${engine})`, async t => {
    const { index, database } = await openTestMempool(openFresh, t);
    const kept = async () => {
      const rows = await database.read(queries => queries.all<{ tx_id: Uint8Array }>('SELECT tx_id FROM raw_txs'));
      return rows.map(({ tx_id }) => toHex(tx_id)).sort();
    };
    const chain = new ChainBuilder();
    const [waiting, mined, unannounced] = [1, 2, 3].map(nonce => transferOf({ nonce }));
    assert.ok(waiting && mined && unannounced);
    const assertServed = async () => {
      for (const { txId, body } of [waiting, mined])
        for (const id of [txId, txId.slice(2), txId.toUpperCase().replace('0X', '0x')])
          assert.equal((await index.get(`/extended/v1/tx/${id}/raw`)).body.raw_tx, body.raw_tx);
    };
    const idsOf = (...txs: { readonly txId: string }[]) => txs.map(({ txId }) => txId).sort();
    const root = chain.block({ txs: [] });
    await index.deliver(root.delivery, announced(waiting, mined));
    assert.deepEqual(await kept(), idsOf(waiting, mined));
    await assertServed();

    await index.deliver(chain.block({ parent: root, txs: [mined, unannounced] }).delivery);
    assert.deepEqual(await kept(), idsOf(waiting), 'the block has them');
    await assertServed();
    await index.deliver(announced(mined));
    assert.deepEqual(await kept(), idsOf(waiting), 'announced late');

    const rival = chain.chain(2, root);
    await index.deliver(...rival.map(({ delivery }) => delivery));
    assert.deepEqual(await kept(), idsOf(waiting, mined, unannounced), 'their block was taken back');
    await assertServed();

    const late = chain.block({ parent: rival.at(-1) ?? root, txs: [mined] });
    const losing = chain.block({ parent: root, txs: [mined] });
    await index.deliver(late.delivery, losing.delivery);
    assert.deepEqual(await kept(), idsOf(waiting, unannounced), 'of a block that lost, too, where another one won');
    await assertServed();

    const others = Array.from({ length: 20 }, (_, i) => transferOf({ nonce: 10 + i }));
    await index.deliver(chain.block({ parent: late, txs: [waiting, ...others] }).delivery);
    assert.deepEqual(await kept(), idsOf(unannounced), 'a block with many has one of them');
    await assertServed();
  });
});
