/** Worked examples of the rules of version 3; each again after a fork has taken its blocks back, and after they have returned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../test/support/engines.ts';
import { signedTx } from '../../../../../test/support/pending-transactions.ts';
import { keyText } from '../../../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../../../test/support/reused-database.ts';
import {
  BOND_SET_UP,
  clarityUints,
  registeredStaker,
  signerKey,
  stakingPrint,
} from '../../../../../test/support/staking-prints.ts';
import { openTestIndex, type TestIndex } from '../../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../../test/support/transaction-builder.ts';
import { bytes, filled, name, u32 } from '../../../../../test/support/wire-transaction.ts';
import {
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityUint,
} from '../../../../base/codec/index.ts';

/**
 * The result of `ask` while another branch, with other blocks on `below`, is the chain. Afterwards the branch of `top`
 * is the chain again, and gives its former result.
 */
async function meanwhile<T>(
  { index, chain }: { readonly index: TestIndex; readonly chain: ChainBuilder },
  { below, top }: { readonly below: BuiltBlock; readonly top: BuiltBlock },
  ask: () => Promise<T>,
): Promise<T> {
  const before = await ask();
  const length = top.height - below.height + 1;
  for (const { delivery } of chain.chain(length, below)) await index.deliver(delivery);
  const away = await ask();
  for (const { delivery } of chain.chain(2, top)) await index.deliver(delivery);
  assert.deepEqual(await ask(), before, 'after the return');
  return away;
}

const printing = (chain: ChainBuilder, events: BuiltTx['events']) => chain.tx(bytes(0x04, filled(32, 1)), { events });

onSqliteAtLeast((engine, openFresh) => {
  const open = async (t: Parameters<typeof databaseWithTables>[1]) => ({
    index: await openTestIndex(await databaseWithTables(openFresh, t)),
    chain: new ChainBuilder('example'),
  });

  test(`a sponsored call: who takes part, how, and what it moved for each (${engine})`, async t => {
    const place = await open(t);
    const [a, b, c, k] = [accountAddress(8), accountAddress(40), accountAddress(7), `${accountAddress(9)}.k`];
    const [coin, card] = [`${k}::tok`, `${accountAddress(9)}.n::card`];
    const payload = bytes(0x02, 26, filled(20, 9), name('k'), name('go'), u32(0));
    const tx = signedTx(payload, { from: 8, fee: 300, sponsor: { from: 40, nonce: 0 } });
    const event = (type: string, data: object) => ({ txid: tx.txId, committed: true, type, [type]: data });
    const events = [
      event('stx_transfer_event', { sender: a, recipient: c, amount: '1000' }),
      event('ft_transfer_event', { asset_identifier: coin, sender: a, recipient: c, amount: '50' }),
      event('nft_mint_event', { asset_identifier: card, recipient: a, raw_value: '0x03' }),
      event('ft_burn_event', { asset_identifier: coin, sender: a, amount: '5' }),
    ];
    const below = place.chain.block();
    const top = place.chain.block({ parent: below, txs: [place.chain.coinbase(), { ...tx, events }] });
    await place.index.deliver(below.delivery, top.delivery);
    const of = async (principal: string) => {
      const path = `/extended/v3/principals/${principal}`;
      const { results } = (await place.index.get(`${path}/transactions?limit=50`)).body;
      const own = results.find(({ transaction }: { transaction: { tx_id: string } }) => transaction.tx_id === tx.txId);
      const { body } = await place.index.get(`${path}/transactions/${tx.txId}/balance-changes`);
      const { sent, received, net } = own?.balance_changes.stx ?? {};
      return [
        own && `${own.involvement} ${sent}/${received}/${net}`,
        own && Object.keys(own.affected_balances).filter(asset => own.affected_balances[asset]),
        body.results.map((row: Record<'asset' | 'balance_change', Record<string, string>>) =>
          [row.asset.type, ...Object.values(row.balance_change)].join(' '),
        ),
        body.total,
      ];
    };
    const all = async () => [await of(a), await of(b), await of(c), await of(k)];
    assert.deepEqual(await all(), [
      ['sender 1000/0/-1000', ['stx', 'ft', 'nft'], ['stx 1000 0 -1000', 'ft 55 0 -55', 'nft 0 1 1'], 3],
      ['sponsor 300/0/-300', ['stx'], ['stx 300 0 -300'], 1],
      ['affected 0/1000/1000', ['stx', 'ft'], ['stx 0 1000 1000', 'ft 0 50 50'], 2],
      ['affected 0/0/0', [], [], 0],
    ]);
    const nothing = [undefined, undefined, [], 0];
    assert.deepEqual(await meanwhile(place, { below, top }, all), [nothing, nothing, nothing, nothing]);
  });

  test(`two stakers of a bond: what they have earned, and what one has claimed (${engine})`, async t => {
    const place = await open(t);
    const [alice, bob, manager] = [accountAddress(20), accountAddress(21), `${accountAddress(30)}.manager`];
    const distributed = stakingPrint(
      'bond-distribution',
      clarityUints({ 'bond-index': 1, 'cumulative-rewards-per-sat': 2n * 10n ** 18n }),
    );
    const claimed = stakingPrint('claim-staker-rewards-for-signer', {
      staker: encodeClarityPrincipal(alice),
      'bond-index': encodeClaritySome(encodeClarityUint(1)),
      ...clarityUints({ 'rewards-claimed': 1500 }),
    });
    const registered = [BOND_SET_UP, registeredStaker(alice, manager, 1000), registeredStaker(bob, manager, 4000)];
    const below = place.chain.block({ txs: [printing(place.chain, registered)] });
    const top = place.chain.block({ parent: below, txs: [printing(place.chain, [distributed, claimed])] });
    await place.index.deliver(below.delivery, top.delivery);
    const rewards = async (staker: string) =>
      (await place.index.get(`/extended/v3/principals/${staker}/staking/bonds`)).body.results[0].rewards.btc;
    const both = async () => [await rewards(alice), await rewards(bob)];
    assert.deepEqual(await both(), [
      { accrued: '2000', claimed: '1500', claimable: '500' },
      { accrued: '8000', claimed: '0', claimable: '8000' },
    ]);
    const none = { accrued: '0', claimed: '0', claimable: '0' };
    assert.deepEqual(await meanwhile(place, { below, top }, both), [none, none]);
  });

  test(`a manager whose key is in the reward set: the next key, and its grants (${engine})`, async t => {
    const place = await open(t);
    const { index, chain } = place;
    const manager = `${accountAddress(30)}.manager`;
    const granted = {
      'signer-key': encodeClarityBuffer(filled(33, 3)),
      'signer-manager': encodeClarityPrincipal(manager),
    };
    const at: Readonly<Record<number, BuiltTx['events']>> = {
      5: [signerKey(manager, 2)],
      8: [stakingPrint('grant-signer-key', { ...granted, ...clarityUints({ 'auth-id': 1 }) })],
      10: [signerKey(manager, 3)],
      11: [signerKey(manager, 2)],
      12: [stakingPrint('revoke-signer-grant', granted)],
    };
    const set = {
      cycle_number: 7,
      reward_set: {
        signers: [{ signing_key: keyText(2).slice(2), weight: 3, stacked_amt: '100' }],
        pox_ustx_threshold: null,
      },
    };
    const state = async () => {
      const { results } = (await index.get('/extended/v3/staking/cycles/7/signers')).body;
      const { granted_keys, grant_active, pending_key_update } = results[0].signer_managers[0];
      const keys = granted_keys.map(({ signer_key }: { signer_key: string }) => signer_key);
      return [pending_key_update?.signer_key, pending_key_update?.effective_cycle, keys, grant_active];
    };
    const blocks: BuiltBlock[] = [];
    const states: Record<number, unknown> = {};
    for (let height = 1; height <= 12; height++) {
      const parent = blocks.at(-1);
      const fields = height === 10 ? set : {};
      const block = chain.block({ ...(parent && { parent }), fields, txs: [printing(chain, at[height] ?? [])] });
      blocks.push(block);
      await index.deliver(block.delivery);
      if (height >= 10) states[height] = await state();
    }
    const [, , , , , , , , , below, , top] = blocks;
    assert.ok(below && top);
    const pending = [keyText(3), 8, [keyText(3)], false];
    const kept = [undefined, undefined];
    assert.deepEqual(states, { 10: pending, 11: [...kept, [keyText(3)], false], 12: [...kept, [], false] });
    assert.deepEqual(await meanwhile(place, { below, top }, state), pending);
  });
});
