import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { listenRaw, nextStatus } from '../../../test/support/raw-connections.ts';
import { until } from '../../../test/support/until.ts';
import type { ServerLimits } from './server.ts';

async function listen(t: TestContext, limits: Partial<ServerLimits>) {
  const { api, port, open } = await listenRaw(t, limits, api => {
    api.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    api.post('/size', async request => JSON.stringify((request.body as Buffer).length));
  });
  /** Sends the head of a POST, and the beginning of its body. */
  const post = async (announced: number, sent: number, from?: string) => {
    const socket = await open(from);
    socket.write(`POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: ${announced}\r\n\r\n${'x'.repeat(sent)}`);
    return socket;
  };
  return { api, port, post, held: () => api.clients.ledger.held('received_bytes') };
}

test('a body counts from its first byte until the response is sent, and takes no place of requests meanwhile', async t => {
  const { api, post, held } = await listen(t, { maxConcurrentRequests: 4 });
  const uploads = await Promise.all(Array.from({ length: 20 }, () => post(100, 60)));
  await until(() => held() === 1200, 'not all bodies are counted');
  assert.equal(api.clients.ledger.held('requests'), 0);
  const [first] = uploads;
  assert.ok(first);
  first.write('x'.repeat(40));
  assert.equal(await nextStatus(first), '200');
  for (const upload of uploads) upload.destroy();
  await until(() => held() === 0, 'something stays counted');
});

test('an address sends no more than its share, and others still send', async t => {
  const { post } = await listen(t, { maxReceivedBytes: 400_000 });
  await post(200_000, 90_000, '127.0.0.2');
  const refused = await post(200_000, 90_000, '127.0.0.2');
  assert.equal(await nextStatus(refused), '429');
  await once(refused, 'close');
  assert.equal(await nextStatus(await post(90_000, 90_000, '127.0.0.3')), '200');
});

test('when all memory is held, the slowest upload of the largest holder ends', async t => {
  const { post, held } = await listen(t, { maxReceivedBytes: 400_000, maxShare: 0.5 });
  const slow = await post(150_000, 10_000, '127.0.0.2');
  await until(() => held() === 10_000, 'the first does not arrive');
  const fast = await post(150_000, 140_000, '127.0.0.2');
  const large = await post(240_000, 180_000, '127.0.0.3');
  await until(() => held() === 330_000, 'not all arrive');
  const statuses = [slow, fast, large].map(nextStatus);
  assert.equal(await nextStatus(await post(75_000, 75_000, '127.0.0.4')), '200');
  assert.equal(await Promise.race(statuses), '503');
  assert.equal(await statuses[2], '503', 'that of the largest holder');
});

test('an upload that is slower than the minimum is a 408, and its connection is closed', async t => {
  const { post, held } = await listen(t, { minUpload: 1000, uploadWindow: 200 });
  const silent = await post(200_000, 3);
  const steady = await post(200_000, 3);
  const timer = setInterval(() => steady.write('x'.repeat(100)), 20);
  t.after(() => clearInterval(timer));
  assert.equal(await nextStatus(silent), '408');
  await once(silent, 'close');
  assert.ok(held() > 3);
  assert.ok(!steady.destroyed);
});
