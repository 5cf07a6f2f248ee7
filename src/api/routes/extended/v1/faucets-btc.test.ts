import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startStubWallet, WALLET_TX_ID as TX_ID, type WalletRefusal } from '../../../../../test/support/stub-wallet.ts';
import { createServer } from '../../../http/server.ts';
import { addFaucetRoutesV1 } from './faucets.ts';

const ADDRESS = 'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc';

/** A wallet on a test chain, and the faucet before it. */
async function open(t: TestContext) {
  const { node: wallet, state, calls, authorization } = await startStubWallet(t);
  const clock = { now: 1_000_000_000_000 };
  const serve = (authorization: string) => {
    const api = createServer({ version: '0', tip: { current: () => undefined } });
    addFaucetRoutesV1(api, {
      settings: {
        stx: undefined,
        sbtc: undefined,
        btc: { url: `${wallet.url}/wallet/faucet`, authorization, amount: 10_000 },
      },
      nextNonce: async () => 0,
      onTaken: async () => undefined,
      now: () => clock.now,
    });
    t.after(() => api.close());
    return api;
  };
  const api = serve(authorization);
  const ask = async (method: 'GET' | 'POST', path: string, payload?: string, of = api) => {
    const { statusCode, body } = await of.inject({
      method,
      url: `/extended/v1/faucets/btc${path}`,
      ...(payload !== undefined && { payload, headers: { 'content-type': 'application/json' } }),
    });
    return { status: statusCode, body: JSON.parse(body) };
  };
  const post = (query: string, payload?: string) => ask('POST', query, payload);
  return { wallet, state, clock, calls, serve, ask, post };
}

test('a transfer has the amount that was asked for, to the address in the query or in the body', async t => {
  const { post, calls } = await open(t);
  const given = { status: 200, body: { success: true, txid: TX_ID, raw_tx: '00ff' } };
  assert.deepEqual(await post(`?address=${ADDRESS}`), given);
  assert.deepEqual(await post('?large=true', JSON.stringify({ address: ADDRESS })), given);
  assert.deepEqual(await post('?xlarge=true', `address=${ADDRESS}`), given);
  assert.deepEqual(
    calls.filter(([method]) => method === 'sendtoaddress'),
    ['0.0001', '0.01', '0.5'].map(amount => ['sendtoaddress', ADDRESS, amount]),
  );
});

test('transfers are sent one at a time, five to an address in five minutes', async t => {
  const { post, state, clock } = await open(t);
  const statuses = async (times: number) =>
    (await Promise.all(Array.from({ length: times }, () => post(`?address=${ADDRESS}`)))).map(({ status }) => status);
  assert.deepEqual(await statuses(7), [200, 200, 200, 200, 200, 429, 429]);
  assert.equal(state.mostInProgress, 1);
  assert.deepEqual((await post(`?address=${ADDRESS}`)).body, { error: 'Too many requests', success: false });
  clock.now += 5 * 60_000;
  assert.deepEqual(await statuses(1), [200]);
});

test('another spelling of an address is the same address', async t => {
  const { post, calls } = await open(t);
  const segwit = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  for (let i = 0; i < 5; i++) assert.equal((await post(`?address=${segwit}`)).status, 200);
  assert.equal((await post(`?address=${segwit.toUpperCase()}`)).status, 429);
  assert.ok(calls.every(([method, address]) => method !== 'sendtoaddress' || address === segwit));
});

test('the balance is what a scan finds', async t => {
  const { ask, calls } = await open(t);
  assert.deepEqual(await ask('GET', `/${ADDRESS}`), { status: 200, body: { balance: 0.5001 } });
  assert.deepEqual(calls.at(-1), ['scantxoutset', 'start', [`addr(${ADDRESS})`]]);
});

test('what is no address, and both amounts, are refused before the wallet hears of them', async t => {
  const { ask, post, calls } = await open(t);
  const refused = async (response: ReturnType<typeof post>, error: string) =>
    assert.deepEqual(await response, { status: 400, body: { error, success: false } });
  await refused(post(''), 'address required');
  await refused(post('?address=', '{"address":5}'), 'address required');
  await refused(
    post(`?address=${ADDRESS}&large=true&xlarge=true`),
    'cannot simultaneously request a large and xlarge amount',
  );
  for (const bad of ['nobody', `${ADDRESS}x`, ')', 'tb1qqqqq']) {
    await refused(post(`?address=${bad}`), 'Invalid BTC regtest address');
    await refused(ask('GET', `/${bad}`), 'Invalid BTC regtest address');
  }
  assert.equal((await post(`?address=${'m'.repeat(91)}`)).status, 400);
  assert.deepEqual(calls, []);
});

test('a wallet of mainnet gives nothing', async t => {
  const { ask, post, state, calls } = await open(t);
  state.chain = 'main';
  const refused = { status: 403, body: { error: 'BTC faucet is not available', success: false } };
  assert.deepEqual(await post(`?address=${ADDRESS}`), refused);
  assert.deepEqual(await ask('GET', `/${ADDRESS}`), refused);
  assert.ok(calls.every(([method]) => method === 'getblockchaininfo'));
});

test('what the wallet refuses is told without its words, and does not count', async t => {
  const { ask, post, state, wallet, serve } = await open(t);
  const cases: [WalletRefusal, number, string | undefined][] = [
    [{ code: -5, message: 'Invalid address' }, 400, undefined],
    [{ code: -6, message: 'Insufficient funds in /home/satoshi' }, 503, 'FAUCET_EMPTY'],
    [{ code: -18, message: 'Requested wallet in /home/satoshi is not loaded' }, 502, 'FAUCET_REFUSED'],
  ];
  for (const [refusal, status, code] of cases) {
    state.refuses = method => (method === 'getblockchaininfo' ? undefined : refusal);
    for (let i = 0; i < 6; i++) {
      const response = await post(`?address=${ADDRESS}`);
      assert.deepEqual([response.status, response.body.code], [status, code]);
      assert.doesNotMatch(JSON.stringify(response.body), /satoshi/);
    }
    assert.equal((await ask('GET', `/${ADDRESS}`)).status, status);
  }
  state.refuses = method => (method === 'gettransaction' ? { code: -5, message: 'unknown' } : undefined);
  assert.deepEqual((await post(`?address=${ADDRESS}`)).body, { success: true, txid: TX_ID, raw_tx: '' });

  const wrongPassword = await ask('POST', `?address=${ADDRESS}`, undefined, serve('Basic wrong'));
  assert.deepEqual([wrongPassword.status, wrongPassword.body.code], [503, 'FAUCET_UNAVAILABLE']);
  await wallet.stop();
  const away = await post(`?address=${ADDRESS}`);
  assert.deepEqual([away.status, away.body.code], [503, 'FAUCET_UNAVAILABLE']);
  assert.doesNotMatch(JSON.stringify(away.body), /127\.0\.0\.1|ECONN/);
});
