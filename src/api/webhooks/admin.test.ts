import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast, openFreshOf } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import type { Database } from '../../base/store/database.ts';
import { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { webhookAdmin } from './admin.ts';
import { WEBHOOKS } from './tables.ts';
import { Webhooks } from './webhooks.ts';

const SECRET = 'a-secret-of-the-operator';
const HOOK = { url: 'https://example.com/hook', topics: ['block', 'burn-block'] };

async function serve(t: TestContext, database: Database) {
  await database.create([WEBHOOKS, KNOWN_BLOCKS]);
  const webhooks = new Webhooks({
    db: database,
    readIndex: work => database.read(work),
    maxHooks: 2,
    allowHosts: [],
    version: '0.0.0',
  });
  const handle = webhookAdmin(webhooks, SECRET);
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** @param body an object, or a text that is sent as it is */
  return async (method: string, path: string, body?: unknown, secret: string | undefined = SECRET) => {
    const response = await fetch(url + path, {
      method,
      headers: secret === '' ? {} : { authorization: `Bearer ${secret}` },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely
    const json: any = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, body: json };
  };
}

onSqliteAtLeast((engine, openFresh) => {
  test(`webhooks are added, listed, resumed and removed over HTTP (${engine})`, async t => {
    const { database } = await openFresh(t);
    const ask = await serve(t, database);
    const { status, body: added } = await ask('POST', '/hooks', HOOK);
    assert.equal(status, 201);
    assert.match(added.secret, /^[0-9a-f]{64}$/);
    const { body: listed } = await ask('GET', '/hooks');
    assert.deepEqual(
      listed.results.map(({ id, url, topics, state }: typeof listed.results) => ({ id, url, topics, state })),
      [{ id: added.id, ...HOOK, state: 'active' }],
    );
    assert.ok(!JSON.stringify(listed).includes(added.secret), 'a secret is shown once');
    await database.write(tx => tx.run("UPDATE webhooks SET state = 'parked', failures = 9", []));
    assert.equal((await ask('POST', `/hooks/${added.id}/resume`)).status, 204);
    const { body: resumed } = await ask('GET', '/hooks');
    assert.deepEqual([resumed.results[0].state, resumed.results[0].failures], ['active', 0]);
    assert.equal((await ask('DELETE', `/hooks/${added.id}`)).status, 204);
    assert.deepEqual((await ask('GET', '/hooks')).body, { results: [] });
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a webhook begins only on a fork that the index has (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const [root, burn] = [chain.block(), chain.burnBlock()];
    const lost = chain.block({ parent: root, burn });
    const top = chain.block({ parent: root });
    const waiting = chain.block({ parent: chain.block({ parent: top }) });
    const canonical = [top, chain.block({ parent: top })];
    await index.deliver(...[root, lost, ...canonical, waiting].map(block => block.delivery));
    const ask = await serve(t, db);
    const placeIn = ({ height, indexHash }: BuiltBlock, hash = indexHash) => `${height}.${hash.slice(2, 12)}.4`;
    for (const after of [placeIn(top, lost.hash), placeIn(waiting), '0.1111111111.4', '9.4f2a91c0de.0']) {
      const { status, body } = await ask('POST', '/hooks', { ...HOOK, after });
      assert.deepEqual([status, body.code], [400, 'WEBHOOK_REFUSED'], after);
      assert.ok(body.message.includes(after), body.message);
    }
    assert.deepEqual((await ask('GET', '/hooks')).body, { results: [] });
    for (const after of ['0.0000000000.4', placeIn(lost)])
      assert.equal((await ask('POST', '/hooks', { ...HOOK, after })).status, 201, after);
  });
});

test('without the secret nothing is told or changed', async t => {
  const { database } = await openFreshOf.sqlite(t);
  const ask = await serve(t, database);
  for (const secret of ['', 'wrong', `${SECRET} `.repeat(2)])
    for (const [method, path] of [
      ['GET', '/hooks'],
      ['POST', '/hooks'],
      ['DELETE', '/hooks/1'],
      ['POST', '/hooks/1/resume'],
    ] as const) {
      const { status, body } = await ask(method, path, method === 'GET' ? undefined : HOOK, secret);
      assert.deepEqual([status, body.statusCode, body.code], [401, 401, 'UNAUTHORIZED'], `${method} ${path}`);
    }
  assert.deepEqual((await ask('GET', '/hooks')).body, { results: [] });
});

test('a request that is wrong is answered what is, and changes nothing', async t => {
  const { database } = await openFreshOf.sqlite(t);
  const ask = await serve(t, database);
  for (const [method, path, body, expected, message] of [
    ['POST', '/hooks', '{', 400, /must be a JSON object/],
    ['POST', '/hooks', [], 400, /must be a JSON object/],
    ['POST', '/hooks', {}, 400, /url must be a text/],
    ['POST', '/hooks', { ...HOOK, topics: 'block' }, 400, /topics must be a list/],
    ['POST', '/hooks', { ...HOOK, topics: ['foo'] }, 400, /"foo"/],
    ['POST', '/hooks', { ...HOOK, after: 1 }, 400, /after must be the id of an event/],
    ['POST', '/hooks', { ...HOOK, state: 'parked' }, 400, /"state" is no member/],
    ['POST', '/hooks', { url: 'http://127.0.0.1/' }, 400, /not a public address/],
    ['POST', '/hooks', 'x'.repeat(70_000), 413, /65536 bytes/],
    ['PUT', '/hooks', undefined, 405, /it takes GET, POST/],
    ['GET', '/hooks/1', undefined, 405, /it takes DELETE/],
    ['GET', '/hooks/1/resume', undefined, 405, /it takes POST/],
    ['DELETE', '/hooks/1', undefined, 404, /there is no webhook "1"/],
    ['POST', '/hooks/1/resume', undefined, 404, /there is no webhook "1"/],
  ] as const) {
    const response = await ask(method, path, body);
    assert.deepEqual([response.status, response.body.statusCode], [expected, expected], `${method} ${path} ${body}`);
    assert.match(response.body.message, message);
  }
  assert.deepEqual((await ask('GET', '/hooks')).body, { results: [] });
  for (let i = 0; i < 2; i++) assert.equal((await ask('POST', '/hooks', HOOK)).status, 201);
  assert.match((await ask('POST', '/hooks', HOOK)).body.message, /there are 2 webhooks, and may be 2/);
  await database.close();
  assert.equal((await ask('GET', '/hooks')).status, 503);
});
