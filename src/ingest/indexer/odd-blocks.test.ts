import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder, delivery } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { transactionId } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';

const FUTURE_TX = '0xff00000001deadbeef';
const FUTURE_ID = transactionId(fromHex(FUTURE_TX) ?? new Uint8Array());

onSqliteAtLeast((engine, openFresh) => {
  test(`a transaction that cannot be decoded costs neither its block nor its bytes (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({});
    const transactions = block.body.transactions as Record<string, unknown>[];
    const strange = { ...transactions[0], txid: FUTURE_ID, raw_tx: FUTURE_TX, tx_index: transactions.length };
    await index.deliver(delivery('/new_block', { ...block.body, transactions: [...transactions, strange] }));
    assert.equal((await index.get('/extended/v2/blocks/latest')).body.tx_count, transactions.length + 1);
    assert.equal((await index.get('/extended/v1/tx')).body.total, transactions.length);
    const ofBlock = (await index.get('/extended/v2/blocks/latest/transactions')).body;
    assert.equal(ofBlock.total, ofBlock.results.length, 'the total counts what is listed');
    assert.equal((await index.get(`/extended/v1/tx/${FUTURE_ID}/raw`)).body.raw_tx, FUTURE_TX);
  });

  test(`an operation of Bitcoin that had no effect is neither listed nor counted (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({});
    const transactions = block.body.transactions as Record<string, unknown>[];
    const failed = {
      ...transactions[0],
      ...{ txid: chain.hash(), raw_tx: '0x00', tx_index: transactions.length, status: 'abort_by_response' },
      burnchain_op: { register_asset: { asset_type: 'ft' } },
    };
    await index.deliver(delivery('/new_block', { ...block.body, transactions: [...transactions, failed] }));
    for (const path of ['/extended/v2/blocks/1/transactions', '/extended/v1/tx']) {
      const { body } = await index.get(path);
      assert.deepEqual([body.total, body.results.length], [transactions.length, transactions.length], path);
    }
  });

  test(`a block without transactions has an empty page of them, and an empty page of blocks the true total (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({ fields: { transactions: [] } });
    await index.deliver(block.delivery);
    const { status, body } = await index.get('/extended/v2/blocks/1/transactions');
    assert.equal(status, 200);
    assert.deepEqual(body, { limit: 20, offset: 0, total: 0, results: [] });
    assert.equal((await index.get('/extended/v2/blocks/2/transactions')).status, 404);
    const past = (await index.get('/extended/v2/blocks?offset=5')).body;
    assert.deepEqual([past.total, past.results], [1, []]);
  });

  test(`bytes under an id that is not theirs do not replace those that are (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block({});
    const [genuine] = first.body.transactions as { txid: string; raw_tx: string }[];
    const next = chain.block({ parent: first });
    const transactions = next.body.transactions as Record<string, unknown>[];
    const false_ = { ...transactions[0], txid: genuine?.txid, raw_tx: transactions[0]?.raw_tx, tx_index: 9 };
    await index.deliver(
      first.delivery,
      delivery('/new_block', { ...next.body, transactions: [...transactions, false_] }),
    );
    assert.equal((await index.get('/extended/v2/blocks/latest')).body.height, 2);
    assert.equal((await index.get(`/extended/v1/tx/${genuine?.txid}/raw`)).body.raw_tx, genuine?.raw_tx);
  });

  test(`a block that does not count one up from its parent is set aside (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block({});
    const odd = chain.block({ parent: first, fields: { block_height: 7 } });
    await index.deliver(first.delivery, odd.delivery);
    const { body } = await index.get('/extended');
    assert.equal(body.chain_tip.block_height, 1);
    assert.deepEqual(body.gaps, []);
    assert.equal(body.set_aside.newest.reason, 'a block of height 7 cannot stand on one of height 1');
  });
});
