import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { json, serveProxy } from '../../../test/support/node-proxy.ts';
import { type SeenRequest, startStubNode } from '../../../test/support/stub-node.ts';
import { until } from '../../../test/support/until.ts';
import type { Tip } from '../../ingest/chain/tip.ts';
import type { ServerLimits } from '../http/server.ts';
import type { NodeProxySettings } from '../node-proxy/settings.ts';

const CALL = '/v2/contracts/call-read/SP1/c/f';
const call = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

const tipAt = (height: number, hash = `0x${height}`): Tip => ({
  height,
  indexBlockHash: hash,
  blockHash: hash,
  burnBlockHeight: 1,
  microblockHash: null,
  microblockSequence: null,
});

/** A node at some height, which numbers its responses and may hold them back; and the proxy of an index at some tip. */
async function open(
  t: TestContext,
  settings: Partial<NodeProxySettings> = {},
  now?: () => number,
  limits: Partial<ServerLimits> = {},
) {
  const state = {
    height: 7,
    tip: tipAt(7) as Tip | undefined,
    isHeld: false,
    status: 200,
    body: (seen: SeenRequest, count: number): string => JSON.stringify({ okay: true, url: seen.url, count }),
  };
  const held: (() => void)[] = [];
  const node = await startStubNode(t, (seen, response: ServerResponse) => {
    const count = node.seen.length;
    const respond = () => {
      const headers = {
        'content-type': 'application/json',
        'x-canonical-stacks-tip-height': String(state.height),
        'x-request-id': 'x',
      };
      response.writeHead(state.status, headers).end(state.body(seen, count));
    };
    if (state.isHeld && seen.method !== 'DELETE') held.push(respond);
    else respond();
  });
  const proxy = await serveProxy(t, node.url, settings, limits, {
    tip: { current: () => state.tip },
    ...(now && { now }),
  });
  const release = () => {
    for (const respond of held.splice(0)) respond();
  };
  return { ...proxy, node, state, release };
}

test('equal requests at one time are one request to the node, and all get its response', async t => {
  const { ask, node, state, release } = await open(t, {}, undefined, { maxNodeRequests: 2, maxWaitingForNode: 198 });
  state.isHeld = true;
  state.height = 6; // so that nothing is kept
  const asked = Array.from({ length: 200 }, (_, i) => ask(CALL, call(`{"arguments":["${i % 2}"]}`)));
  // The next one finds no place: all wait.
  await until(async () => (await ask('/v2/probe', { method: 'DELETE' })).status === 503, 'not all have come');
  release();
  const counts = (await Promise.all(asked)).map(response => json(response).count);
  assert.equal(new Set(counts).size, 2);
  for (const [i, count] of counts.entries()) assert.equal(count, counts[i % 2]);
  assert.equal(node.seen.filter(({ method }) => method === 'POST').length, 2);
});

test('a response at the tip of the index is kept while the tip is', async t => {
  const { ask, node, state } = await open(t);
  const paths = ['/v2/contracts/interface/SP1/c', '/v2/contracts/source/SP1/c?proof=0', '/v2/pox'];
  const askAll = async () => [
    ...(await Promise.all(paths.map(path => ask(path)))),
    await ask(CALL, call('{"arguments":["0x00"]}')),
  ];
  const first = await askAll();
  for (const [i, { body, headers }] of (await askAll()).entries()) {
    assert.deepEqual(body, first[i]?.body);
    assert.equal(headers['x-canonical-stacks-tip-height'], '7');
    assert.equal(headers['x-request-id'], undefined, 'of another request');
    assert.equal(headers['content-length'], String(body.length));
  }
  assert.equal(node.seen.length, 4);
  await ask(CALL, call('{"arguments":["0x01"]}'));
  await ask('/v2/contracts/source/SP1/c?proof=1');
  assert.equal(node.seen.length, 6, 'another request');
  state.tip = tipAt(7, '0xfork');
  await askAll();
  assert.equal(node.seen.length, 10, 'another block at this height');
});

test('what may be wrong at the tip of the index is not kept', async t => {
  const { ask, node, state } = await open(t);
  const twice = async (what: string, path = CALL) => {
    const before = node.seen.length;
    for (let i = 0; i < 2; i++) await ask(path, path === CALL ? call('{}') : {});
    assert.equal(node.seen.length, before + 2, what);
  };
  state.height = 6;
  await twice('the node is behind');
  state.height = 8;
  await twice('the node is ahead');
  state.height = 7;
  state.status = 404;
  await twice('the node does not know the contract yet');
  state.status = 200;
  state.body = () => '{ "okay": false, "cause":"ExecutionTimeExpired" }';
  await twice('a call that failed');
  state.body = () => '{"okay":true}';
  for (const query of ['tip=latest', 'tip=%6catest', '%74ip=l%61test', 'tip=1&tip=Latest'])
    await twice(query, `/v2/contracts/interface/SP1/c?${query}`);
  await twice('others', '/v2/accounts/SP1');
  state.tip = undefined;
  await twice('the index is empty');
});

test('what also changes between blocks is kept for a second', async t => {
  let now = 0;
  const { ask, node } = await open(t, {}, () => now);
  for (const [at, asked] of [
    [0, 1],
    [999, 1],
    [1000, 2],
    [1999, 2],
    [2000, 3],
  ] as const) {
    now = at;
    await ask('/v2/info');
    assert.equal(node.seen.length, asked, `after ${at} ms`);
  }
});

test('nothing is shared when that is off, or when the node is to know who asks', async t => {
  const off = await open(t, { shareResponses: false });
  for (let i = 0; i < 2; i++) await off.ask('/v2/info');
  assert.equal(off.node.seen.length, 2);
  const passing = await open(t, { passAuthorization: true });
  for (const authorization of ['a', 'a', 'b']) await passing.ask('/v2/info', { headers: { authorization } });
  assert.deepEqual(
    passing.node.seen.map(({ headers }) => headers.authorization),
    ['a', 'a', 'b'],
  );
});

test('the node hears nothing of the one client whose request stands for all', async t => {
  const { ask, node } = await open(t);
  await ask(CALL, {
    ...call('{}'),
    headers: { 'content-type': 'application/json', cookie: 'c', 'x-forwarded-for': '9.9.9.9' },
  });
  const { host: _, connection: __, ...headers } = node.seen[0]?.headers ?? {};
  assert.deepEqual(headers, { 'content-type': 'application/json', 'content-length': '2' });
});

test('a client that leaves keeps the response from nobody; when all have left, the node is let go', async t => {
  const { ask, port, node, state, release } = await open(t);
  state.isHeld = true;
  const leaving = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /v2/info HTTP/1.1\r\nHost: x\r\n\r\n'));
    return socket;
  };
  const first = leaving();
  await until(() => node.seen.length === 1, 'the node is not asked');
  const staying = ask('/v2/info');
  // Another request that comes later is at the node: the one that stays has joined.
  const other = ask('/v2/contracts/source/SP1/c');
  await until(() => node.seen.length === 2, 'the node is not asked');
  first.destroy();
  release();
  assert.equal((await staying).status, 200);
  await other;
  state.tip = tipAt(8);
  const alone = leaving();
  await until(() => node.waiting() === 1, 'the node is not asked');
  alone.destroy();
  await until(() => node.waiting() === 0, 'the node works for nobody');
  state.isHeld = false;
  assert.equal((await ask('/v2/info')).status, 200, 'what was given up is asked again');
});

test('a failure of the node is heard by all that wait, and kept for none', async t => {
  const { ask, node, state, release } = await open(t, {}, undefined, { maxNodeRequests: 1, maxWaitingForNode: 2 });
  state.isHeld = true;
  const asked = Array.from({ length: 3 }, () => ask('/v2/info'));
  await until(async () => (await ask('/v2/probe', { method: 'DELETE' })).status === 503, 'not all have come');
  state.body = () => '';
  // A GET is sent again when the node hangs up: it does so twice.
  node.hangUp();
  await until(() => node.seen.filter(({ url }) => url === '/v2/info').length === 2, 'the node is not asked again');
  node.hangUp();
  for (const { status } of await Promise.all(asked)) assert.equal(status, 502);
  state.isHeld = false;
  release();
  state.body = () => '{}';
  assert.equal((await ask('/v2/info')).status, 200);
});
