import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { json, serveProxy } from '../../../test/support/node-proxy.ts';
import { respondJson, type StubHandler, startStubNode } from '../../../test/support/stub-node.ts';
import { until } from '../../../test/support/until.ts';
import { transactionId } from '../../base/codec/index.ts';

const BYTES = 'application/octet-stream';
const JSON_TYPE = 'application/json';
const REJECTION = { error: 'transaction rejected', reason: 'NotEnoughFunds', txid: '00' };

/** Takes every transaction, as a node does: the response is its id without 0x. */
const takes: StubHandler = ({ headers, body }, response) => {
  const isJson = headers['content-type']?.startsWith(JSON_TYPE) ?? false;
  const raw = isJson ? Buffer.from(JSON.parse(body.toString()).tx.replace(/^0x/, ''), 'hex') : body;
  respondJson(response, transactionId(raw).slice(2));
};

/** A file of endpoints that can be written anew. */
function endpointsFile(t: TestContext, ...lines: string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'endpoints-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'endpoints.txt');
  const write = (...lines: string[]) => writeFileSync(path, lines.join('\n'));
  write(...lines);
  return { path, write };
}

const post = (type: string, body: Buffer | string | Readable, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': type, ...headers },
  body,
});

test('a transaction that the node takes is logged, and handed on as bytes, before the client hears of it', async t => {
  const node = await startStubNode(t, takes);
  const taken: [string, Buffer][] = [];
  let answered = 0;
  const { ask, news } = await serveProxy(
    t,
    node.url,
    {},
    {},
    {
      tip: { current: () => ({ height: 77 }) as never },
      onTaken: async (txId, raw) => {
        assert.equal(answered, 0);
        taken.push([txId, Buffer.from(raw)]);
      },
    },
  );
  const raw = randomBytes(1_000_000);
  const txId = transactionId(raw);
  const hex = raw.toString('hex');
  for (const what of [
    post(BYTES, raw),
    post(BYTES, Readable.from([raw])),
    post(JSON_TYPE, JSON.stringify({ tx: hex })),
    post('application/json; charset=utf-8', JSON.stringify({ tx: `0x${hex}`, attachment: '00' })),
  ]) {
    answered = 0;
    taken.length = 0;
    news.length = 0;
    const response = await ask('/v2/transactions', what);
    answered = 1;
    assert.deepEqual([response.status, response.body.toString()], [200, `"${txId.slice(2)}"`]);
    assert.equal(response.headers['content-type'], JSON_TYPE);
    assert.deepEqual(taken, [[txId, raw]]);
    assert.deepEqual(news, [{ fields: { txid: txId, height: 77 }, text: 'Transaction broadcasted' }]);
  }
});

test('what the node rejects, or names otherwise, does not get into the mempool', async t => {
  let content: unknown = REJECTION;
  let status = 400;
  const node = await startStubNode(t, (_request, response) => respondJson(response, content, status));
  const taken: string[] = [];
  const { ask } = await serveProxy(t, node.url, {}, {}, { onTaken: async txId => void taken.push(txId) });
  const rejected = await ask('/v2/transactions', post(BYTES, 'x'));
  assert.deepEqual([rejected.status, json(rejected)], [400, REJECTION]);
  status = 200;
  for (content of ['00'.repeat(32), transactionId(Buffer.from('y')).slice(2), { txid: 1 }, 'no id'])
    assert.deepEqual(json(await ask('/v2/transactions', post(BYTES, 'x'))), content);
  content = transactionId(Buffer.from('x')).slice(2);
  assert.equal((await ask('/v2/transactions', post(JSON_TYPE, '{"tx":"zz"}'))).status, 200);
  assert.equal((await ask('/v2/transactions', post(JSON_TYPE, 'no json'))).status, 200);
  assert.deepEqual(taken, []);
  assert.equal((await ask('/v2/transactions', { method: 'GET' })).status, 200, 'only a POST is a broadcast');
  assert.deepEqual(taken, []);
});

test('an index that cannot take it does not take the response from the client', async t => {
  const node = await startStubNode(t, takes);
  const onTaken = () => Promise.reject(new Error('the database is away'));
  const { ask, told } = await serveProxy(t, node.url, {}, {}, { onTaken });
  assert.equal((await ask('/v2/transactions', post(BYTES, 'x'))).status, 200);
  assert.equal(told.length, 1);
});

test('a broadcast reaches all endpoints byte for byte, with its type and nothing else of the client', async t => {
  const node = await startStubNode(t, takes);
  const extra = await startStubNode(t, (_request, response) => respondJson(response, REJECTION, 400));
  const file = endpointsFile(t, '# all nodes', '', `${extra.url}/v2/transactions?via=a # the first`, 'no url');
  const { ask, news, told } = await serveProxy(t, node.url, { extraTxEndpoints: file.path });
  const bodies = [
    post(BYTES, randomBytes(2000), { authorization: 'secret', cookie: 'c', 'x-forwarded-for': '9.9.9.9' }),
    post(JSON_TYPE, `{ "tx":"${randomBytes(1_000_000).toString('hex')}" ,"x":1.50}`),
  ];
  for (const [i, what] of bodies.entries()) {
    assert.equal((await ask('/v2/transactions', what)).status, 200);
    await until(() => extra.seen.length === i + 1, 'the endpoint hears nothing');
    const seen = extra.seen.at(-1);
    assert.deepEqual([seen?.method, seen?.url], ['POST', '/v2/transactions?via=a']);
    assert.deepEqual(seen?.body, Buffer.from(what.body as Buffer));
    const { host: _, connection: __, ...headers } = seen?.headers ?? {};
    assert.deepEqual(headers, {
      'content-type': what.headers['content-type'],
      'content-length': String(seen?.body.length),
    });
  }
  assert.ok(told.some(({ text }) => text === 'a line of --extra-tx-endpoints is not a URL; it is ignored'));
  await until(
    () => news.some(({ text }) => text === 'a broadcast did not reach an extra endpoint'),
    'no failure is logged',
  );
});

test('no client waits for an endpoint, dead or silent, and none hears of it', async t => {
  const node = await startStubNode(t, takes);
  const silent = await startStubNode(t, () => undefined);
  const dead = await startStubNode(t, () => undefined);
  await dead.stop();
  const file = endpointsFile(t, `${silent.url}/v2/transactions`, `${dead.url}/v2/transactions`);
  const { ask, told } = await serveProxy(t, node.url, { extraTxEndpoints: file.path });
  for (let i = 0; i < 3; i++) assert.equal((await ask('/v2/transactions', post(BYTES, 'x'))).status, 200);
  await until(() => silent.seen.length === 3 && told.length === 1, 'the endpoints are not asked');
  assert.equal(told[0]?.text, 'an extra endpoint fails');
});

test('a change of the file is noticed, and a file that is missing is no failure', async t => {
  const node = await startStubNode(t, takes);
  const extra = await startStubNode(t, takes);
  const file = endpointsFile(t);
  rmSync(file.path);
  const { ask } = await serveProxy(t, node.url, { extraTxEndpoints: file.path });
  assert.equal((await ask('/v2/transactions', post(BYTES, 'x'))).status, 200);
  assert.equal(extra.seen.length, 0);
  file.write(`${extra.url}/v2/transactions`);
  await until(async () => {
    await ask('/v2/transactions', post(BYTES, 'x'));
    return extra.seen.length > 0;
  }, 'the new endpoint is not noticed');
});
