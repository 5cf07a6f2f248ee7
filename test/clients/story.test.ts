/** What a newcomer to a test network does, by published clients alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broadcastTransaction, makeSTXTokenTransfer } from '@stacks/transactions';
import { generateSecretKey, generateWallet, getStxAddress } from '@stacks/wallet-sdk';
import { createClient } from 'client-8';
import { accountOf } from '../../src/api/faucet/transaction.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import type { BuiltTx } from '../support/transaction-builder.ts';
import { until } from '../support/until.ts';
import type { ClarityNode } from './clarity-node.ts';
import { networkAt } from './stacks-js.ts';
import { FAUCET_KEY, openWorld } from './world.ts';

const FAUCET = accountOf(FAUCET_KEY).address;
const AMOUNT = 1_000_000n;

test('two wallets: one is funded by the faucet and sends; the transfer is pending, then mined, and both see their balance', async t => {
  const chain = new ChainBuilder();
  const boot = chain.bootBlock([minted(chain, FAUCET)]);
  const first = chain.block();
  const world = await openWorld(t, [boot.delivery, first.delivery], 'when a request needs it');
  const network = networkAt(world.url);
  const client = createClient({ baseUrl: world.url });
  const mine = miner(chain, first, world.node, world.events);
  const [alice, bob] = [await newAccount(), await newAccount()];

  const balanceOf = async (principal: string): Promise<bigint> => {
    const { data } = await client.GET('/extended/v1/address/{principal}/stx', { params: { path: { principal } } });
    return BigInt(data?.balance ?? 0);
  };
  const statusOf = async (txId: string): Promise<string | undefined> => {
    const { data } = await client.GET('/extended/v1/tx/{tx_id}', { params: { path: { tx_id: `0x${txId}` } } });
    return data?.tx_status;
  };

  assert.equal(await balanceOf(alice.address), 0n);
  const { data: gift } = await client.POST('/extended/v1/faucets/stx', {
    params: { query: { address: alice.address } },
    body: {},
  });
  assert.equal(gift?.success, true);
  await mine();
  await until(async () => (await balanceOf(alice.address)) > 0n, 'the gift does not arrive');
  const given = await balanceOf(alice.address);

  const transaction = await makeSTXTokenTransfer({
    recipient: bob.address,
    amount: AMOUNT,
    senderKey: alice.key,
    network,
  });
  const sent = await broadcastTransaction({ transaction, network });
  assert.ok(!('error' in sent), JSON.stringify(sent));
  assert.equal(await statusOf(sent.txid), 'pending');
  assert.equal(await balanceOf(bob.address), 0n);
  await mine();
  await until(async () => (await statusOf(sent.txid)) === 'success', 'the transfer is not mined');
  assert.equal(await balanceOf(bob.address), AMOUNT);
  assert.equal(await balanceOf(alice.address), given - AMOUNT - transaction.auth.spendingCondition.fee);
});

async function newAccount(): Promise<{ readonly key: string; readonly address: string }> {
  const { accounts } = await generateWallet({ secretKey: generateSecretKey(), password: 'password' });
  const [account] = accounts;
  assert.ok(account);
  return { key: account.stxPrivateKey, address: getStxAddress({ account, network: 'testnet' }) };
}

/** A transaction that makes STX out of nothing, as the boot block does. */
function minted(chain: ChainBuilder, recipient: string): BuiltTx {
  const tx = chain.transfer({ from: 0 });
  const event = {
    txid: tx.txId,
    committed: true,
    type: 'stx_mint_event',
    stx_mint_event: { recipient, amount: '1000000000000000' },
  };
  return { ...tx, events: [event] };
}

/** Puts into a block what the node was sent since the last one, and posts it as the node does. */
function miner(chain: ChainBuilder, first: BuiltBlock, node: ClarityNode, events: string): () => Promise<void> {
  let top = first;
  let mined = 0;
  return async () => {
    const txs = node.taken.slice(mined).map(transferred(chain));
    mined = node.taken.length;
    top = chain.block({ parent: top, txs: [chain.coinbase(), ...txs] });
    const { path, body } = top.delivery;
    const response = await fetch(events + path, { method: 'POST', body: Buffer.from(body) });
    assert.equal(response.status, 200);
  };
}

/** A transfer that was broadcast, with what it did. */
const transferred =
  (chain: ChainBuilder) =>
  ({ txId, raw, transaction: { origin, payload } }: ClarityNode['taken'][number]): BuiltTx => {
    assert.ok(payload.kind === 'token_transfer');
    const moved = { sender: origin.address, recipient: payload.recipient, amount: String(payload.amount), memo: '' };
    return {
      txId,
      body: { ...chain.transfer().body, txid: txId, raw_tx: toHex(raw) },
      events: [{ txid: txId, committed: true, type: 'stx_transfer_event', stx_transfer_event: moved }],
    };
  };
