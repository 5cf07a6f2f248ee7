import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stxTransfer } from '../../../../../../../test/chains/transactions.ts';
import { ChainBuilder } from '../../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../../test/support/reused-database.ts';
import { samplePrint } from '../../../../../../../test/support/sample-contracts.ts';
import { lockEvent } from '../../../../../../../test/support/staking-prints.ts';
import { openTestIndex, type TestIndex } from '../../../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../../../../test/support/transaction-builder.ts';
import { encodeClarityBuffer } from '../../../../../../base/codec/index.ts';
import { toHex } from '../../../../../../base/lib/hex.ts';

const STAKER = accountAddress(50);
const PAYER = accountAddress(51);
const SEND_MANY = 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo';

const bothWays = async (index: TestIndex, path: string, limit: number): Promise<unknown[]> => {
  const pages: unknown[][] = [];
  let { body } = await index.get(`${path}?limit=${limit}`);
  for (;;) {
    pages.push(body.results);
    if (body.cursor.next === null) break;
    ({ body } = await index.get(`${path}?limit=${limit}&cursor=${body.cursor.next}`));
  }
  for (const results of pages.toReversed()) {
    assert.deepEqual(body.results, results);
    if (body.cursor.previous !== null)
      ({ body } = await index.get(`${path}?limit=${limit}&cursor=${body.cursor.previous}`));
  }
  assert.equal(body.cursor.previous, null);
  assert.equal(body.total, pages.flat().length);
  return pages.flat();
};

onSqliteAtLeast((_engine, openFresh) => {
  test('a transaction that locks the STX of somebody who takes no part in it is one of his in version 3, and not before', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const withEvents = (...events: BuiltTx['events'][number][]) => {
      const tx = chain.call('pool', 'go');
      return { ...tx, events: events.map(event => ({ ...event, txid: tx.txId, committed: true })) };
    };
    const locks = () => withEvents(lockEvent(STAKER, 70, 900));
    const pays = () => withEvents(stxTransfer(PAYER, STAKER, 3), lockEvent(STAKER, 71, 900));
    const first = chain.block({ txs: [locks(), pays(), locks()] });
    const second = chain.block({ parent: first, txs: [pays(), locks(), chain.call('pool', 'go')] });
    await index.deliver(first.delivery, second.delivery);

    const path = `/extended/v3/principals/${STAKER}/transactions`;
    const wanted = [...first.txs, ...second.txs].slice(0, 5).reverse();
    for (const limit of [1, 5]) {
      const listed = (await bothWays(index, path, limit)) as { transaction: { tx_id: string }; involvement: string }[];
      assert.deepEqual(
        listed.map(({ transaction, involvement }) => [transaction.tx_id, involvement]),
        wanted.map(({ txId }) => [txId, 'affected']),
      );
    }
    const { body } = await index.get(`${path}?limit=1`);
    assert.deepEqual(body.results[0].balance_changes, { stx: { sent: '0', received: '0', net: '0' } });
    assert.equal((await index.get(`/extended/v2/addresses/${STAKER}/transactions`)).body.total, 2);

    const fork = chain.block({ parent: first, txs: [chain.transfer()] });
    await index.deliver(fork.delivery, chain.block({ parent: fork }).delivery);
    assert.equal((await index.get(path)).body.total, 3);
  });

  test('a transfer has the memo of its event, or the buffer that the contract of wallets prints next', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const tx = chain.call('wallet', 'send');
    const print = (bytes: Uint8Array, contract = SEND_MANY) => samplePrint(contract, toHex(bytes));
    const moves = [
      [stxTransfer(PAYER, STAKER, 1, '6869')],
      [stxTransfer(PAYER, STAKER, 2, ''), print(encodeClarityBuffer(Buffer.from('thanks')))],
      [stxTransfer(PAYER, STAKER, 3, '6869'), print(encodeClarityBuffer(new Uint8Array()))],
      [stxTransfer(PAYER, STAKER, 4, ''), print(encodeClarityBuffer(Buffer.from('no')), `${PAYER}.send-many-memo`)],
      [{ type: 'stx_mint_event', stx_mint_event: { recipient: STAKER, amount: '5' } }],
      [{ type: 'stx_burn_event', stx_burn_event: { sender: STAKER, amount: '6' } }],
      [stxTransfer(STAKER, STAKER, 7, '')],
    ];
    const events = moves.flat().map(event => ({ ...event, txid: tx.txId, committed: true }));
    await index.deliver(chain.block({ txs: [{ ...tx, events }] }).delivery);

    const told = async (direction: string) =>
      (await bothWays(index, `/extended/v3/principals/${STAKER}/transfers/stx/${direction}`, 2)).map(record => {
        const { sender, recipient, amount, memo } = record as Record<string, { repr: string } | null>;
        return [sender, recipient, amount, memo?.repr ?? null];
      });
    assert.deepEqual(await told('inbound'), [
      [STAKER, STAKER, '7', null],
      [null, STAKER, '5', null],
      [PAYER, STAKER, '4', null],
      [PAYER, STAKER, '3', null],
      [PAYER, STAKER, '2', 'thanks'],
      [PAYER, STAKER, '1', 'hi'],
    ]);
    assert.deepEqual(await told('outbound'), [
      [STAKER, STAKER, '7', null],
      [STAKER, null, '6', null],
    ]);
  });
});
