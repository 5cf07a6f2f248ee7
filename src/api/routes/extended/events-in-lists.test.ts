import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

const ALICE = accountAddress(9);
const BOB = accountAddress(7);

interface Shown {
  readonly tx_id: string;
  readonly events: readonly { readonly event_type: string }[];
}

onSqliteAtLeast((_engine, openFresh) => {
  async function open(t: NonNullable<Parameters<typeof openFresh>[0]>) {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [call, transfer] = [chain.call('vault', 'run'), chain.transfer()];
    const asset_identifier = `${ALICE}.apes::ape`;
    const parties = { sender: ALICE, recipient: BOB };
    const kinds: readonly (readonly [type: string, data: object])[] = [
      ['contract_event', { contract_identifier: `${ALICE}.vault`, topic: 'print', raw_value: '0x03' }],
      ['stx_transfer_event', { ...parties, amount: '5' }],
      ['ft_transfer_event', { ...parties, asset_identifier, amount: '5' }],
      ['nft_transfer_event', { ...parties, asset_identifier, raw_value: '0x0100000000000000000000000000000005' }],
      ['stx_lock_event', { locked_amount: '5', unlock_height: '200', locked_address: ALICE }],
    ];
    const events = kinds.map(([type, data], event_index) => {
      return { txid: call.txId, committed: true, type, event_index, [type]: data };
    });
    const block = chain.block({ txs: [chain.coinbase(), { ...call, events }, transfer] });
    await index.deliver(block.delivery);
    return { index, block, ids: [transfer.txId, call.txId] };
  }

  const listed = async (index: TestIndex, path: string): Promise<Shown[]> => {
    const { status, body } = await index.get(path);
    assert.equal(status, 200, path);
    return body.results.map((entry: { tx?: Shown } & Shown) => entry.tx ?? entry);
  };

  test('every list shows the events of its transactions when it is asked for them, as by their ids', async t => {
    const { index, block, ids } = await open(t);
    const lists = [
      '/extended/v1/tx',
      `/extended/v1/tx/block/${block.hash}`,
      '/extended/v1/tx/block_height/1',
      '/extended/v2/blocks/1/transactions',
      `/extended/v2/addresses/${ALICE}/transactions`,
      `/extended/v1/address/${ALICE}/transactions`,
    ];
    const single = await Promise.all(ids.map(async id => (await index.get(`/extended/v1/tx/${id}`)).body));
    assert.deepEqual(
      single[1].events.map((event: { event_type: string }) => event.event_type),
      ['smart_contract_log', 'stx_asset', 'fungible_token_asset', 'non_fungible_token_asset', 'stx_lock'],
    );
    for (const list of lists) {
      const shown = new Map((await listed(index, `${list}?include_events=true`)).map(tx => [tx.tx_id, tx]));
      for (const one of single) assert.deepEqual(shown.get(one.tx_id), one, list);
      for (const query of ['', '?include_events=false', '?event_limit=5']) {
        for (const { events } of await listed(index, list + query)) assert.deepEqual(events, [], list + query);
      }
      const two = await listed(index, `${list}?include_events=true&event_limit=2`);
      assert.deepEqual(two.find(({ tx_id }) => tx_id === ids[1])?.events, single[1].events.slice(0, 2), list);
      const bare = await listed(index, `${list}?include_events=true&exclude_function_args=true`);
      assert.deepEqual(bare.find(({ tx_id }) => tx_id === ids[1])?.events, single[1].events, list);
      for (const wrong of ['include_events=1', 'event_limit=101', 'event_limit=-1'])
        assert.equal((await index.get(`${list}?${wrong}`)).status, 400, list + wrong);
    }
  });
});
