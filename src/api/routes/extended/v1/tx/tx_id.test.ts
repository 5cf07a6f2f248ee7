import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { samplePrint } from '../../../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../test/support/transaction-builder.ts';

const VAULT = `${accountAddress(9)}.vault`;
const UNKNOWN = `0x${'ab'.repeat(32)}`;

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => openTestIndex(await databaseWithTables(openFresh, t));

  test(`a confirmed transaction has the events asked for, by their index (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const prints = Array.from({ length: 25 }, (_, i) => samplePrint(VAULT, '0x0703', `"events":[] ${i}`));
    const call = chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), { events: prints });
    await index.deliver(chain.block({ txs: [call] }).delivery);
    const eventsOf = async (query: string): Promise<number[]> => {
      const { body } = await index.get(`/extended/v1/tx/${call.txId}${query}`);
      assert.equal(body.event_count, 25);
      return body.events.map((event: { event_index: number }) => event.event_index);
    };
    const from = (start: number, end: number) => prints.map((_, i) => i).slice(start, end);
    assert.deepEqual(await eventsOf(''), from(0, 20));
    assert.deepEqual(await eventsOf('?event_limit=0'), from(0, 20));
    assert.deepEqual(await eventsOf('?event_limit=100'), from(0, 25));
    assert.deepEqual(await eventsOf('?event_limit=3&event_offset=23'), from(23, 25));
    assert.deepEqual(await eventsOf('?event_offset=9007199254740991'), []);
    const { body } = await index.get(`/extended/v1/tx/${call.txId}?event_limit=1&event_offset=7`);
    assert.deepEqual(body.events[0], {
      event_index: 7,
      event_type: 'smart_contract_log',
      tx_id: call.txId,
      contract_log: { contract_id: VAULT, topic: '"events":[] 7', value: { hex: '0x0703', repr: '(ok true)' } },
    });
  });

  test(`a transaction is pending, confirmed, and pending again when its block is lost (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const transfer = transferOf();
    const path = `/extended/v1/tx/${transfer.txId}`;
    assert.equal((await index.get(path)).status, 404);
    const root = chain.block();
    const [left, right] = [chain.block({ parent: root, txs: [transfer] }), chain.block({ parent: root })];
    await index.deliver(root.delivery, announced(transfer));
    const waiting = await index.get(path);
    assert.equal(waiting.body.tx_status, 'pending');
    assert.equal('events' in waiting.body, false);
    await index.deliver(left.delivery);
    const confirmed = await index.get(path, { 'if-none-match': String(waiting.headers.etag) });
    assert.equal(confirmed.body.tx_status, 'success');
    assert.equal(confirmed.body.block_hash, left.hash);
    assert.equal((await index.get(path, { 'if-none-match': String(confirmed.headers.etag) })).status, 304);
    await index.deliver(right.delivery, chain.block({ parent: right }).delivery);
    assert.equal((await index.get(path)).body.tx_status, 'pending');
  });

  test(`what only a microblock has is pending where it was announced, confirmed with unanchored=true (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const root = chain.block();
    const [known, unknown] = [transferOf({ nonce: 0 }), transferOf({ nonce: 1 })];
    const stream = chain.microblocks(root, [[known, unknown]]);
    await index.deliver(root.delivery, announced(known), chain.stream(root, stream));
    assert.equal((await index.get(`/extended/v1/tx/${known.txId}`)).body.tx_status, 'pending');
    assert.equal((await index.get(`/extended/v1/tx/${unknown.txId}`)).status, 404);
    for (const { txId } of [known, unknown]) {
      const { body } = await index.get(`/extended/v1/tx/${txId}?unanchored=true`);
      assert.deepEqual([body.tx_status, body.is_unanchored, body.block_hash], ['success', true, '0x']);
    }
  });

  test(`several transactions are answered as each alone, under their ids (${engine})`, async t => {
    const index = await open(t);
    const chain = new ChainBuilder();
    const block = chain.block();
    const waiting = transferOf();
    await index.deliver(block.delivery, announced(waiting));
    const [first, second] = block.txs.map(({ txId }) => txId);
    const { body } = await index.get(
      `/extended/v1/tx/multiple?tx_id=${second},${UNKNOWN},${waiting.txId},${first?.slice(2)},${second}`,
    );
    const alone = async (txId = '') => [
      txId,
      { found: true, result: (await index.get(`/extended/v1/tx/${txId}`)).body },
    ];
    const missing = [UNKNOWN, { found: false, result: { tx_id: UNKNOWN } }];
    const expected = [await alone(second), missing, await alone(waiting.txId), await alone(first)];
    assert.deepEqual(body, Object.fromEntries(expected));
    const repeated = await index.get(`/extended/v1/tx/multiple?tx_id=${first}&tx_id=${UNKNOWN}`);
    assert.deepEqual(Object.keys(repeated.body), [first, UNKNOWN]);
  });

  test(`ids that are none are refused by their place, and a list must be there (${engine})`, async t => {
    const index = await open(t);
    const refused: Record<string, RegExp> = {
      '/extended/v1/tx/abc': /^params\/tx_id must be a hash \(64 hex digits, with or without 0x\), not "/,
      [`/extended/v1/tx/0X${'ab'.repeat(32)}`]:
        /^params\/tx_id must be a hash \(64 hex digits, with or without 0x\), not "/,
      [`/extended/v1/tx/${UNKNOWN}?event_limit=101`]: /^querystring\/event_limit must be at most 100, not 101$/,
      '/extended/v1/tx/multiple': /^querystring\/tx_id is required$/,
      '/extended/v1/tx/multiple?tx_id=': /^querystring\/tx_id\/0 must be a hash .*, not ""$/,
      [`/extended/v1/tx/multiple?tx_id=${UNKNOWN},x`]: /^querystring\/tx_id\/1 must be a hash .*, not "x"$/,
      [`/extended/v1/tx/multiple?tx_id[]=${UNKNOWN}`]: /^querystring\/tx_id must be given as tx_id=a,b/,
    };
    for (const [path, message] of Object.entries(refused)) {
      const { status, body } = await index.get(path);
      assert.equal(status, 400, path);
      assert.match(body.message, message, path);
    }
  });
});
