import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../../test/support/transaction-builder.ts';

const [CALLER = '', OTHER = ''] = [8, 7].map(accountAddress);
const TOKEN = `${accountAddress(9)}.k::tok`;
const CARDS = `${accountAddress(9)}.n::card`;

onSqliteAtLeast((_engine, openFresh) => {
  test('movements of a transaction are its fee and each event, with the balance after all of them', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const call = chain.call('k', 'go');
    const event = (type: string, data: object) => ({ txid: call.txId, committed: true, type, [type]: data });
    const events = [
      event('stx_mint_event', { recipient: CALLER, amount: '5000' }),
      event('stx_transfer_event', { sender: CALLER, recipient: OTHER, amount: '1500000' }),
      event('ft_transfer_event', { asset_identifier: TOKEN, sender: OTHER, recipient: CALLER, amount: '50' }),
      event('nft_mint_event', { asset_identifier: CARDS, recipient: CALLER, raw_value: '0x03' }),
      event('stx_transfer_event', { sender: CALLER, recipient: CALLER, amount: '7' }),
    ];
    await index.deliver(chain.block({ txs: [chain.coinbase(), { ...call, events }] }).delivery);
    const path = `/extended/v3/principals/${CALLER}/movements`;
    const { body } = await index.get(path);
    const fee = BigInt((await index.get(`/extended/v3/transactions/${call.txId}`)).body.fee_rate);
    const left = String(5000n - 1_500_000n - fee);
    // biome-ignore lint/suspicious/noExplicitAny: records are looked into freely
    const shown = body.results.map(({ type, direction, counterparty, asset, amount, fee, balance }: any) =>
      [type, direction, counterparty ?? '-', asset.type, amount, fee, balance].join(' '),
    );
    assert.deepEqual(shown, [
      `transfer self ${CALLER} stx 7 0 ${left}`,
      'mint in - nft 1 0 1',
      `transfer in ${OTHER} ft 50 0 50`,
      `transfer out ${OTHER} stx 1500000 0 ${left}`,
      `mint in - stx 5000 0 ${left}`,
      `fee out - stx 0 ${fee} ${left}`,
    ]);
    const { body: two } = await index.get(`${path}?limit=2&cursor=1:2147483647:1:1`);
    assert.equal(two.cursor.current, '1:2147483647:1:1');
    assert.equal(two.cursor.next, '1:2147483647:1:fee');
    const { body: last } = await index.get(`${path}?cursor=${two.cursor.next}`);
    assert.deepEqual([last.results.length, last.cursor.next], [1, null]);
    // Of one direction, each page is full and the next one begins below its last row.
    const walk = async (direction: string, cursor?: string | null): Promise<string[]> => {
      if (cursor === null) return [];
      const from = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await index.get(`${path}?direction=${direction}&limit=1${from}`);
      const rows = body.results.map((row: { type: string; event_index: number }) => `${row.type} ${row.event_index}`);
      return [...rows, ...(await walk(direction, body.cursor.next))];
    };
    assert.deepEqual(await walk('in'), ['mint 3', 'transfer 2', 'mint 0']);
    assert.deepEqual(await walk('out'), ['transfer 1', 'fee null']);
    assert.equal((await index.get(`${path}?direction=up`)).status, 400);
  });

  test('days in UTC, or seconds, bound the list, and a day that no month has is refused', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const txs = () => [chain.coinbase(), chain.call('k', 'go')];
    const first = chain.block({ txs: txs() });
    const second = chain.block({ parent: first, txs: txs() });
    const third = chain.block({ parent: second, txs: txs() });
    await index.deliver(first.delivery, second.delivery, third.delivery);
    const path = `/extended/v3/principals/${CALLER}/movements`;
    const { body: all } = await index.get(path);
    assert.equal(all.results.length, 3);
    const [newest, middle] = all.results as { readonly time: number }[];
    const count = async (query: string) => (await index.get(`${path}?${query}`)).body.results.length;
    if ((newest?.time ?? 0) > (middle?.time ?? 0)) assert.equal(await count(`from=${newest?.time}`), 1);
    assert.equal(await count(`from=${(newest?.time ?? 0) + 1}`), 0);
    assert.equal(await count('to=0'), 0);
    const today = new Date((newest?.time ?? 0) * 1000).toISOString().slice(0, 10);
    assert.equal(await count(`from=1970-01-01&to=${today}`), 3);
    for (const day of ['2023-02-30', '2023-13-01', 'today'])
      assert.equal((await index.get(`${path}?from=${day}`)).status, 400, day);
  });

  test('a table for Koinly has its columns, amounts with their decimals, and fees in rows of their own', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const call = chain.call('k', 'go');
    const event = { txid: call.txId, committed: true, type: 'stx_transfer_event' };
    const events = [{ ...event, stx_transfer_event: { sender: CALLER, recipient: OTHER, amount: '1500000' } }];
    await index.deliver(chain.block({ txs: [chain.coinbase(), { ...call, events }] }).delivery);
    const { body, headers } = await index.page(`/extended/v3/principals/${CALLER}/movements?format=koinly`);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    const [head, sent, fee, end] = body.split('\r\n').map(line => line.replaceAll('"', '').split(','));
    assert.equal(head?.length, 12);
    assert.equal(head?.[0], 'Date');
    assert.match(sent?.[0] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    assert.deepEqual(sent?.slice(1), ['1.5', 'STX', '', '', '', '', '', '', '', `transfer ${OTHER}`, call.txId]);
    assert.equal(fee?.[9], 'cost');
    assert.deepEqual(end, ['']);
  });
});
