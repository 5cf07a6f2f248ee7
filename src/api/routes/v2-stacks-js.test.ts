/** The node RPC as @stacks/transactions uses it, through the proxy. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  broadcastTransaction,
  Cl,
  fetchAbi,
  fetchCallReadOnlyFunction,
  fetchContractMapEntry,
  fetchFeeEstimateTransaction,
  fetchFeeEstimateTransfer,
  fetchNonce,
  makeSTXTokenTransfer,
} from '@stacks/transactions';
import { serveProxy } from '../../../test/support/node-proxy.ts';
import { respondJson, type StubHandler, startStubNode } from '../../../test/support/stub-node.ts';
import { transactionId } from '../../base/codec/index.ts';

const ADDRESS = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
const REJECTION = {
  error: 'transaction rejected',
  reason: 'NotEnoughFunds',
  reason_data: { actual: '0x00' },
  txid: '00',
};
const ABI = { functions: [], variables: [], maps: [], fungible_tokens: [], non_fungible_tokens: [] };
const CONTRACT = { contractAddress: ADDRESS, contractName: 'c' };

const node: StubHandler = ({ method, url, headers, body }, response) => {
  if (url === '/v2/transactions' && headers['content-type'] === 'application/json') {
    const raw = Buffer.from(JSON.parse(body.toString()).tx, 'hex');
    return respondJson(response, transactionId(raw).slice(2));
  }
  if (url === '/v2/fees/transfer') return void response.end('3');
  if (url === '/v2/fees/transaction') {
    return respondJson(response, { estimations: [1, 2, 3].map(fee => ({ fee, fee_rate: fee })) });
  }
  if (url === `/v2/accounts/${ADDRESS}?proof=0`) return respondJson(response, { balance: '0x01', nonce: 12 });
  if (url === `/v2/contracts/interface/${ADDRESS}/c`) return respondJson(response, ABI);
  if (method === 'POST' && url === `/v2/contracts/call-read/${ADDRESS}/c/is-in%3F`) {
    const { arguments: args } = JSON.parse(body.toString());
    return respondJson(response, { okay: true, result: args[0] });
  }
  // The key is a JSON text by itself.
  if (url === `/v2/map_entry/${ADDRESS}/c/m?proof=0`)
    return respondJson(response, {
      data: JSON.parse(body.toString()) === `0x${Cl.serialize(Cl.uint(1))}` ? `0x${Cl.serialize(Cl.uint(9))}` : '0x09',
    });
  respondJson(response, { error: 'unexpected', url }, 404);
};

async function open(t: TestContext, handler: StubHandler = node) {
  const stub = await startStubNode(t, handler);
  const { port } = await serveProxy(t, stub.url);
  return { stub, network: 'testnet' as const, client: { baseUrl: `http://127.0.0.1:${port}` } };
}

const transfer = (nonce = 0n) =>
  makeSTXTokenTransfer({
    recipient: ADDRESS,
    amount: 1n,
    fee: 200n,
    nonce,
    senderKey: `${'01'.repeat(32)}01`,
    network: 'testnet',
  });

test('broadcasts are taken, and rejections come with their reason', async t => {
  const tx = await transfer();
  const taken = await open(t);
  assert.deepEqual(await broadcastTransaction({ transaction: tx, ...taken }), { txid: tx.txid() });
  const rejecting = await open(t, (_request, response) => respondJson(response, REJECTION, 400));
  assert.deepEqual(await broadcastTransaction({ transaction: tx, ...rejecting }), REJECTION);
});

test('when the node is down, the client reads why', async t => {
  const { stub, ...at } = await open(t);
  await stub.stop();
  const failed = await broadcastTransaction({ transaction: await transfer(), ...at });
  assert.ok('error' in failed && failed.error === 'core node unresponsive');
});

test('the next nonce is that of the account where the index does not know it', async t => {
  assert.equal(await fetchNonce({ address: ADDRESS, ...(await open(t)) }), 12n);
});

test('fees are estimated, and the client sees where there is no estimate', async t => {
  const at = await open(t);
  const tx = await transfer();
  assert.equal(await fetchFeeEstimateTransfer({ transaction: tx, ...at }), 3n * BigInt(tx.serialize().length / 2));
  const estimates = await fetchFeeEstimateTransaction({ payload: '00', estimatedLength: 180, ...at });
  assert.deepEqual(
    estimates.map(({ fee }) => fee),
    [1, 2, 3],
  );
  const none = await open(t, (request, response) =>
    request.url === '/v2/fees/transaction'
      ? void response.writeHead(400, { 'content-type': 'application/json' }).end('{"reason":"NoEstimateAvailable"}')
      : node(request, response),
  );
  await assert.rejects(fetchFeeEstimateTransaction({ payload: '00', ...none }), { name: 'NoEstimateAvailableError' });
});

test('contracts are read', async t => {
  const at = { ...CONTRACT, ...(await open(t)) };
  assert.deepEqual(await fetchAbi(at), ABI);
  const args = { functionName: 'is-in?', functionArgs: [Cl.uint(7)], senderAddress: ADDRESS };
  assert.deepEqual(await fetchCallReadOnlyFunction({ ...at, ...args }), Cl.uint(7));
  assert.deepEqual(await fetchContractMapEntry({ ...at, mapName: 'm', mapKey: Cl.uint(1) }), Cl.uint(9));
});
