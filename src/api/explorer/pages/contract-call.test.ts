import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiClient } from '../client.ts';
import { contractCallPage } from './contract-call.ts';

const ABI = {
  functions: [
    {
      name: 'get-balance',
      access: 'read_only',
      args: [{ name: 'who', type: 'principal' }],
      outputs: { type: 'uint128' },
    },
  ],
};
const ID = 'ST000000000000000000002AMW42H.token';

/** A server with a node that returns `u5` from every call. */
const withNode: ApiClient = {
  asked: [],
  get: async <T>() => ({ abi: JSON.stringify(ABI) }) as T,
  find: async <T>() => ({ stacks_tip_height: 7 }) as T,
  post: async <T>() => ({ okay: true, result: '0x0100000000000000000000000000000005' }) as T,
};

const pageWith = async (query: Readonly<Record<string, string>>) => {
  const page = await contractCallPage(withNode, {
    params: { id: ID, function: 'get-balance' },
    query,
    network: 'testnet',
  });
  assert.ok('body' in page);
  return page.body.toString();
};

test('with a node, a read-only function has a form; it shows the result, or what does not fit', async () => {
  assert.match(await pageWith({}), /<input id="a0" name="a0"/);
  assert.match(await pageWith({ ask: '1', a0: 'nonsense' }), /must be an address or a contract/);
  assert.match(
    await pageWith({ ask: '1', a0: 'ST000000000000000000002AMW42H' }),
    /Result.*<span class="number-value">5<\/span>/s,
  );
});
