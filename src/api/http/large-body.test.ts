import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listenRaw } from '../../../test/support/raw-connections.ts';
import { until } from '../../../test/support/until.ts';
import { type BodyPiece, bodyOf, bodyPiece, LargeBody, pieceText } from './large-body.ts';
import type { ServerLimits } from './server.ts';

/** Transfers as a page lists them, and their text. */
function transfers(pieces: number): { readonly body: readonly BodyPiece[]; readonly text: string } {
  const texts = Array.from({ length: pieces }, (_, piece) =>
    JSON.stringify(
      Array.from({ length: 2_000 }, (_, i) => ({ amount: `${piece}${i * i}`, sender: 'ST2é', recipient: 'ST3' })),
    ),
  );
  return { body: texts.map(bodyPiece), text: texts.join('') };
}

test('a body of less than a megabyte is one text', () => {
  const { body, text } = transfers(2);
  assert.equal(bodyOf(['[', ...body, ']']), `[${text}]`);
});

test('a large body is what its pieces are, and takes a quarter of the memory until it is sent', async () => {
  const { body, text } = transfers(20);
  assert.equal(body.map(pieceText).join(''), text);
  const large = bodyOf(['[', ...body, ']']);
  assert.ok(large instanceof LargeBody);
  assert.equal(large.bytes, Buffer.byteLength(`[${text}]`));
  assert.ok(large.heldBytes < large.bytes / 4, `${large.heldBytes} of ${large.bytes}`);
  const chunks: Buffer[] = [];
  for await (const chunk of large) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), `[${text}]`);
});

test('one turn of the event loop makes one piece of a large body, however fast its client reads', async () => {
  const large = bodyOf(transfers(20).body);
  assert.ok(large instanceof LargeBody);
  let made = 0;
  large.on('data', () => made++);
  for (let turn = 1; turn <= 10; turn++) {
    await nextTurn();
    assert.ok(made <= turn, `${made} in ${turn} turns`);
  }
  large.destroy();
});

async function listen(t: TestContext, limits: Partial<ServerLimits> = {}) {
  const { body, text } = transfers(150);
  const bodies: LargeBody[] = [];
  const { api, port, open } = await listenRaw(t, limits, api => {
    api.get('/large', async () => {
      const large = bodyOf(body);
      assert.ok(large instanceof LargeBody);
      bodies.push(large);
      return large;
    });
  });
  const held = () => api.clients.ledger.figures().find(({ resource }) => resource === 'unsent_bytes')?.held ?? 0;
  return { port, open, held, text, bodies };
}

test('the response with a large body has its length, and none to HEAD', async t => {
  const { port, text } = await listen(t);
  const [whole] = await once(get({ port, path: '/large', agent: false }), 'response');
  assert.equal(whole.headers['content-length'], String(Buffer.byteLength(text)));
  let bytes = 0;
  for await (const chunk of whole) bytes += chunk.length;
  assert.equal(bytes, Buffer.byteLength(text));
  const [head] = await once(request({ port, path: '/large', method: 'HEAD', agent: false }).end(), 'response');
  assert.deepEqual([head.statusCode, head.headers['content-length']], [200, String(Buffer.byteLength(text))]);
});

test('a client that does not read a large body holds its compressed pieces, and gives them back', async t => {
  const { open, held, bodies } = await listen(t);
  const socket = await open();
  socket.pause().write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(async () => held() > 0, 'the body is not sent');
  const [body] = bodies;
  assert.ok(body !== undefined);
  assert.ok(held() >= body.heldBytes && held() < body.bytes / 4, `${held()} bytes of ${body.bytes}`);
  socket.destroy();
  await until(async () => held() === 0 && body.destroyed, 'nothing is given back');
});

test('a large body above the largest response is refused', async t => {
  const { port } = await listen(t, { maxResponseSize: 2_000_000 });
  const [response] = await once(get({ port, path: '/large', agent: false }), 'response');
  assert.equal(response.statusCode, 400);
  response.resume();
});
