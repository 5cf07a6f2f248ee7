/** Beside these, test/later-releases has a row for each status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAUCET_ADDRESS, FAUCET_BITCOIN_ADDRESS, openFaucets } from '../../../../../test/support/faucet-server.ts';
import { startStubWallet } from '../../../../../test/support/stub-wallet.ts';

test('amounts are those of the settings, whatever else the body has', async t => {
  const wallet = await startStubWallet(t);
  const post = await openFaucets(t, { amount: 7, wallet });
  assert.deepEqual((await post('stx', JSON.stringify({ address: FAUCET_ADDRESS }))).body.amount, { stx: '7' });
  const { status } = await post('btc', JSON.stringify({ address: FAUCET_BITCOIN_ADDRESS, large: true }));
  assert.equal(status, 200);
  assert.deepEqual(
    wallet.calls.filter(([method]) => method === 'sendtoaddress'),
    [['sendtoaddress', FAUCET_BITCOIN_ADDRESS, '0.00012345']],
  );
});

test('more requests of an address than the limit are a 429', async t => {
  const post = await openFaucets(t, { wallet: await startStubWallet(t) });
  const body = JSON.stringify({ address: FAUCET_BITCOIN_ADDRESS });
  for (let i = 0; i < 5; i++) assert.equal((await post('btc', body)).status, 200);
  assert.deepEqual(await post('btc', body), { status: 429, body: { error: 'Too many requests' } });
});
