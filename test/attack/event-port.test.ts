/** Whatever is posted to the event port: a response that says why, nothing half-written, and real events go on. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import type { ArchivedEvent } from '../../src/ingest/node/archive/row.ts';
import { defaultEventServerLimits, startEventServer } from '../../src/ingest/node/event-server.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { casesOf } from '../support/scale.ts';
import { openTestIndex } from '../support/test-index.ts';

const archive = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
const silent = pino({ level: 'silent' });

type Mutation = (body: Buffer, place: number) => Buffer;

const at = (body: Buffer, place: number): number => place % Math.max(body.length, 1);

/** How bytes go wrong. JSON that stays JSON is the business of hostile-events.test.ts. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  truncated: (body, place) => body.subarray(0, at(body, place)),
  'a bit flipped': (body, place) => {
    const changed = Buffer.from(body);
    changed[at(body, place)] = (changed[at(body, place)] ?? 0) ^ (1 << (place % 8));
    return changed;
  },
  'a piece twice': (body, place) => {
    const from = at(body, place);
    return Buffer.concat([body.subarray(0, from + 20), body.subarray(from)]);
  },
  'a piece missing': (body, place) => {
    const from = at(body, place);
    return Buffer.concat([body.subarray(0, from), body.subarray(from + 1 + (place % 50))]);
  },
  'two bodies': body => Buffer.concat([body, body]),
  'bytes that are no UTF-8': (body, place) => {
    const from = at(body, place);
    return Buffer.concat([body.subarray(0, from), Buffer.from([0xc3, 0x28, 0xff]), body.subarray(from)]);
  },
  nested: body => Buffer.concat([Buffer.from('['.repeat(2000)), body, Buffer.from(']'.repeat(2000))]),
  'a huge number': body => Buffer.from(body.toString().replace(/:\s*\d+/, `:${'9'.repeat(400)}`)),
  'a repeated key': body => Buffer.from(body.toString().replace('{', '{"block_height":1,"block_height":-1,')),
};

onSqliteAtLeast((engine, openFresh) => {
  test(`damaged bodies get 200 or 400, and the chain goes on (${engine})`, async t => {
    const events: ArchivedEvent[] = [];
    for await (const row of readArchive(archive)) if (row.kind === 'event') events.push(row);
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const server = await startEventServer({
      host: '127.0.0.1',
      port: 0,
      limits: defaultEventServerLimits,
      logger: silent,
      accept: async delivery => void (await index.deliver(delivery)),
    });
    t.after(() => server.close());
    const post = async (path: string, body: Uint8Array) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method: 'POST',
        body: Buffer.from(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    let next = 0;
    const refused: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(MUTATIONS)), fc.nat(), async (name, place) => {
        const event = events[next++ % events.length];
        if (!event) return;
        const before = await index.journal.length();
        const response = await post(event.path, MUTATIONS[name]?.(Buffer.from(event.body), place) ?? event.body);
        assert.ok(response.status === 200 || response.status === 400, `${name}: ${response.status}`);
        if (response.status === 400) {
          refused[name] = (refused[name] ?? 0) + 1;
          assert.ok(typeof response.body.message === 'string' && response.body.message !== '');
          assert.equal(await index.journal.length(), before, 'nothing of a refused event is stored');
        }
        assert.equal((await post(event.path, event.body)).status, 200, 'the event itself is accepted');
      }),
      { numRuns: casesOf('EVENT_CASES', engine), endOnFailure: true },
    );
    assert.ok(Object.keys(refused).length >= 5, JSON.stringify(refused));
    assert.equal((await index.get('/extended')).body.lag, 0);
    assert.equal((await index.get('/extended/v2/blocks')).status, 200);
  });
});

test('without the shared secret nothing is accepted; with it, as a node sends it, everything is', async t => {
  const accepted: string[] = [];
  const server = await startEventServer({
    host: '127.0.0.1',
    port: 0,
    limits: defaultEventServerLimits,
    logger: silent,
    secret: 'a-shared-secret',
    accept: async ({ path }) => void accepted.push(path),
  });
  t.after(() => server.close());
  const body = JSON.stringify({
    burn_block_hash: `0x${'11'.repeat(32)}`,
    burn_block_height: 1,
    burn_amount: 0,
    reward_recipients: [],
    reward_slot_holders: [],
  });
  const post = (path: string, headers: Record<string, string> = {}, content: string | Blob = body) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', body: content, headers });
  const refused = await post('/new_burn_block');
  assert.equal(refused.status, 403);
  assert.match(JSON.stringify(await refused.json()), /observer/);
  assert.equal((await post('/wrong-secret/new_burn_block')).status, 403);
  assert.equal((await post('/new_burn_block', {}, new Blob([Buffer.alloc(3_000_000, ' ')]))).status, 403);
  assert.deepEqual(accepted, []);
  assert.equal((await post('/a-shared-secret/new_burn_block')).status, 200);
  assert.equal((await post('/new_burn_block', { authorization: 'Bearer a-shared-secret' })).status, 200);
  assert.deepEqual(accepted, ['/new_burn_block', '/new_burn_block']);
});

test('a web page cannot post events through its visitor', async t => {
  const server = await startEventServer({
    host: '127.0.0.1',
    port: 0,
    limits: defaultEventServerLimits,
    logger: silent,
    accept: async () => assert.fail('accepted'),
  });
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/new_burn_block`, {
    method: 'POST',
    body: '{}',
    headers: { origin: 'https://example.com', 'content-type': 'text/plain' },
  });
  assert.equal(response.status, 403);
});
