import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, UsageError } from './options.ts';

const KEY = `${'01'.repeat(32)}01`;
const read = (env: Record<string, string>, ...args: string[]) =>
  readOptions(['serve', '--chain-id', '2147483648', ...args], env).faucet;
const NODE = { STACKS_CORE_RPC_HOST: 'node' };

test('a faucet needs a key, a node and a test network', () => {
  const faucet = read({ FAUCET_PRIVATE_KEY: `${KEY}, ${'02'.repeat(32)}`, ...NODE });
  assert.deepEqual([faucet?.node, faucet?.chainId, faucet?.accounts.length], ['http://node:20443', 0x80000000, 2]);
  assert.equal(read({ FAUCET_PRIVATE_KEY: KEY }), undefined);
  assert.equal(read(NODE), undefined);
  assert.equal(read({ FAUCET_PRIVATE_KEY: KEY, ...NODE }, '--chain-id', '1'), undefined);
});

test('its transfers may go to a node of their own', () => {
  const env = { FAUCET_PRIVATE_KEY: KEY, ...NODE, STACKS_FAUCET_NODE_HOST: 'other', STACKS_FAUCET_NODE_PORT: '9' };
  assert.equal(read(env)?.node, 'http://other:9');
});

test('what is no key is refused, and not shown', () => {
  for (const key of ['secret', '00'.repeat(32), 'ff'.repeat(32), `${KEY}01`])
    assert.throws(
      () => read({ FAUCET_PRIVATE_KEY: key, ...NODE }),
      (error: Error) => error instanceof UsageError && !error.message.includes(key),
    );
});
