import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { missingPostgres, type OwnServer, present, startOwnPostgres } from '../support/postgres.ts';
import { atLength, scale } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { runProgram, runServer, type Server, untilIndexed } from './program.ts';
import { seededRandom } from './random.ts';
import { assertComplete, journalOfDelivered, journalOfReplayed } from './reference.ts';
import { cutArchive } from './replay.ts';
import { eventsOfARound } from './round.ts';
import { type CrashStore, schemaStore } from './store.ts';

/** Tries of one event; a node tries for ever. */

let server: OwnServer;
const events = eventsOfARound().slice(0, scale === 'short' ? 60 : undefined);
/** Events before an outage, and as many during it. */
const STEP = scale === 'short' ? 25 : 90;

/** As a node: an event that is not accepted is sent again a little later. */
async function deliver(serve: Server, from: number, to: number, onRefused: () => void = () => {}): Promise<void> {
  for (const event of events.slice(from, to)) {
    const isAccepted = async () => {
      const { status, retryAfter, text } = await serve.post(event);
      if (status === 200) return true;
      assert.equal(status, 503, `${text}\n${serve.output().slice(-3000)}`);
      assert.match(retryAfter ?? '', /^\d+$/);
      onRefused();
      return false;
    };
    await until(isAccepted, 'the event is refused for ever', serve);
  }
}

async function withStore(work: (store: CrashStore) => Promise<void>): Promise<void> {
  const store = schemaStore(server.url);
  try {
    await work(store);
  } finally {
    await store.remove();
  }
}

async function withServer(store: CrashStore, work: (serve: Server) => Promise<void>): Promise<void> {
  const serve = await runServer(store.args);
  try {
    assert.ok(await serve.ready, serve.output());
    await work(serve);
  } finally {
    await serve.kill();
  }
}

describe('PostgreSQL goes away and comes back', { skip: missingPostgres() }, () => {
  before(async () => {
    server = present(await startOwnPostgres());
  });
  after(() => server.stop());

  test('serve lives through it: 503 with Retry-After meanwhile, then it goes on by itself', () =>
    withStore(store =>
      withServer(store, async serve => {
        const expected = await journalOfDelivered(events);
        const outages = scale === 'short' ? (['SIGQUIT'] as const) : (['SIGINT', 'SIGQUIT', 'SIGINT'] as const);
        for (const [i, signal] of outages.entries()) {
          const from = i * 2 * STEP;
          await deliver(serve, from, from + STEP);
          await server.interrupt(signal);
          // The newest blocks and transactions may still be answered, from memory.
          for (const path of ['/extended/v2/blocks/1', '/extended/v1/burnchain/reward_slot_holders', '/readyz']) {
            const { status, retryAfter, text } = await serve.get(path);
            assert.equal(status, 503, `${path}: ${text}`);
            assert.match(retryAfter ?? '', /^\d+$/, path);
          }
          assert.equal((await serve.get('/livez')).status, 200);
          assert.equal((await serve.get('/extended')).status, 200);
          let refused = 0;
          const delivered = deliver(serve, from + STEP, from + 2 * STEP, () => refused++);
          await until(() => refused >= 3, 'no event is refused', serve).finally(() => server.resume());
          await delivered;
          assert.equal((await serve.get('/extended/v2/blocks')).status, 200);
        }
        await deliver(serve, outages.length * 2 * STEP, events.length);
        await untilIndexed(serve);
        await assertComplete(store, expected);
        assert.equal((await serve.kill('SIGTERM')).code, 0, serve.output());
      }),
    ));

  test('an index that cannot be written any more ends serve with 1 and says what to do', { skip: atLength }, () =>
    withStore(store =>
      withServer(store, async serve => {
        await deliver(serve, 0, 20);
        await untilIndexed(serve);
        await store.look(({ indexDb }) => indexDb.write(tx => tx.run('DROP TABLE txs')));
        for (const event of events.slice(20, 60)) await serve.post(event);
        assert.equal((await serve.ended).code, 1, serve.output());
        assert.match(serve.output(), /^stacks-index: PostgreSQL: .*txs.*\n.*another version/m);
      }),
    ),
  );

  const skip = scale === 'short' && 'npm run test:all takes it away from a replay';
  test('replay waits for it and goes on', { skip }, t =>
    withStore(async store => {
      const random = seededRandom(5);
      const directory = mkdtempSync(join(tmpdir(), 'stacks-archives-'));
      t.after(() => rmSync(directory, { recursive: true, force: true }));
      const replay = runProgram(['replay', ...cutArchive(directory, random), ...store.args]);
      t.after(() => replay.kill());
      await until(() => replay.output().includes('100%'), 'no file is loaded', replay);
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        const tries = () => replay.output().split('Trying again').length;
        const before = tries();
        await server.interrupt(signal);
        await until(() => tries() > before, 'the replay does not notice', replay).finally(() => server.resume());
        await delay(random.int(50, 300));
      }
      assert.equal((await replay.ended).code, 0, replay.output());
      await assertComplete(store, await journalOfReplayed(events));
    }),
  );

  const uncut = scale === 'short' && 'npm run test:all cuts them';
  test('connections cut at any instant, also within a commit, store and apply nothing twice', { skip: uncut }, () =>
    withStore(store =>
      withServer(store, async serve => {
        const random = seededRandom(7);
        let accepted = 0;
        const cutting = new AbortController();
        const cuts = cutConnections(server.url, cutting.signal, async () => {
          // However slow the machine is, something is stored between two cuts.
          const before = accepted;
          await until(() => accepted > before || cutting.signal.aborted, 'no event is accepted', serve);
          await delay(random.next() * 60);
        });
        for (; accepted < events.length; accepted++) await deliver(serve, accepted, accepted + 1);
        cutting.abort();
        assert.ok((await cuts) > 10);
        await untilIndexed(serve);
        await assertComplete(store, await journalOfDelivered(events));
      }),
    ),
  );
});

/** Ends every connection of the program again and again. @returns how many were ended */
async function cutConnections(url: string, signal: AbortSignal, pause: () => Promise<void>): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = `SELECT count(pg_terminate_backend(pid))::int AS cut FROM pg_stat_activity WHERE application_name = 'stacks-index'`;
  let cut = 0;
  try {
    while (!signal.aborted) {
      await pause();
      cut += (await client.query<{ cut: number }>(sql)).rows[0]?.cut ?? 0;
    }
  } finally {
    await client.end();
  }
  return cut;
}
