import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { sampleMove, samplePrint } from '../../../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../test/support/transaction-builder.ts';

const ALICE = accountAddress(9);
const BOB = accountAddress(7);
const VAULT = `${ALICE}.vault`;
const EVENTS = '/extended/v1/tx/events';

const stx = (sender: string, recipient: string) => ({
  type: 'stx_transfer_event',
  stx_transfer_event: { sender, recipient, amount: '5', memo: '' },
});
const ft = (recipient: string) => ({
  type: 'ft_mint_event',
  ft_mint_event: { asset_identifier: `${VAULT}::gold`, recipient, amount: '7' },
});
const lock = (address: string) => ({
  type: 'stx_lock_event',
  stx_lock_event: {
    locked_address: address,
    locked_amount: '9',
    unlock_height: '500',
    contract_identifier: 'ST000000000000000000002AMW42H.pox-4',
  },
});

onSqliteAtLeast((engine, openFresh) => {
  /** Two transactions, of account 8, with events of every kind. */
  async function open(t: Parameters<typeof openFresh>[0]) {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const payload = Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]);
    const first = chain.tx(payload, {
      from: 8,
      events: [stx(ALICE, VAULT), samplePrint(VAULT, '0x0703'), lock(BOB), ft(BOB), samplePrint(VAULT, '0x0704')],
    });
    const second = chain.tx(payload, {
      from: 8,
      events: [stx(VAULT, BOB), sampleMove(`${VAULT}::cat`, '0x0703', BOB, ALICE), lock(BOB)],
    });
    await index.deliver(chain.block({ txs: [first, second] }).delivery);
    const names = new Map([
      [first.txId, 'first'],
      [second.txId, 'second'],
    ]);
    const list = async (query: string): Promise<string[]> => {
      const { body } = await index.get(`${EVENTS}?${query}`);
      return body.events.map((event: { tx_id: string; event_index: number; event_type: string }) =>
        [names.get(event.tx_id), event.event_index, event.event_type].join(' '),
      );
    };
    return { index, first, list };
  }

  test(`events of a transaction are listed from the last one, by kind (${engine})`, async t => {
    const { first, list } = await open(t);
    assert.deepEqual(await list(`tx_id=${first.txId.slice(2)}`), [
      'first 4 smart_contract_log',
      'first 3 fungible_token_asset',
      'first 2 stx_lock',
      'first 1 smart_contract_log',
      'first 0 stx_asset',
    ]);
    const logs = await list(`tx_id=${first.txId}&type=smart_contract_log&type=stx_asset&limit=2&offset=1`);
    assert.deepEqual(logs, ['first 1 smart_contract_log', 'first 0 stx_asset']);
    assert.deepEqual(await list(`tx_id=0x${'ab'.repeat(32)}`), []);
  });

  test(`events of a principal are what it moved, what locked its STX, and what it printed (${engine})`, async t => {
    const { list } = await open(t);
    const bob = [
      'second 2 stx_lock',
      'second 1 non_fungible_token_asset',
      'second 0 stx_asset',
      'first 3 fungible_token_asset',
      'first 2 stx_lock',
    ];
    assert.deepEqual(await list(`address=${BOB}`), bob);
    const vault = [
      'second 0 stx_asset',
      'first 4 smart_contract_log',
      'first 1 smart_contract_log',
      'first 0 stx_asset',
    ];
    assert.deepEqual(await list(`address=${VAULT.toLowerCase()}`), vault);
    for (let offset = 0; offset <= 5; offset++)
      assert.deepEqual(await list(`address=${BOB}&limit=2&offset=${offset}`), bob.slice(offset, offset + 2));
    assert.deepEqual(await list(`address=${BOB}&type=stx_lock,fungible_token_asset`), [bob[0], bob[3], bob[4]]);
    assert.deepEqual(await list(`address=${VAULT}&type=smart_contract_log&offset=1`), [vault[2]]);
    assert.deepEqual(await list(`address=${accountAddress(8)}`), []);
  });

  test(`either a transaction or a principal is asked for, and kinds by their names (${engine})`, async t => {
    const { index, first } = await open(t);
    const refused: Record<string, RegExp> = {
      '': /^querystring\/address or querystring\/tx_id is required$/,
      [`address=${BOB}&tx_id=${first.txId}`]: /^querystring\/address must not be given together with tx_id$/,
      [`address=${BOB}&type=gift`]:
        /^querystring\/type\/0 must be one of smart_contract_log, stx_lock, .*, not "gift"$/,
      [`address=${BOB}&type[]=stx_lock`]: /^querystring\/type must be given as type=a,b/,
      [`address=${BOB.slice(0, -1)}`]: /^querystring\/address must be an address/,
      'tx_id=abc': /^querystring\/tx_id must be a hash .*, not "abc"$/,
      [`address=${BOB}&limit=101`]: /^querystring\/limit must be at most 100, not 101$/,
    };
    for (const [query, message] of Object.entries(refused)) {
      const { status, body } = await index.get(`${EVENTS}?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.message, message, query);
    }
  });
});
