import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { sampleBodies, sampleBurnBlock } from '../../test/support/event-bodies.ts';
import { type Delivery, defaultEventServerLimits, type EventServer, startEventServer } from './event-server.ts';

const running: EventServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()));
});

type Accept = (delivery: Delivery) => Promise<void>;

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
  return { server, lines, url, post };
}

const burnBlock = (height: number) => JSON.stringify({ ...sampleBurnBlock, burn_block_height: height });
const heightOf = ({ event }: Delivery) => (event.path === '/new_burn_block' ? event.burnBlock.burn_block_height : -1);

describe('accepting events', () => {
  it('a good body of every path reaches accept in its bytes and is answered with 200', async () => {
    const deliveries: Delivery[] = [];
    const { post, lines } = await start(async delivery => void deliveries.push(delivery));
    const before = Date.now() * 1000;
    for (const [path, sample] of Object.entries(sampleBodies)) {
      const body = JSON.stringify(sample, null, 1);
      assert.deepEqual(await post(path, body).then(r => [r.status, r.body]), [200, { result: 'ok' }]);
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
      const answer = await post('/new_burn_block', Buffer.from(burnBlock(1)), { headers: { 'content-type': type } });
      assert.equal(answer.status, 200);
    }
  });

  it('acknowledge-only and unknown paths are answered with 200 and not stored', async () => {
    const deliveries: Delivery[] = [];
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
    const { post } = await start(async delivery => {
      log.push(`begin ${heightOf(delivery)}`);
      await delay(20);
      log.push(`end ${heightOf(delivery)}`);
    });
    const posts = [];
    for (const height of [1, 2, 2, 3]) {
      posts.push(post('/new_burn_block', burnBlock(height)));
      await delay(5);
    }
    assert.deepEqual(
      (await Promise.all(posts)).map(r => r.status),
      [200, 200, 200, 200],
    );
    assert.deepEqual(
      log,
      [1, 2, 2, 3].flatMap(height => [`begin ${height}`, `end ${height}`]),
    );
  });

  it('a delivery whose sender hung up before its turn is let go', async () => {
    const heights: number[] = [];
    const { post } = await start(async delivery => {
      heights.push(heightOf(delivery));
      await delay(60);
    });
    const first = post('/new_burn_block', burnBlock(1));
    await delay(15);
    const impatient = post('/new_burn_block', burnBlock(2), { signal: AbortSignal.timeout(15) });
    await assert.rejects(impatient);
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
    ['wrong hex', '/new_mempool_tx', '["0xzz"]', 'field_invalid', /^\[0\] must be 0x-prefixed hex$/],
    ['wrong type', '/new_burn_block', burnBlock(-1), 'field_invalid', /^burn_block_height must be/],
    ['no object', '/drop_mempool_tx', '7', 'field_invalid', /^body must be an object$/],
    ['missing fields', '/new_microblocks', '{}', 'field_invalid', /^parent_index_block_hash must be/],
    ['no array', '/attachments/new', '{}', 'field_invalid', /^body must be an array$/],
  ];
  for (const [what, path, body, code, message] of bad) {
    it(`${what} at ${path}: 400 with what is wrong, and nothing accepted`, async () => {
      let count = 0;
      const { post } = await start(async () => void count++);
      const answer = await post(path, body);
      assert.equal(answer.status, 400);
      assert.deepEqual(
        { ...answer.body, message: '', hint: '' },
        { statusCode: 400, code, error: 'Bad Request', message: '', hint: '' },
      );
      assert.match(String(answer.body.message), message);
      assert.equal(count, 0);
    });
  }

  it('too large: 413, whether or not the length was announced, also on paths that are not read', async () => {
    const { post } = await start(undefined, { maxBodyBytes: 1000 });
    const large = Buffer.alloc(3_000_000, ' ');
    for (const path of ['/new_block', '/stackerdb_chunks']) {
      const answer = await post(path, large);
      assert.equal(answer.status, 413);
      assert.equal(answer.body.code, 'body_too_large');

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
    const answer = await post('/new_burn_block', burnBlock(1));
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.doesNotMatch(JSON.stringify(answer.body), /secret/);
    assert.match(JSON.stringify(lines), /secret/);
    assert.equal((await post('/new_burn_block', burnBlock(1))).status, 200);
  });

  it('a body that stops half way is not accepted', async () => {
    let count = 0;
    const { server, post } = await start(async () => void count++);
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /new_burn_block HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"half');
    await delay(20);
    socket.destroy();
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
    const { server } = await start();
    const answers = async (request: string): Promise<string> => {
      const socket = connect(server.port, '127.0.0.1');
      let text = '';
      socket.on('data', data => {
        text += data;
      });
      socket.write(request);
      await Promise.race([once(socket, 'close'), delay(100)]);
      const state = socket.destroyed ? 'closed' : 'open';
      socket.destroy();
      return `${text.match(/HTTP\/1.1 200/g)?.length} ${state}`;
    };
    const request = (extra: string) => `POST /x HTTP/1.1\r\nHost: x\r\n${extra}Content-Length: 2\r\n\r\n{}`;
    assert.equal(await answers(request('') + request('')), '2 open');
    assert.equal(await answers(request('Connection: close\r\n')), '1 closed');
  });

  it('close finishes what has begun and refuses what has not', async () => {
    const { server, post } = await start(() => delay(50));
    const first = post('/new_burn_block', burnBlock(1));
    await delay(15);
    const second = post('/new_burn_block', burnBlock(2));
    await delay(15);
    await server.close();
    assert.equal((await first).status, 200);
    assert.equal((await second).status, 503);
    await assert.rejects(post('/new_burn_block', burnBlock(3)));
  });

  it('close does not wait for a connection that says nothing', async () => {
    const { server } = await start();
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    await delay(20);
    const before = performance.now();
    await server.close();
    assert.ok(performance.now() - before < 1000);
    socket.destroy();
  });

  it('close does not wait longer than its deadline', async () => {
    const { server, post } = await start(() => new Promise(() => {}), { closeDeadlineMs: 50 });
    const stuck = assert.rejects(post('/new_burn_block', burnBlock(1)));
    await delay(15);
    const before = performance.now();
    await server.close();
    assert.ok(performance.now() - before < 1000);
    await stuck;
  });

  it('a port that is taken rejects', async () => {
    const { server } = await start();
    const options = { host: '127.0.0.1', port: server.port, limits: defaultEventServerLimits, accept: async () => {} };
    await assert.rejects(startEventServer({ ...options, logger: pino({ level: 'silent' }) }), { code: 'EADDRINUSE' });
  });
});
