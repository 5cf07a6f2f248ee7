import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/fast-check.ts';
import type { ClarityValue } from '../../../base/codec/index.ts';
import { fail, ok } from '../../../base/lib/result.ts';
import type { NodeCallErrorKind, NodeRpc, ReadOnlyCall } from '../../../ingest/node/rpc.ts';
import { createServer } from '../../http/server.ts';
import { addPriceRoutesV2 } from './prices.ts';

const uint = (value: bigint): ClarityValue => ({ type: 'uint', value });

/** The routes over a node that gives this. */
function serve(result: ClarityValue | NodeCallErrorKind | undefined) {
  const calls: ReadOnlyCall[] = [];
  const rpc: NodeRpc = {
    callReadOnly: async call => {
      calls.push(call);
      return typeof result === 'object'
        ? ok(result)
        : fail({ kind: result ?? 'unavailable', message: 'http://10.0.0.5' });
    },
  };
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  addPriceRoutesV2(api, result === undefined ? undefined : rpc, 'testnet');
  const get = async (path: string) => {
    const { statusCode, body } = await api.inject(`/v2/prices/${path}`);
    return { status: statusCode, body: JSON.parse(body), text: body };
  };
  return { calls, get };
}

test('a price is what the BNS contract of the network says', async () => {
  const { calls, get } = serve({ type: 'ok', value: uint(2n ** 70n) });
  const price = { units: 'STX', amount: String(2n ** 70n) };
  assert.deepEqual((await get('namespaces/id')).body, price);
  assert.deepEqual((await get('names/muneeb.id')).body, price);
  const asked = calls.map(({ contractId, functionName, args }) => [
    contractId,
    functionName,
    args.map(arg => Buffer.from(arg).toString('hex')),
  ]);
  const bns = 'ST000000000000000000002AMW42H.bns';
  assert.deepEqual(asked, [
    [bns, 'get-namespace-price', ['02000000026964']],
    [bns, 'get-name-price', ['02000000026964', '02000000066d756e656562']],
  ]);
});

test('what cannot be a name is a 400 without asking the node', async () => {
  const { calls, get } = serve({ type: 'ok', value: uint(1n) });
  const invalid = [
    `namespaces/${'a'.repeat(21)}`,
    'names/a',
    'names/a.b.c',
    'names/.id',
    'names/a.',
    `names/${'a'.repeat(49)}.id`,
  ];
  for (const path of invalid) {
    const { status, body } = await get(path);
    assert.equal(status, 400, path);
    assert.equal(body.error, path.startsWith('names/') ? 'Invalid name' : 'Invalid namespace');
  }
  assert.deepEqual(calls, []);
});

test('what the contract refuses is a 400', async () => {
  for (const result of [{ type: 'err', value: uint(1n) }, 'rejected'] as const) {
    const { get } = serve(result);
    const [namespace, name] = [await get('namespaces/id'), await get('names/a.id')];
    assert.deepEqual([namespace.status, namespace.body.error], [400, 'Invalid namespace']);
    assert.deepEqual([name.status, name.body.error], [400, 'Invalid name']);
  }
});

test('a node that does not say is a 502 that does not name it', async () => {
  for (const result of ['unavailable', 'too-costly', 'unknown-contract', uint(1n), { type: 'none' }] as const) {
    const { status, body, text } = await serve(result).get('names/a.id');
    assert.deepEqual([status, body.code], [502, 'NODE_UNREACHABLE']);
    assert.ok(!text.includes('10.0.0.5'));
  }
});

test('other prices are a 404, and no matter of the node', async () => {
  for (const path of ['names/', 'namespaces/', 'tokens/x'])
    assert.equal((await serve(undefined).get(path)).status, 404);
});

test('without a node there are no prices', async () => {
  const { status, body } = await serve(undefined).get('names/a.id');
  assert.deepEqual([status, body.code], [503, 'NODE_NOT_CONFIGURED']);
});

test('no name makes the server fail', async () => {
  const { get } = serve({ type: 'ok', value: uint(1n) });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.constantFrom('names', 'namespaces'), async (text, kind) => {
      const { status } = await get(`${kind}/${encodeURIComponent(text.toWellFormed())}`);
      assert.ok([200, 400, 404, 414].includes(status), String(status));
    }),
  );
});
