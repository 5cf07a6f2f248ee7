import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BodyBuffers } from './body-buffers.ts';
import { createServer } from './server.ts';

/** A body that no other request has. */
const bodyOf = (name: string, length: number): string => JSON.stringify(`${name} `.repeat(length).slice(0, length));

async function listen(t: TestContext): Promise<number> {
  const api = createServer({
    version: '0',
    tip: { current: () => undefined },
    limits: { maxWait: 60_000, maxPipelinedRequests: 200 },
  });
  api.get('/:name/:length', async request => {
    const { name, length } = request.params as { name: string; length: string };
    return bodyOf(name, Number(length));
  });
  await api.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => api.close());
  return (api.server.address() as AddressInfo).port;
}

/** Extracts the bodies of the responses from the bytes of a connection. */
function bodiesIn(bytes: Buffer): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', at, headEnd))?.[1]);
    bodies.push(bytes.toString('utf8', headEnd, headEnd + length));
    at = headEnd + length;
  }
  return bodies;
}

/**
 * Sends all of these requests on one connection before it reads the first response; the connection ends after the last.
 */
async function pipelined(port: number, paths: readonly string[], beforeReading?: () => Promise<void>) {
  const socket = connect(port, '127.0.0.1').pause();
  await once(socket, 'connect');
  const head = (path: string, last: boolean) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  socket.write(paths.map((path, i) => head(path, i === paths.length - 1)).join(''));
  await beforeReading?.();
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return bodiesIn(Buffer.concat(chunks));
}

test('requests sent before their responses are read get them in their order', async t => {
  const port = await listen(t);
  const sizes = [10, 40_000, 3, 9_000, 200_000, 1];
  const bodies = await pipelined(
    port,
    sizes.map((size, i) => `/p${i}/${size}`),
  );
  assert.deepEqual(
    bodies,
    sizes.map((size, i) => bodyOf(`p${i}`, size)),
  );
});

test('no body is overwritten by others while its client is slow to read it', async t => {
  const port = await listen(t);
  // First more than the kernel takes, in bodies that are too large for a lent buffer.
  const sizes = Array.from({ length: 130 }, (_, i) => (i < 100 ? 200_000 : 100_000));
  const read = await pipelined(
    port,
    sizes.map((size, i) => `/slow${i}/${size}`),
    async () => {
      for (let i = 0; i < 100; i++) {
        const response = await fetch(`http://127.0.0.1:${port}/fast${i}/100000`);
        assert.equal(await response.text(), bodyOf(`fast${i}`, 100_000));
      }
    },
  );
  assert.equal(read.length, sizes.length);
  for (const [i, size] of sizes.entries())
    assert.ok(read[i] === bodyOf(`slow${i}`, size), `response ${i} of ${read[i]?.length}`);
});

test('downloads that are given up leave as many buffers to lend as there were', () => {
  const buffers = new BodyBuffers();
  const respond = (isFinished: boolean): boolean => {
    const response = Object.assign(new EventEmitter(), { writableFinished: isFinished });
    const body = buffers.encode('x'.repeat(10_000), response as unknown as ServerResponse);
    response.emit('close');
    return body instanceof Buffer && body.buffer.byteLength > 100_000;
  };
  for (let i = 0; i < 100; i++) respond(false);
  assert.ok(respond(true), 'memory of its own in place of a lent buffer');
});

test('text of any length and of any characters arrives as it is', async t => {
  const port = await listen(t);
  for (const name of ['a', 'é', '漢', '😀']) {
    for (const length of [8000, 8190, 8192, 50_000, 131_070, 131_072, 200_000]) {
      const response = await fetch(`http://127.0.0.1:${port}/${encodeURIComponent(name)}/${length}`);
      const expected = bodyOf(name, length);
      assert.equal(await response.text(), expected);
      assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(expected)));
    }
  }
});
