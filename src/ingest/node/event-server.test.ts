import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { sampleBodies, sampleBurnBlock } from '../../../test/support/event-bodies.ts';
import { type CheckedDelivery, defaultEventServerLimits, type EventServer, startEventServer } from './event-server.ts';

const running: EventServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()));
});

type Accept = (delivery: CheckedDelivery) => Promise<void>;

async function start(accept: Accept = async () => {}, limits: Partial<typeof defaultEventServerLimits> = {}) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: text => void lines.push(JSON.parse(text)) });
  const server = await startEventServer({
    host: '127.0.0.1',
    port: 0,
    limits: { ...defaultEventServerLimits, ...limits },
    logger,
    accept,
  });
  running.push(server);
  const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  const post = async (path: string, body: string | Uint8Array, init: RequestInit = {}) => {
    const content = typeof body === 'string' ? body : Buffer.from(body);
    const response = await fetch(url(path), { method: 'POST', body: content, ...init });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string | number>,
    };
  };
  const socket = async (text: string): Promise<Socket> => {
    const opened = connect(server.port, '127.0.0.1');
    await once(opened, 'connect');
    opened.write(text);
    await caughtUp();
    return opened;
  };
  /** Resolves when the server has read what came before, and has seen who hung up: another request is answered, twice. */
  const caughtUp = async () => {
    for (let i = 0; i < 2; i++) await (await fetch(url('/'))).text();
  };
  return { server, lines, url, post, socket, caughtUp };
}

/** A request as it is sent, to keep the connection or not. */
const request = (body: string, headers = '') =>
  `POST /new_burn_block HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Waits for so many responses on a connection. */
function untilResponses(socket: Socket, count: number): Promise<void> {
  return new Promise(resolve => {
    let text = '';
    const read = (data: Buffer) => {
      text += data;
      if ((text.match(/HTTP\/1.1 200/g)?.length ?? 0) < count) return;
      socket.off('data', read);
      resolve();
    };
    socket.on('data', read);
  });
}

const burnBlock = (height: number) => JSON.stringify({ ...sampleBurnBlock, burn_block_height: height });
const heightOf = ({ event }: CheckedDelivery) =>
  event.path === '/new_burn_block' ? event.burnBlock.burn_block_height : -1;

describe('accepting events', () => {
  it('a good body of every path reaches accept in its bytes and gets 200', async () => {
    const deliveries: CheckedDelivery[] = [];
    const { post, lines } = await start(async delivery => void deliveries.push(delivery));
    const before = Date.now() * 1000;
    for (const [path, sample] of Object.entries(sampleBodies)) {
      const body = JSON.stringify(sample, null, 1);
      const response = await post(path, body);
      assert.deepEqual([response.status, response.body], [200, { result: 'ok' }]);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      const last = deliveries.at(-1);
      assert.ok(last);
      assert.equal(last.path, path);
      assert.equal(last.event.path, path);
      assert.equal(Buffer.from(last.body).toString(), body);
      assert.ok(last.receivedAt >= before && last.receivedAt <= Date.now() * 1000);
    }
    assert.equal(lines.length, Object.keys(sampleBodies).length);
    assert.equal(lines[0]?.height, 7);
    assert.equal(lines[0]?.bytes, JSON.stringify(sampleBodies['/new_block'], null, 1).length);
  });

  it('a body is read as bytes whatever its content type says', async () => {
    const { post } = await start();
    for (const type of ['text/plain', 'application/json; charset=latin1', 'multipart/form-data']) {
      const response = await post('/new_burn_block', Buffer.from(burnBlock(1)), { headers: { 'content-type': type } });
      assert.equal(response.status, 200);
    }
  });

  it('acknowledge-only and unknown paths get 200 and are not stored', async () => {
    const deliveries: CheckedDelivery[] = [];
    const { post } = await start(async delivery => void deliveries.push(delivery));
    for (const path of [
      '/stackerdb_chunks',
      '/proposal_response',
      '/mined_block',
      '/mined_microblock',
      '/mined_nakamoto_block',
    ]) {
      assert.equal((await post(path, '{"any":1}')).status, 200);
    }
    assert.deepEqual((await post('/from_the_future', 'not json')).body, { result: 'ok' });
    assert.equal(deliveries.length, 0);
  });

  it('deliveries are handled one at a time, in the order they came, also repeated ones', async () => {
    const log: string[] = [];
    const { socket } = await start(async delivery => {
      log.push(`begin ${heightOf(delivery)}`);
      await delay(20); // would let the next one in
      log.push(`end ${heightOf(delivery)}`);
    });
    // On one connection, so that they come in this order.
    await untilResponses(await socket([1, 2, 2, 3].map(height => request(burnBlock(height))).join('')), 4);
    assert.deepEqual(
      log,
      [1, 2, 2, 3].flatMap(height => [`begin ${height}`, `end ${height}`]),
    );
  });

  it('a delivery whose sender hung up before its turn is let go', async () => {
    const heights: number[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { post, socket, caughtUp } = await start(delivery => {
      heights.push(heightOf(delivery));
      return released;
    });
    const first = post('/new_burn_block', burnBlock(1));
    await caughtUp();
    const impatient = await socket(request(burnBlock(2)));
    impatient.destroy();
    await caughtUp();
    release();
    await first;
    await post('/new_burn_block', burnBlock(3));
    assert.deepEqual(heights, [1, 3]);
  });
});

describe('refusing events', () => {
  const bad: readonly (readonly [what: string, path: string, body: string, code: string, message: RegExp])[] = [
    ['empty', '/new_block', '', 'body_empty', /body is empty/],
    ['truncated JSON', '/new_block', '{"block_hash": "0x', 'body_not_json', /not JSON/],
    ['not an object', '/new_block', '[]', 'field_invalid', /^body must be an object$/],
    ['deep nesting', '/new_block', '['.repeat(100_000), 'body_too_deep', /deeper than 512/],
    ['wrong hex', '/new_mempool_tx', '["0xzz"]', 'field_invalid', /^\[0\] must be 0x-prefixed hex; it is "0xzz"$/],
    ['wrong type', '/new_burn_block', burnBlock(-1), 'field_invalid', /^burn_block_height must be/],
    ['no object', '/drop_mempool_tx', '7', 'field_invalid', /^body must be an object$/],
    ['missing fields', '/new_microblocks', '{}', 'field_invalid', /^parent_index_block_hash must be/],
    ['no array', '/attachments/new', '{}', 'field_invalid', /^body must be an array$/],
  ];
  for (const [what, path, body, code, message] of bad) {
    it(`${what} at ${path}: 400 with what is wrong, and nothing accepted`, async () => {
      let count = 0;
      const { post } = await start(async () => void count++);
      const response = await post(path, body);
      assert.equal(response.status, 400);
      assert.deepEqual(
        { ...response.body, message: '', hint: '' },
        { statusCode: 400, code, error: 'Bad Request', message: '', hint: '' },
      );
      assert.match(String(response.body.message), message);
      assert.equal(count, 0);
    });
  }

  it('too large: 413, whether or not the length was announced, also on paths that are not read', async () => {
    const { post } = await start(undefined, { maxBodyBytes: 1000 });
    const large = Buffer.alloc(3_000_000, ' ');
    for (const path of ['/new_block', '/stackerdb_chunks']) {
      const response = await post(path, large);
      assert.equal(response.status, 413);
      assert.equal(response.body.code, 'body_too_large');

      const unannounced = new Blob([large]).stream();
      const init = { body: unannounced, duplex: 'half' } as RequestInit;
      assert.equal((await post(path, '', init)).status, 413);
    }
    assert.equal((await post('/new_burn_block', burnBlock(1))).status, 200);
  });

  it('when accept fails: 503 with Retry-After and no detail; the detail is logged and the next event is handled', async () => {
    let attempts = 0;
    const { post, lines } = await start(async () => {
      if (++attempts === 1) throw new Error('disk /secret/path is full');
    });
    const response = await post('/new_burn_block', burnBlock(1));
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('retry-after'), '1');
    assert.doesNotMatch(JSON.stringify(response.body), /secret/);
    assert.match(JSON.stringify(lines), /secret/);
    assert.equal((await post('/new_burn_block', burnBlock(1))).status, 200);
  });

  it('a body that stops half way is not accepted', async () => {
    let count = 0;
    const { post, socket, caughtUp } = await start(async () => void count++);
    const half = await socket('POST /new_burn_block HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"half');
    half.destroy();
    await caughtUp();
    assert.equal((await post('/new_burn_block', burnBlock(1))).status, 200);
    assert.equal(count, 1);
  });
});

describe('the rest of HTTP', () => {
  it('GET / says ready; other methods and places are refused', async () => {
    const { url } = await start();
    const root = await fetch(url('/'));
    assert.deepEqual([root.status, await root.json()], [200, { status: 'ready' }]);
    assert.equal((await fetch(url('/'), { method: 'HEAD' })).status, 200);
    assert.equal((await fetch(url('/nowhere'))).status, 404);
    const wrongMethod = await fetch(url('/new_block'));
    assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'POST']);
  });

  it('a connection is kept, or closed when the sender asks for it', async () => {
    const { socket } = await start();
    const kept = await socket(request(burnBlock(1)));
    await untilResponses(kept, 1);
    kept.write(request(burnBlock(2)));
    await untilResponses(kept, 1);
    kept.destroy();
    const closed = await socket(request(burnBlock(3), 'Connection: close\r\n'));
    const ended = once(closed, 'end');
    await untilResponses(closed, 1);
    await ended;
  });

  it('close finishes what has begun and refuses what has not', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { server, post, caughtUp } = await start(() => released);
    const first = post('/new_burn_block', burnBlock(1));
    await caughtUp();
    const second = post('/new_burn_block', burnBlock(2));
    await caughtUp();
    const closed = server.close();
    release();
    await closed;
    assert.equal((await first).status, 200);
    assert.equal((await second).status, 503);
    await assert.rejects(post('/new_burn_block', burnBlock(3)));
  });

  it('close does not wait for a connection that says nothing', async () => {
    const { server, socket } = await start(undefined, { closeDeadlineMs: 2 ** 31 - 1 });
    const silent = await socket('');
    await server.close();
    silent.destroy();
  });

  it('close does not wait longer than its deadline', async () => {
    const { server, post, caughtUp } = await start(() => new Promise(() => {}), { closeDeadlineMs: 50 });
    const stuck = assert.rejects(post('/new_burn_block', burnBlock(1)));
    await caughtUp();
    await server.close();
    await stuck;
  });

  it('a port that is taken rejects', async () => {
    const { server } = await start();
    const options = { host: '127.0.0.1', port: server.port, limits: defaultEventServerLimits, accept: async () => {} };
    await assert.rejects(startEventServer({ ...options, logger: pino({ level: 'silent' }) }), { code: 'EADDRINUSE' });
  });
});
