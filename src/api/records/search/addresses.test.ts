import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOOT_INDEX_HASH } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, transferOf } from '../../../../test/support/pending-transactions.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { addressFound, assertFound, assertMissed, metadata, openSearch } from '../../../../test/support/searches.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

const PAYER = accountAddress(9);
const PAYEE = accountAddress(7);
const STRANGER = accountAddress(42);

onSqliteAtLeast((_engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);
  const open = async () => openSearch(await emptied());

  test('an address is found as sender or recipient of a transaction or of an event, and as nothing else', async () => {
    const { index, chain } = await open();
    const [minted, sponsor, rewarded] = [accountAddress(50), accountAddress(51), accountAddress(52)];
    const transfer = chain.transfer();
    const mint = { recipient: minted, amount: '5' };
    const events = [{ txid: transfer.txId, committed: true, type: 'stx_mint_event', stx_mint_event: mint }];
    const sponsored = transferOf({ from: 53, sponsor: { from: 51, nonce: 0 } }, 54);
    const reward = {
      from_index_consensus_hash: BOOT_INDEX_HASH,
      from_stacks_block_hash: BOOT_INDEX_HASH,
      recipient: rewarded,
      coinbase_amount: '7',
      tx_fees_anchored: '0',
      tx_fees_streamed_confirmed: '0',
      tx_fees_streamed_produced: '0',
    };
    const fields = { matured_miner_rewards: [reward] };
    await index.deliver(
      chain.block({ txs: [{ ...transfer, events }, sponsored], fields }).delivery,
      announced(transferOf({ from: 55 }, 56)),
    );
    for (const address of [PAYER, PAYEE, minted, accountAddress(53), accountAddress(54)]) {
      for (const withMetadata of [false, true]) await assertFound(index, address, addressFound(address), withMetadata);
    }
    for (const address of [sponsor, rewarded, accountAddress(55), accountAddress(56), STRANGER]) {
      for (const withMetadata of [false, true]) await assertMissed(index, address, 'standard_address', withMetadata);
    }
  });

  test('the metadata of an address is its balance, then what pending transactions make of it', async () => {
    const { index, chain, mine } = await open();
    const first = chain.transfer({ amount: 10_000, fee: 100 });
    await mine(undefined, first);
    await index.deliver(
      announced(
        transferOf({ from: 7, nonce: 0, fee: 30 }, 9, 400),
        transferOf({ from: 9, nonce: 500, fee: 2n ** 60n }, 7, 25),
        transferOf({ from: 60, nonce: 3, fee: 11, sponsor: { from: 7, nonce: 9 } }, 7, 7),
      ),
    );
    const nothingLocked = {
      lock_tx_id: '',
      locked: '0',
      lock_height: 0,
      burnchain_lock_height: 0,
      burnchain_unlock_height: 0,
    };
    const payee = {
      balance: '10000',
      total_miner_rewards_received: '0',
      ...nothingLocked,
      total_sent: '0',
      total_received: '10000',
      total_fees_sent: '0',
      estimated_balance: String(10_000 + 25 + 7 - 400 - 30 - 11),
      pending_balance_inbound: '32',
      pending_balance_outbound: '441',
    };
    assert.equal(JSON.stringify(await metadata(index, PAYEE)), JSON.stringify(payee));
    const { balance, estimated_balance, pending_balance_outbound } = await metadata(index, PAYER);
    const outbound = 2n ** 60n + 25n;
    assert.deepEqual(
      { balance, estimated_balance, pending_balance_outbound },
      {
        balance: '-10100',
        estimated_balance: String(-10_100n + 400n - outbound),
        pending_balance_outbound: String(outbound),
      },
    );
  });

  test('an address that only an orphaned block names is found, with nothing on it', async () => {
    const { index, chain, mine } = await open();
    const first = await mine(undefined, chain.coinbase());
    await mine(first, chain.transfer({ from: 40, to: 41 }));
    await mine(await mine(first));
    await mine(first, chain.transfer({ from: 43, to: 44 }));
    for (const address of [40, 41, 43, 44].map(accountAddress)) {
      await assertFound(index, address, addressFound(address));
      const { balance, total_sent, total_received, total_fees_sent } = await metadata(index, address);
      assert.deepEqual([balance, total_sent, total_received, total_fees_sent], ['0', '0', '0', '0']);
    }
  });

  test('an address is found by each of its spellings', async () => {
    const { index, mine, chain } = await open();
    await mine(undefined, chain.transfer());
    const spellings = [PAYEE.toLowerCase(), PAYEE.replaceAll('0', 'O')].filter(spelling => spelling !== PAYEE);
    for (const spelling of spellings) await assertFound(index, spelling, addressFound(PAYEE));
    await assertFound(index, ` ${PAYEE} `, addressFound(PAYEE));
  });
});
