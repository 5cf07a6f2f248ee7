import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { enlargedBody } from '../../../test/support/enlarged-body.ts';
import { LONGEST_TURN, turnsDuring } from '../../../test/support/loop-turns.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { defaultEventLimits } from '../../ingest/node/events/json.ts';
import { wholeBody } from '../../ingest/node/request-body.ts';
import { openJournal } from '../storage/storage.ts';
import { startEventPort } from './event-port.ts';
import { largeBodiesInThread } from './large-bodies.ts';

const POST = { path: '/new_block', receivedAt: 1_700_000_000_000_000 };
const TESTNET = 0x80000000;

async function open(t: TestContext, chainId: number | undefined = TESTNET) {
  const data = mkdtempSync(join(tmpdir(), 'large-bodies-'));
  const { journalDb } = await openJournal({ data, database: undefined });
  const thread = largeBodiesInThread({
    ...{ data, database: undefined, chainId, limits: defaultEventLimits, writeTimeoutMs: 10_000, maxWaitingBytes: 1e9 },
  });
  t.after(async () => {
    await thread.close();
    await journalDb.close();
    rmSync(data, { recursive: true });
  });
  return { thread, journal: new Journal(journalDb) };
}

const built = new ChainBuilder('large bodies').block();

const largeBody = (bytes: number): Buffer => enlargedBody(built.delivery.body, bytes);

const parts = (body: Uint8Array) => [body.slice(0, 1_000_000), body.slice(1_000_000)].map(part => new Uint8Array(part));

test('a large body is checked as others are, and is in the journal byte for byte once it is stored', async t => {
  const { thread, journal } = await open(t);
  const body = largeBody(2_000_000);
  const checked = await thread.check(POST, parts(body));
  assert.ok(checked.ok, JSON.stringify(checked));
  const { event, summary } = checked.value;
  assert.ok(event.path === '/new_block');
  assert.equal(event.block.index_block_hash, built.indexHash);
  assert.deepEqual([event.block.transactions, event.block.events], [[], []]);
  assert.deepEqual(summary, { height: 1, hash: built.indexHash });
  assert.equal(await journal.length(), 0);
  const entry = await thread.store();
  assert.equal(entry?.seq, 1);
  assert.ok(Buffer.from((await journal.entry(1))?.body ?? []).equals(body));
  assert.ok((await thread.check(POST, parts(body))).ok);
  assert.equal(await thread.store(), undefined, 'the same body again is no news');
});

test('a large body that comes while an archive is loaded waits for its end', async t => {
  const { thread, journal } = await open(t);
  await journal.beginLoads(['/archive.zst']);
  assert.ok((await thread.check(POST, parts(largeBody(2_000_000)))).ok);
  assert.equal(await thread.store(), undefined);
  assert.equal(await journal.length(), 0);
  await journal.beginLoads([]);
  assert.equal(await journal.joinWaiting(), 1);
  assert.equal(await journal.length(), 1);
});

test('a large body that is malformed or of another network is refused with the reason', async t => {
  const { thread } = await open(t, 1);
  const other = await thread.check(POST, parts(largeBody(2_000_000)));
  assert.ok(!other.ok && other.error.code === 'wrong_network');
  const cut = await thread.check(POST, parts(largeBody(2_000_000).subarray(0, 1_500_000)));
  assert.ok(!cut.ok && cut.error.code === 'body_not_json');
});

test('a body in one piece has the memory of its parts', () => {
  const body = largeBody(3_000_000);
  const halves = parts(body);
  assert.ok(body.equals(wholeBody(halves)));
  assert.deepEqual(
    halves.map(({ length }) => length),
    [0, 0],
  );
});

test('what a large body has in progress is cut off when the thread is closed', async t => {
  const { thread } = await open(t);
  const checking = thread.check(POST, parts(largeBody(20_000_000)));
  await Promise.all([assert.rejects(checking, { name: 'ThreadEnded' }), thread.close()]);
});

/** The turns of the event loop while a body is posted to an event port, of its sender too, which is in this process. */
async function turnsOfPost(t: TestContext, body: Buffer): Promise<{ longest: number; entries: number }> {
  const { thread, journal } = await open(t);
  const options = { eventHost: '127.0.0.1', eventPort: 0, eventSecret: undefined, maxGaps: 1 };
  const port = await startEventPort(
    { ...options, maxEventBytes: 50_000_000, maxEventNesting: 100 },
    {
      logger: pino({ level: 'silent' }),
      onEvent: () => undefined,
      known: { isKnown: async () => true, gaps: async () => [] },
      accept: () => Promise.reject(new Error('a large body was checked in this thread')),
      large: {
        check: thread.check,
        accept: async () => {
          const entry = await thread.store();
          if (entry) journal.storedElsewhere(entry);
        },
      },
    },
  );
  t.after(() => port.close());
  const post = async () => {
    const headers = { 'content-length': body.length };
    const sent = request({
      port: port.port,
      host: '127.0.0.1',
      path: '/new_block',
      method: 'POST',
      headers,
      agent: false,
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    assert.equal(response.statusCode, 200);
    response.resume();
  };
  const { longest } = await turnsDuring(post);
  return { longest, entries: await journal.length() };
}

test('a post of 20 MB keeps no turn of the event loop for long', async t => {
  await turnsOfPost(t, largeBody(2_000_000)); // loads what is needed
  const { longest, entries } = await turnsOfPost(t, largeBody(20_000_000));
  assert.equal(entries, 1);
  assert.ok(longest < LONGEST_TURN, `${longest} ms`);
});
