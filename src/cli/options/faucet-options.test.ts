import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, UsageError } from './options.ts';

const KEY = `${'01'.repeat(32)}01`;
const read = (env: Record<string, string>, ...args: string[]) =>
  readOptions(['serve', '--chain-id', '2147483648', ...args], env).faucet;
const NODE = { STACKS_CORE_RPC_HOST: 'node' };

test('a faucet needs a key, a node and a test network', () => {
  const faucet = read({ FAUCET_PRIVATE_KEY: `${KEY}, ${'02'.repeat(32)}`, ...NODE });
  assert.deepEqual(
    [faucet?.stx?.node, faucet?.stx?.chainId, faucet?.stx?.accounts.length],
    ['http://node:20443', 0x80000000, 2],
  );
  assert.equal(read({ FAUCET_PRIVATE_KEY: KEY }), undefined);
  assert.equal(read(NODE), undefined);
  assert.equal(read({ FAUCET_PRIVATE_KEY: KEY, ...NODE }, '--chain-id', '1'), undefined);
});

test('its transfers may go to a node of their own', () => {
  const env = { FAUCET_PRIVATE_KEY: KEY, ...NODE, STACKS_FAUCET_NODE_HOST: 'other', STACKS_FAUCET_NODE_PORT: '9' };
  assert.equal(read(env)?.stx?.node, 'http://other:9');
});

test('a faucet for sBTC needs a token besides', () => {
  const token = 'ST000000000000000000002AMW42H.sbtc-token::sbtc-token';
  const env = { TESTNET_SBTC_FAUCET_ASSET_IDENTIFIER: token };
  assert.deepEqual(read({ ...env, FAUCET_PRIVATE_KEY: KEY, ...NODE })?.sbtc, { token, amount: 10_000 });
  assert.equal(read({ ...env, ...NODE }), undefined);
  assert.equal(read({ FAUCET_PRIVATE_KEY: KEY, ...NODE })?.sbtc, undefined);
  for (const bad of ['sbtc', 'ST000000000000000000002AMW42H.sbtc-token'])
    assert.throws(() => read({ TESTNET_SBTC_FAUCET_ASSET_IDENTIFIER: bad }), UsageError);
});

test('a faucet for BTC needs a wallet alone, and its password is in no URL', () => {
  const authorization = `Basic ${Buffer.from('user:p@ss/word').toString('base64')}`;
  const ofUrl = read({ STACKS_INDEX_FAUCET_BTC_WALLET: 'http://user:p%40ss%2Fword@bitcoin:18443/wallet/faucet' });
  assert.deepEqual(ofUrl, {
    stx: undefined,
    sbtc: undefined,
    btc: { url: 'http://bitcoin:18443/wallet/faucet', authorization, amount: 10_000 },
  });
  const env = { BTC_RPC_HOST: 'bitcoin', BTC_RPC_PORT: '9', BTC_RPC_USER: 'user', BTC_RPC_PW: 'p@ss/word' };
  assert.deepEqual(read(env)?.btc, { url: 'http://bitcoin:9/', authorization, amount: 10_000 });
  assert.deepEqual(read({ BTC_RPC_HOST: 'bitcoin' })?.btc, {
    url: 'http://bitcoin:18443/',
    authorization: '',
    amount: 10_000,
  });
  assert.equal(read(env, '--chain-id', '1'), undefined);
});

test('amounts are whole numbers of the smallest unit', () => {
  const env = { FAUCET_PRIVATE_KEY: KEY, ...NODE, BTC_RPC_HOST: 'bitcoin' };
  const amounts = (more: Record<string, string> = {}) => {
    const faucet = read({ ...env, ...more });
    return [faucet?.stx?.amount, faucet?.btc?.amount];
  };
  assert.deepEqual(amounts(), [500_000_000, 10_000]);
  assert.deepEqual(
    amounts({ TESTNET_STX_FAUCET_AMOUNT: '7', TESTNET_BTC_FAUCET_AMOUNT: '123456789' }),
    [7, 123_456_789],
  );
  for (const bad of ['0', '-1', '0.5', '2100000000000001'])
    assert.throws(() => amounts({ TESTNET_BTC_FAUCET_AMOUNT: bad }), UsageError, bad);
});

test('what is no key is refused, and not shown', () => {
  for (const key of ['secret', '00'.repeat(32), 'ff'.repeat(32), `${KEY}01`])
    assert.throws(
      () => read({ FAUCET_PRIVATE_KEY: key, ...NODE }),
      (error: Error) => error instanceof UsageError && !error.message.includes(key),
    );
});
