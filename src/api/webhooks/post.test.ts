import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { signatureOf, WebhookClient } from './post.ts';

const LIMITS = { connectMs: 5000, responseMs: 10_000 };
const NEVER = new AbortController().signal;

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

async function receiver(t: TestContext, respond: (response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ request, body: Buffer.concat(chunks).toString() });
    respond(response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1`) };
}

const clientFor = (url: URL, limits = LIMITS) =>
  new WebhookClient({ allowHosts: [url.host], limits, version: '0.0.0' });

test('a body is posted with a signature that the receiver can check', async t => {
  const { received, url } = await receiver(t, response => response.end('thanks'));
  const body = '{"hook":"a","events":["ä"]}';
  const header = signatureOf(body, 'secret', 1_700_000_000);
  assert.deepEqual(await clientFor(url).post(url, body, header, NEVER), { ok: true, value: true });
  const [{ request, body: got } = assert.fail()] = received;
  assert.equal(got, body);
  assert.equal(request.method, 'POST');
  assert.equal(request.url, '/hook?key=1');
  assert.match(request.headers['content-type'] ?? '', /^application\/json/);
  const [, t0, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['x-stacks-index-signature'])) ?? [];
  assert.equal(v1, createHmac('sha256', 'secret').update(`${t0}.${got}`).digest('hex'));
});

test('only a status of success confirms, and redirects are not followed', async t => {
  for (const [status, confirms] of [
    [200, true],
    [204, true],
    [302, false],
    [400, false],
    [500, false],
  ] as const) {
    const { received, url } = await receiver(t, response => response.writeHead(status, { location: '/other' }).end());
    const sent = await clientFor(url).post(url, '{}', 't', NEVER);
    assert.deepEqual(sent, confirms ? { ok: true, value: true } : { ok: false, error: `status ${status}` });
    assert.equal(received.length, 1);
  }
});

test('a receiver that never answers is given up', async t => {
  const { url } = await receiver(t, () => undefined);
  const sent = await clientFor(url, { ...LIMITS, responseMs: 50 }).post(url, '{}', 't', NEVER);
  assert.deepEqual(sent, { ok: false, error: 'took too long' });
});

test('private addresses are not asked, whether the URL names them or a name leads to them', async t => {
  const { received, url } = await receiver(t, response => response.end());
  const resolver = async () => [{ address: '127.0.0.1', family: 4 }];
  const client = new WebhookClient({ allowHosts: [], limits: LIMITS, version: '0.0.0', resolver });
  for (const target of [
    url.href,
    'http://127.0.0.1/',
    'http://169.254.169.254/',
    'http://localhost/',
    'ftp://example.com/',
  ])
    assert.ok(client.refusal(new URL(target)), target);
  assert.equal((await client.post(url, '{}', 't', NEVER)).ok, false);
  const named = await client.post(new URL('http://example.com/'), '{}', 't', NEVER);
  assert.deepEqual(named, { ok: false, error: 'example.com is at 127.0.0.1, which is not public' });
  assert.equal(received.length, 0);
});
