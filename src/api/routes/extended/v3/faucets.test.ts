import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { respondJson, startStubNode } from '../../../../../test/support/stub-node.ts';
import { type StubWallet, startStubWallet, WALLET_TX_ID } from '../../../../../test/support/stub-wallet.ts';
import { transactionId } from '../../../../base/codec/index.ts';
import { accountOf } from '../../../faucet/transaction.ts';
import { createServer } from '../../../http/server.ts';
import { addFaucetRoutesV1 } from '../v1/faucets.ts';
import { addFaucetRoutesV3 } from './faucets.ts';

const ADDRESS = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
const MAINNET = 'SP2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1GVXGM16';
const SBTC = { token: 'ST000000000000000000002AMW42H.sbtc-token::sbtc', amount: 10_000 };

/** A server whose node refuses with this reason, or takes everything. */
async function open(
  t: TestContext,
  {
    reason,
    enabled = true,
    amount = 500_000_000,
    wallet,
  }: { reason?: string; enabled?: boolean; amount?: number; wallet?: StubWallet } = {},
) {
  const nonces: number[] = [];
  const node = await startStubNode(t, ({ url, body }, response) => {
    if (url.startsWith('/v2/accounts')) return respondJson(response, { nonce: 3 });
    if (url === '/v2/fees/transaction') return respondJson(response, {});
    if (reason !== undefined) return respondJson(response, { error: 'transaction rejected', reason }, 400);
    nonces.push(nonces.length);
    return respondJson(response, transactionId(body).slice(2));
  });
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  t.after(() => api.close());
  const stx = { node: node.url, accounts: [accountOf('01'.repeat(32))], chainId: 0x80000000, amount };
  const btc = wallet && {
    url: `${wallet.node.url}/wallet/faucet`,
    authorization: wallet.authorization,
    amount: 12_345,
  };
  const parts = {
    settings: { stx, sbtc: SBTC, btc },
    nextNonce: async () => 0,
    onTaken: async () => undefined,
  };
  addFaucetRoutesV1(api, enabled ? parts : undefined);
  addFaucetRoutesV3(api, { faucet: enabled ? parts : undefined });
  return async (coin: string, payload: string, type = 'application/json') => {
    const url = `/extended/v3/faucets/${coin}`;
    const { statusCode, body } = await api.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
    return { status: statusCode, body: JSON.parse(body) };
  };
}

const to = (address: string, more = {}): string => JSON.stringify({ address, ...more });

test('a faucet pays the address of a JSON body, and names the transaction and the amount', async t => {
  const post = await open(t);
  const stx = await post('stx', to(ADDRESS, { stacking: true }));
  assert.match(stx.body.transaction.tx_id, /^0x[0-9a-f]{64}$/);
  const { tx_id } = stx.body.transaction;
  assert.deepEqual(stx, {
    status: 200,
    body: { transaction: { tx_id, chain: 'stacks' }, amount: { stx: '500000000' } },
  });
  assert.deepEqual((await post('sbtc', to(`${ADDRESS}.pool`))).body.amount, { sbtc: '10000' });
});

test('amounts are those of the settings', async t => {
  const wallet = await startStubWallet(t);
  const post = await open(t, { amount: 7, wallet });
  assert.deepEqual((await post('stx', to(ADDRESS))).body.amount, { stx: '7' });
  const bitcoin = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  assert.deepEqual(await post('btc', to(bitcoin, { large: true })), {
    status: 200,
    body: { transaction: { tx_id: `0x${WALLET_TX_ID}`, chain: 'bitcoin' }, amount: { btc: '12345' } },
  });
  assert.deepEqual(
    wallet.calls.filter(([method]) => method === 'sendtoaddress'),
    [['sendtoaddress', bitcoin, '0.00012345']],
  );
  const invalid = { status: 400, body: { error: 'Invalid BTC regtest or signet address' } };
  assert.deepEqual(await post('btc', to(`${bitcoin}x`)), invalid);
  wallet.state.refuses = method =>
    method === 'sendtoaddress' ? { code: -6, message: 'Insufficient funds' } : undefined;
  const empty = 'The faucet is temporarily out of funds, please try again later';
  assert.deepEqual(await post('btc', to(bitcoin)), { status: 503, body: { error: empty } });
});

test('a wallet that is away is a 503, and more requests of an address than the limit are a 429', async t => {
  const wallet = await startStubWallet(t);
  const away = await open(t, { wallet: { ...wallet, node: { ...wallet.node, url: 'http://127.0.0.1:9' } } });
  const bitcoin = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const unavailable = 'Faucet is temporarily unavailable, please try again later';
  assert.deepEqual(await away('btc', to(bitcoin)), { status: 503, body: { error: unavailable } });
  const post = await open(t, { wallet });
  for (let i = 0; i < 5; i++) assert.equal((await post('btc', to(bitcoin))).status, 200);
  assert.deepEqual(await post('btc', to(bitcoin)), { status: 429, body: { error: 'Too many requests' } });
});

test('an error is its text alone', async t => {
  const post = await open(t);
  const invalid = { status: 400, body: { error: 'Invalid testnet Stacks address' } };
  for (const address of [MAINNET, 'ST1', `${ADDRESS.slice(0, -1)}D`])
    assert.deepEqual(await post('stx', to(address)), invalid);
  for (const body of ['{', '[]', '{}', to('')]) {
    const { status, body: answer } = await post('stx', body);
    assert.deepEqual([status, Object.keys(answer)], [400, ['error']], body);
  }
  const form = await post('stx', `address=${ADDRESS}`, 'application/x-www-form-urlencoded');
  assert.deepEqual([form.status, Object.keys(form.body)], [415, ['error']]);
  assert.deepEqual(await post('btc', to(ADDRESS)), { status: 403, body: { error: 'BTC faucet is not available' } });
});

test('a server without faucets has none of them available', async t => {
  const post = await open(t, { enabled: false });
  for (const coin of ['btc', 'stx', 'sbtc'])
    assert.deepEqual(await post(coin, to(ADDRESS)), { status: 403, body: { error: 'Faucet is not available' } });
});

test('without funds it is a 503, and any other refusal of the node a 500', async t => {
  const poor = await open(t, { reason: 'NotEnoughFunds' });
  const empty = 'The faucet is temporarily out of funds, please try again later';
  assert.deepEqual(await poor('stx', to(ADDRESS)), { status: 503, body: { error: empty } });
  const broken = await open(t, { reason: 'Deserialization' });
  const failed = 'Faucet request failed, please try again later';
  assert.deepEqual(await broken('stx', to(ADDRESS)), { status: 500, body: { error: failed } });
});
