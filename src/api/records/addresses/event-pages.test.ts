import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';

const OWNER = accountAddress(21);
const OTHER = accountAddress(9);
const SEND_MANY = 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo';

type Events = readonly (readonly [type: string, fields: object])[];

const withEvents = (tx: BuiltTx, events: Events): BuiltTx => ({
  ...tx,
  events: events.map(([type, fields]) => ({ txid: tx.txId, committed: true, type, [type]: fields })),
});
const moved = (amount: string, recipient = OWNER, memo?: string) =>
  ['stx_transfer_event', { sender: OTHER, recipient, amount, ...(memo !== undefined && { memo }) }] as const;
const printed = (raw_value: string, contract_identifier = SEND_MANY) =>
  ['contract_event', { contract_identifier, topic: 'print', value: null, raw_value }] as const;

onSqliteAtLeast((engine, openFresh) => {
  const get = async (index: TestIndex, route: string) =>
    (await index.get(`/extended/v1/address/${OWNER}/${route}`)).body as {
      total: number;
      results: readonly Readonly<Record<string, unknown>>[];
    };

  test(`every event that moves an asset from or to a principal, or locks its STX, is listed, the last first (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('assets');
    const first = chain.block({
      txs: [
        withEvents(chain.call('pox', 'stack'), [
          moved('1'),
          printed('0x03'),
          ['stx_lock_event', { locked_amount: '50', unlock_height: '9', locked_address: OWNER }],
          moved('2', OTHER),
          ['nft_burn_event', { asset_identifier: `${OTHER}.a::b`, sender: OWNER, raw_value: '0x03', value: true }],
        ]),
      ],
    });
    const second = chain.block({ parent: first, txs: [withEvents(chain.call('pox', 'stack'), [moved('3')])] });
    await index.deliver(first.delivery, second.delivery);
    const shown = async (query = '') => {
      const { total, results } = await get(index, `assets${query}`);
      return [total, results.map(({ event_type, event_index }) => `${event_index} ${event_type}`)];
    };
    const all = ['0 stx_asset', '4 non_fungible_token_asset', '2 stx_lock', '0 stx_asset'];
    assert.deepEqual(await shown(), [4, all]);
    assert.deepEqual(await shown('?limit=2&offset=1'), [4, all.slice(1, 3)]);
    assert.deepEqual(await shown('?until_block=1'), [3, all.slice(1)]);
    assert.deepEqual(await shown('?offset=4'), [4, []]);
    const fork = chain.block({ parent: first });
    await index.deliver(fork.delivery, chain.block({ parent: fork }).delivery);
    assert.deepEqual(await shown(), [3, all.slice(1)]);
  });

  test(`what comes in is told by its transfer, by its memo, and by the memo that a bulk send prints (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder('inbound');
    const transfer = withEvents(chain.transfer({ to: 21, amount: 70 }), [moved('70', OWNER, '6869')]);
    const failed = chain.transfer({ to: 21, amount: 80, status: 'abort_by_response' });
    const many = withEvents(chain.call('many', 'send'), [
      moved('5'),
      printed('0x0200000002616b'),
      moved('6', accountAddress(8)),
      printed('0x02000000026262'),
      moved('7', OWNER, '01'),
      printed('0x03'),
      moved('8'),
      printed('0x03', `${OTHER}.other`),
      ['stx_mint_event', { recipient: OWNER, amount: '9' }],
    ]);
    const first = chain.block({ txs: [transfer, { ...failed, events: [] }] });
    await index.deliver(first.delivery, chain.block({ parent: first, txs: [many] }).delivery);
    const memo = `0x${'00'.repeat(34)}`;
    const shown = async (query = '') => {
      const { total, results } = await get(index, `stx_inbound${query}`);
      return [total, results.map(({ amount, memo, transfer_type }) => [amount, memo, transfer_type])];
    };
    const ofMany = [
      ['7', '0x03', 'bulk-send'],
      ['7', '0x01', 'stx-transfer-memo'],
      ['5', '0x0200000002616b', 'bulk-send'],
    ];
    const ofTransfers = [
      ['80', memo, 'stx-transfer'],
      ['70', '0x6869', 'stx-transfer-memo'],
      ['70', memo, 'stx-transfer'],
    ];
    assert.deepEqual(await shown(), [6, [...ofMany, ...ofTransfers]]);
    assert.deepEqual(await shown('?height=1'), [3, ofTransfers]);
    assert.deepEqual(await shown('?until_block=1&limit=1&offset=2'), [3, ofTransfers.slice(2)]);
    const [last] = (await get(index, 'stx_inbound')).results;
    assert.deepEqual([last?.sender, last?.tx_id, last?.block_height], [OTHER, many.txId, 2]);
  });
});
