import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../../test/support/transaction-builder.ts';

const [CALLER, OTHER, NOBODY] = [8, 7, 41].map(accountAddress);
const TOKEN = `${accountAddress(9)}.k::tok`;
const CARDS = `${accountAddress(9)}.n::card`;

onSqliteAtLeast((_engine, openFresh) => {
  test('a transaction changes each asset once, and cursors name transaction and asset', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const call = chain.call('k', 'go');
    const event = (type: string, data: object) => ({ txid: call.txId, committed: true, type, [type]: data });
    const events = [
      event('stx_transfer_event', { sender: CALLER, recipient: OTHER, amount: '1000' }),
      event('ft_transfer_event', { asset_identifier: TOKEN, sender: CALLER, recipient: OTHER, amount: '50' }),
      event('nft_mint_event', { asset_identifier: CARDS, recipient: CALLER, raw_value: '0x03' }),
      event('ft_burn_event', { asset_identifier: TOKEN, sender: CALLER, amount: '5' }),
    ];
    await index.deliver(chain.block({ txs: [chain.coinbase(), { ...call, events }] }).delivery);
    const ofOne = (principal = '') => `/extended/v3/principals/${principal}/transactions/${call.txId}/balance-changes`;
    const rows = async (path: string) => {
      const { body } = await index.get(path);
      return body.results.map(({ asset, balance_change }: Record<string, Record<string, string>>) =>
        [asset?.type, balance_change?.sent, balance_change?.received, balance_change?.net].join(' '),
      );
    };
    const fee = BigInt((await index.get(`/extended/v3/transactions/${call.txId}`)).body.fee_rate);
    const spent = 1000n + fee;
    assert.deepEqual(await rows(ofOne(CALLER)), [`stx ${spent} 0 -${spent}`, 'ft 55 0 -55', 'nft 0 1 1']);
    assert.deepEqual(await rows(ofOne(OTHER)), ['stx 0 1000 1000', 'ft 0 50 50']);
    assert.deepEqual(await rows(ofOne(NOBODY)), []);

    const several = `/extended/v3/principals/${CALLER}/balance-changes?tx_id=${call.txId}&limit=2`;
    const place = '1:2147483647:1';
    const cursors = async (query = '') => (await index.get(several + query)).body.cursor;
    assert.deepEqual(await cursors(), { next: `${place}:3:${CARDS}`, previous: null, current: `${place}:1:stx` });
    const last = { next: null, previous: `${place}:1:stx`, current: `${place}:3:${CARDS}` };
    assert.deepEqual(await cursors(`&cursor=${place}:3:${CARDS}`), last);
    assert.equal((await cursors(`&cursor=${place}:2:${TOKEN}`)).previous, `${place}:1:stx`);
    for (const query of ['', `tx_id=${Array(21).fill(call.txId).join(',')}`, `tx_id=${call.txId}&cursor=1:stx`])
      assert.equal((await index.get(`/extended/v3/principals/${CALLER}/balance-changes?${query}`)).status, 400);
  });
});
