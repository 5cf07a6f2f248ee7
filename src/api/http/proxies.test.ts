import assert from 'node:assert/strict';
import { createServer as createHttpServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { parseSubnet } from '../../base/net/client-address.ts';
import { createServer } from './server.ts';

/** A proxy as those of `deploy/` are: it connects from an address of its own, and appends that of its client to X-Forwarded-For. */
async function startProxy(t: TestContext, port: number, localAddress: string): Promise<number> {
  const proxy = createHttpServer((incoming, outgoing) => {
    const before = incoming.headers['x-forwarded-for'];
    const client = incoming.socket.remoteAddress ?? '';
    const headers = { ...incoming.headers, 'x-forwarded-for': before ? `${before}, ${client}` : client };
    const { method, url: path } = incoming;
    incoming.pipe(
      request({ host: '127.0.0.1', port, localAddress, method, path, headers }, response => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      }),
    );
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  return (proxy.address() as AddressInfo).port;
}

/** @returns the status and the body */
const get = (port: number, path: string, localAddress: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<readonly [status: number | undefined, text: string]>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, localAddress, headers, agent: false }, async response => {
      const chunks = await response.toArray();
      resolve([response.statusCode, Buffer.concat(chunks).toString()]);
    })
      .on('error', reject)
      .end();
  });

test('clients behind trusted proxies have shares of their own, whatever addresses they name; those of others share one', async t => {
  const trusted = ['127.0.1.0/24'].map(text => parseSubnet(text));
  const trustProxy = trusted.flatMap(subnet => (subnet === undefined ? [] : [subnet]));
  const api = createServer({
    version: '0',
    tip: { current: () => undefined },
    limits: { maxConcurrentRequests: 8, maxShare: 1 / 4 },
    trustProxy,
  });
  api.get('/client', async request => JSON.stringify(request.client));
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  api.get('/slow', async () => going.then(() => '{}'));
  await api.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => api.close());
  const { port } = api.server.address() as AddressInfo;
  const inner = await startProxy(t, port, '127.0.1.1');
  const outer = await startProxy(t, inner, '127.0.1.2');
  const stranger = await startProxy(t, port, '127.0.2.1');
  const forged = { 'x-forwarded-for': '192.0.2.9' };

  assert.deepEqual(await get(outer, '/client', '127.0.3.1', forged), [200, '"127.0.3.1"'], 'through two proxies');
  assert.deepEqual(await get(stranger, '/client', '127.0.3.1', forged), [200, '"127.0.2.1"']);

  const slow = [1, 2].map(() => get(inner, '/slow', '127.0.3.1'));
  const { ledger } = api.clients;
  while (ledger.heldBy('requests', '127.0.3.1') < 2) await new Promise(resolve => setImmediate(resolve));
  const status = async (proxy: number, from: string) => (await get(proxy, '/client', from, forged))[0];
  assert.equal(await status(inner, '127.0.3.1'), 429, 'its share is held');
  assert.equal(await status(outer, '127.0.3.1'), 429, 'through the other proxy, too');
  assert.equal(await status(inner, '127.0.3.2'), 200);
  assert.equal(await status(stranger, '127.0.3.1'), 200, 'it counts for the proxy');
  go();
  assert.deepEqual(
    (await Promise.all(slow)).map(([code]) => code),
    [200, 200],
  );
});
