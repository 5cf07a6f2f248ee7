import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { respondJson, type StubHandler, startStubNode } from '../../../../../test/support/stub-node.ts';
import { until } from '../../../../../test/support/until.ts';
import { decodeTransaction, transactionId } from '../../../../base/codec/index.ts';
import { accountOf } from '../../../faucet/transaction.ts';
import { addDocumentation } from '../../../http/openapi/openapi.ts';
import { createServer } from '../../../http/server.ts';
import type { FaucetParts } from '../../context.ts';
import { addFaucetRoutesV1 } from './faucets.ts';

const ADDRESS = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
const ACCOUNTS = ['01', '02'].map(byte => accountOf(byte.repeat(32)));
/** Recipients of faucets. */
const people = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => accountOf(Buffer.alloc(32, i + 16).toString('hex')).address);
const [FIRST, SECOND] = ACCOUNTS.map(({ address }) => address);
const TOKEN = { contract: 'ST000000000000000000002AMW42H.sbtc-token', asset: 'sbtc' };
const SBTC = { token: `${TOKEN.contract}::${TOKEN.asset}`, amount: 10_000 };

/** A node that takes every transaction except those for which `refuses` returns a reason. */
async function open(
  t: TestContext,
  refuses: (sender: string, nonce: number) => string | undefined = () => undefined,
  parts: Partial<FaucetParts> = {},
) {
  const taken: {
    readonly sender: string;
    readonly nonce: number;
    readonly amount: string;
    readonly recipient: string;
    readonly fee: number;
  }[] = [];
  const state = {
    now: 1_000_000_000_000,
    estimate: { estimations: [{ fee: 1 }, { fee: 321 }, { fee: 9 }] } as unknown,
  };
  const handler: StubHandler = ({ url, body }, response) => {
    if (url.startsWith('/v2/accounts')) return respondJson(response, { nonce: 3 });
    if (url === '/v2/pox') return respondJson(response, { min_amount_ustx: 90_000_000_260 });
    if (url === '/v2/fees/transaction') return respondJson(response, state.estimate);
    const decoded = decodeTransaction(body);
    assert.ok(decoded.ok);
    const { origin, payload } = decoded.value;
    const reason = refuses(origin.address, Number(origin.nonce));
    if (reason !== undefined) return respondJson(response, { error: 'transaction rejected', reason }, 400);
    taken.push({
      sender: origin.address,
      nonce: Number(origin.nonce),
      ...(payload.kind === 'token_transfer'
        ? { amount: String(payload.amount), recipient: String(payload.recipient) }
        : { amount: '', recipient: '' }),
      fee: Number(origin.fee),
    });
    respondJson(response, transactionId(body).slice(2));
  };
  const node = await startStubNode(t, handler);
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  addFaucetRoutesV1(api, {
    settings: {
      stx: { node: node.url, accounts: ACCOUNTS, chainId: 0x80000000, amount: 500_000_000 },
      sbtc: SBTC,
      btc: undefined,
    },
    nextNonce: async () => 0,
    onTaken: async () => undefined,
    now: () => state.now,
    ...parts,
  });
  t.after(() => api.close());
  const post = async (query: string, payload?: string, faucet = 'stx') => {
    const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
    const url = `/extended/v1/faucets/${faucet}${query}`;
    const { statusCode, body } = await api.inject({
      method: 'POST',
      url,
      headers,
      ...(payload !== undefined && { payload }),
    });
    return { status: statusCode, body: JSON.parse(body) };
  };
  return { node, taken, state, post };
}

test('500 STX go to the address, for the fee that the node estimates', async t => {
  const announced: string[] = [];
  const { post, taken, node } = await open(t, undefined, { onTaken: async txId => void announced.push(txId) });
  const { status, body } = await post(`?address=${ADDRESS}`);
  assert.equal(status, 200);
  assert.deepEqual(taken, [{ sender: FIRST, nonce: 3, amount: '500000000', recipient: ADDRESS, fee: 321 }]);
  const raw = node.seen.at(-1)?.body ?? Buffer.alloc(0);
  assert.deepEqual(body, { success: true, txId: transactionId(raw), txRaw: raw.toString('hex') });
  assert.deepEqual(announced, [body.txId]);
});

test('for stacking it is a fifth more than the node asks for', async t => {
  const { post, taken } = await open(t);
  assert.equal((await post(`?address=${ADDRESS}&stacking=true`)).status, 200);
  assert.equal(taken[0]?.amount, '108000000312');
});

test('requests at once get nonces of their own', async t => {
  const { post, taken } = await open(t);
  const addresses = people(12);
  const responses = await Promise.all(addresses.map(address => post(`?address=${address}`)));
  assert.ok(responses.every(({ status }) => status === 200));
  assert.deepEqual(
    taken.map(({ nonce }) => nonce),
    addresses.map((_, i) => 3 + i),
  );
});

test('after a restart the nonce follows what is pending', async t => {
  const { post, taken } = await open(t, undefined, { nextNonce: async () => 17 });
  await post(`?address=${ADDRESS}`);
  assert.equal(taken[0]?.nonce, 17);
});

test('a nonce is free again when a minute later neither the index nor the node knows it', async t => {
  const { post, taken, state } = await open(t);
  await post(`?address=${ADDRESS}`);
  state.now += 59_000;
  await post(`?address=${ADDRESS}`);
  state.now += 60_000;
  await post(`?address=${ADDRESS}`);
  assert.deepEqual(
    taken.map(({ nonce }) => nonce),
    [3, 4, 3],
  );
});

test('a faucet that restarts among requests leaves no nonce out and uses none twice', async t => {
  const inIndex: string[] = [];
  const shared: Partial<FaucetParts> = {
    nextNonce: async () => 3 + inIndex.length,
    onTaken: async txId => void inIndex.push(txId),
  };
  const used = new Set<number>();
  const refuses = (_sender: string, nonce: number) => {
    if (used.has(nonce)) return 'ConflictingNonceInMempool';
    used.add(nonce);
    return undefined;
  };
  const before = await open(t, refuses, shared);
  const stx = { node: before.node.url, accounts: ACCOUNTS, chainId: 0x80000000, amount: 500_000_000 };
  const after = await open(t, refuses, { ...shared, settings: { stx, sbtc: SBTC, btc: undefined } });
  const asked = (post: typeof before.post) => people(8).map(address => post(`?address=${address}`));
  const interrupted = Promise.allSettled(asked(before.post));
  await until(() => before.taken.length >= 3, 'nothing is sent');
  before.node.hangUp(); // as the end of a process does
  const responses = await Promise.all(asked(after.post));
  await interrupted;
  assert.ok(responses.every(({ status }) => status === 200));
  const nonces = before.taken.map(({ nonce }) => nonce).sort((a, b) => a - b);
  assert.deepEqual(
    nonces,
    nonces.map((_, i) => 3 + i),
  );
});

test('a nonce that another process has used is passed over, and an account that is busy', async t => {
  const conflicts = await open(t, (_sender, nonce) => (nonce < 5 ? 'ConflictingNonceInMempool' : undefined));
  assert.equal((await conflicts.post(`?address=${ADDRESS}`)).status, 200);
  assert.deepEqual(
    conflicts.taken.map(({ sender, nonce }) => [sender, nonce]),
    [[FIRST, 5]],
  );
  const busy = await open(t, sender => (sender === FIRST ? 'TooMuchChaining' : undefined));
  assert.equal((await busy.post(`?address=${ADDRESS}`)).status, 200);
  assert.deepEqual(
    busy.taken.map(({ sender }) => sender),
    [SECOND],
  );
});

test('an address has five transfers in five minutes, and one for stacking in two days', async t => {
  const { post, state } = await open(t);
  const statuses = async (query: string, times: number) => {
    const all: number[] = [];
    for (let i = 0; i < times; i++) all.push((await post(`?address=${ADDRESS}${query}`)).status);
    return all;
  };
  assert.deepEqual(await statuses('', 6), [200, 200, 200, 200, 200, 429]);
  assert.deepEqual((await post(`?address=${ADDRESS}`)).body, { error: 'Too many requests', success: false });
  assert.equal((await post(`?address=${ADDRESS}.other`)).status, 429, 'a contract of the address');
  assert.equal((await post(`?address=${SECOND}`)).status, 200);
  assert.deepEqual(await statuses('&stacking=true', 2), [200, 429]);
  state.now += 5 * 60_000;
  assert.deepEqual(await statuses('', 1), [200]);
  assert.deepEqual(await statuses('&stacking=true', 1), [429]);
  state.now += 2 * 24 * 3600_000;
  assert.deepEqual(await statuses('&stacking=true', 1), [200]);
});

test('a client has twenty transfers in five minutes, to whomever they go', async t => {
  const { post, state } = await open(t);
  const statuses: number[] = [];
  for (const address of people(21)) statuses.push((await post(`?address=${address}`)).status);
  assert.deepEqual(statuses, [...Array<number>(20).fill(200), 429]);
  state.now += 5 * 60_000;
  assert.equal((await post(`?address=${ADDRESS}`)).status, 200);
});

test('what the node does not take is an error as in version 9, and does not count', async t => {
  let reason: string | undefined = 'NotEnoughFunds';
  const { post, node, taken } = await open(t, () => reason);
  for (let i = 0; i < 7; i++) {
    const { status, body } = await post(`?address=${ADDRESS}`);
    assert.deepEqual([status, body.code], [503, 'FAUCET_EMPTY']);
    assert.equal(body.error, 'The faucet is temporarily out of funds, please try again later');
  }
  reason = 'Serialization';
  const refused = await post(`?address=${ADDRESS}`);
  assert.deepEqual([refused.status, refused.body.code], [502, 'FAUCET_REFUSED']);
  assert.equal(refused.body.error, 'Faucet request failed, please try again later');
  reason = undefined;
  assert.equal((await post(`?address=${ADDRESS}`)).status, 200);
  assert.equal(taken.length, 1);
  await node.stop();
  for (const query of ['', '&stacking=true']) {
    const { status, body } = await post(`?address=${ADDRESS}${query}`);
    assert.deepEqual([status, body.code], [503, 'FAUCET_UNAVAILABLE']);
    assert.equal(body.error, 'Faucet is temporarily unavailable, please try again later');
    assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|ECONN/);
  }
});

test('sBTC is a transfer of its token that can move nothing else, with a nonce among those of STX', async t => {
  const { post, node, taken } = await open(t);
  const responses = await Promise.all([
    post(`?address=${ADDRESS}`),
    post(`?address=${ADDRESS}`, undefined, 'sbtc'),
    post(`?address=${SECOND}.vault`, undefined, 'sbtc'),
  ]);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(
    taken.map(({ sender, nonce }) => [sender, nonce]),
    [3, 4, 5].map(nonce => [FIRST, nonce]),
  );
  const raw = node.seen.at(-1)?.body ?? Buffer.alloc(0);
  assert.deepEqual(responses[2]?.body, { success: true, txId: transactionId(raw), txRaw: raw.toString('hex') });
  const decoded = decodeTransaction(raw);
  assert.ok(decoded.ok && decoded.value.payload.kind === 'contract_call');
  const { payload, postConditions } = decoded.value;
  assert.deepEqual([payload.contractId, payload.functionName], [TOKEN.contract, 'transfer']);
  assert.equal(postConditions.length, 1);
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await post(`?address=${ADDRESS}.other`, undefined, 'sbtc')).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429], 'as the address itself');
  assert.deepEqual((await post('', undefined, 'sbtc')).body, { error: 'address required', success: false });
});

test('no estimate, or one that is out of proportion, does not decide the fee', async t => {
  const { post, taken, state } = await open(t);
  for (const estimate of [{}, { estimations: 'x' }, { estimations: [{}, { fee: 1e15 }] }]) {
    state.estimate = estimate;
    await post(`?address=${ADDRESS}`);
  }
  assert.deepEqual(
    taken.map(({ fee }) => fee),
    [200, 200, 1_000_000],
  );
});

test('bad requests say what is allowed, and never reach the node', async t => {
  const { post, node } = await open(t);
  const errorOf = async (query: string, payload?: string) => {
    const { status, body } = await post(query, payload);
    assert.deepEqual([status, body.success], [400, false], query);
    return body.error as string;
  };
  assert.equal(await errorOf(''), 'address required');
  assert.match(await errorOf('', JSON.stringify({ address: ADDRESS })), /query parameters/);
  assert.match(await errorOf('?address=nobody'), /^querystring\/address must be an address or .*, not "nobody"/);
  assert.match(
    await errorOf(`?address=${ADDRESS}&address=${ADDRESS}`),
    /^querystring\/address must be given once, not/,
  );
  assert.match(
    await errorOf(`?address=${ADDRESS}&stacking=1`),
    /^querystring\/stacking must be true or false, not "1"$/,
  );
  assert.deepEqual(node.seen, []);
  assert.equal((await post(`?address=${ADDRESS}`, '')).status, 200, 'JSON without a body');
});

test('the document has the faucet where there is one', async t => {
  const published = async (parts: Parameters<typeof addFaucetRoutesV1>[1]) => {
    const api = createServer({ version: '0', tip: { current: () => undefined } });
    t.after(() => api.close());
    addDocumentation(api, { title: '', version: '0', description: '', tags: [] });
    addFaucetRoutesV1(api, parts);
    return (await api.inject('/openapi.json')).json().paths;
  };
  const stx = { node: 'http://127.0.0.1:9', accounts: ACCOUNTS, chainId: 0x80000000, amount: 500_000_000 };
  const settings = { stx, sbtc: undefined, btc: undefined };
  const paths = await published({ settings, nextNonce: async () => 0, onTaken: async () => undefined });
  assert.deepEqual(Object.keys(paths), ['/extended/v1/faucets/stx']);
  const { operationId, parameters, responses } = paths['/extended/v1/faucets/stx'].post;
  assert.equal(operationId, 'runFaucetStx');
  assert.deepEqual(
    parameters.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    [
      ['address', true],
      ['stacking', false],
    ],
  );
  assert.deepEqual(Object.keys(responses), ['200', '400', '429', '503', 'default']);
  assert.deepEqual(await published(undefined), {});
});

test('without a key every faucet is a 403', async () => {
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  addFaucetRoutesV1(api, undefined);
  for (const [method, path] of [
    ['POST', 'stx'],
    ['POST', 'btc'],
    ['POST', 'sbtc'],
    ['GET', 'btc/x'],
  ] as const) {
    const { statusCode, body } = await api.inject({ method, url: `/extended/v1/faucets/${path}` });
    assert.deepEqual([statusCode, JSON.parse(body)], [403, { error: 'Faucet is not enabled', success: false }]);
  }
});
