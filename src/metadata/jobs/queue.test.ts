import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { MetadataWorld } from '../../../test/support/metadata-world.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { fail, ok } from '../../base/lib/result.ts';
import { openDatabase } from '../../base/store/open.ts';
import { metadataError } from '../errors.ts';
import { createJobs, type JobRequest, lockJobs } from './enqueue.ts';
import { type Job, PRIORITY } from './job.ts';
import { JobQueue } from './queue.ts';

const request = (contractId: string, token: number, priority: number = PRIORITY.first): JobRequest => ({
  contractId,
  token: String(token),
  kind: 'token',
  priority,
  cause: 'test',
});

async function make(world: MetadataWorld, requests: readonly JobRequest[]): Promise<void> {
  await world.db.write(async tx => {
    await lockJobs(tx);
    await createJobs(tx, requests, world.now);
  });
}

const tokens = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const name = ({ contractId, token }: Job) => `${contractId} ${token}`;

onEveryEngine((engine, openFresh) => {
  test('two workers with 1,000 jobs run each job once', async t => {
    const { database, location } = await openFresh(t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      tokens(1_000).map(token => request(`A${token % 7}.x`, token)),
    );
    // On PostgreSQL another process; SQLite has one writer anyway.
    const second = engine === 'postgres' ? openDatabase(location) : database;
    const queues = [world.queue, new JobQueue({ db: second, limits: world.limits, now: () => world.now })];
    const ran: string[] = [];
    const work = async (queue: JobQueue) => {
      for (;;) {
        const jobs = await queue.claim(10);
        if (jobs.length === 0) return;
        for (const job of jobs) {
          ran.push(name(job));
          assert.equal(await queue.finish(job, ok({})), true);
        }
      }
    };
    await Promise.all(queues.map(work));
    if (second !== database) await second.close();
    assert.equal(ran.length, 1_000);
    assert.equal(new Set(ran).size, 1_000);
    assert.equal(await world.jobs('done'), 1_000);
  });

  test('workers that change the same jobs in different orders take turns', async t => {
    const { database, location } = await openFresh(t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      tokens(200).map(token => request('A.x', token)),
    );
    const second = engine === 'postgres' ? openDatabase(location) : database;
    const other = new JobQueue({ db: second, limits: world.limits, now: () => world.now });
    for (let round = 0; round < 3; round++) {
      const jobs = await world.queue.claim(200);
      assert.equal(jobs.length, 200);
      await Promise.all([world.queue.release(jobs), other.release(jobs.toReversed())]);
    }
    if (second !== database) await second.close();
  });
});

onSqliteAtLeast((_, openFresh) => {
  test('a contract of many tokens does not keep a new single token waiting', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      tokens(5_000).map(token => request('A.many', token)),
    );
    await world.queue.claim(10);
    await make(world, [request('A.single', 1)]);
    assert.ok((await world.queue.claim(10)).map(name).includes('A.single 1'));
  });

  test('what clients ask for comes first, then new tokens, then refreshes, then what was enumerated', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      [3, 1, 0, 2].map(priority => request('A.x', priority, priority)),
    );
    const order: string[] = [];
    for (let i = 0; i < 4; i++) order.push(...(await world.queue.claim(1)).map(({ token }) => token));
    assert.deepEqual(order, ['0', '1', '2', '3']);
  });

  test('contracts take turns', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      tokens(3).flatMap(token => ['A.a', 'B.b', 'C.c'].map(contract => request(contract, token))),
    );
    const turns: string[] = [];
    for (let i = 0; i < 6; i++) turns.push(...(await world.queue.claim(1)).map(({ contractId }) => contractId));
    assert.deepEqual(turns, ['A.a', 'B.b', 'C.c', 'A.a', 'B.b', 'C.c']);
  });

  test('many contracts that wait for their time hide no job that is due', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('Z.due', 1)]);
    world.now += 60_000;
    await make(
      world,
      tokens(350).map(i => request(`B${i}.later`, i)),
    );
    world.now -= 60_000;
    const found: string[] = [];
    for (let round = 0; round < 5; round++) found.push(...(await world.queue.claim(1)).map(name));
    assert.deepEqual(found, ['Z.due 1']);
  });

  test('no more jobs of a contract are taken than there is room for', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(
      world,
      tokens(9).flatMap(token => [request('A.a', token), request('B.b', token)]),
    );
    const jobs = await world.queue.claim(10, 'others', contractId => (contractId === 'A.a' ? 2 : 20));
    assert.equal(jobs.filter(({ contractId }) => contractId === 'A.a').length, 2);
    const none = await world.queue.claim(10, 'others', () => 0);
    assert.deepEqual(none, []);
  });

  test('a killed worker: the lease ends, the job runs again, and what comes from the first is dropped', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('A.x', 1)]);
    const [killed] = await world.queue.claim(1);
    assert.ok(killed);
    const others = world.openQueue();
    assert.equal(await others.expire(), 0);
    assert.deepEqual(await others.claim(1), []);
    world.now += world.limits.jobMs + world.limits.leaseMarginMs;
    assert.equal(await others.expire(), 1);
    world.now += 10_000;
    const [again] = await others.claim(1);
    assert.ok(again);
    assert.equal(again.attempts, 1);
    const writes: string[] = [];
    const result = (text: string) => ok({ store: async () => void writes.push(text) });
    assert.equal(await world.queue.finish(killed, result('late')), false);
    assert.equal(await others.finish(again, result('again')), true);
    assert.equal(await world.queue.finish(killed, result('later')), false);
    assert.deepEqual(writes, ['again']);
  });

  test('nothing of a result is stored when a part of it cannot be', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('A.x', 1)]);
    const [job] = await world.queue.claim(1);
    assert.ok(job);
    const store = async () => {
      throw new Error('no');
    };
    await assert.rejects(world.queue.finish(job, ok({ store })), /no/);
    assert.equal(await world.jobs('running'), 1);
  });

  test('jobs given back are taken again at once, and cost no attempt', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('A.x', 1)]);
    const jobs = await world.queue.claim(1);
    await world.queue.release(jobs);
    const [again] = await world.queue.claim(1);
    assert.equal(again?.attempts, 0);
    for (const job of jobs) assert.equal(await world.queue.finish(job, ok({})), false);
  });

  test('an error with text that no database takes is stored all the same', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('A.x', 1)]);
    const [job] = await world.queue.claim(1);
    assert.ok(job);
    const message = `a\0b\ud800${'x'.repeat(10_000)}`;
    assert.equal(await world.queue.finish(job, fail({ error: { reason: 109, kind: 'permanent', message } })), true);
    const row = await database.read(q => q.get<{ error: string }>('SELECT error FROM metadata_jobs'));
    assert.match(row?.error ?? '', /^a\uFFFDb\uFFFDx+$/);
  });

  test('the reason of a failure is kept while it is permanent, its text always', async t => {
    const database = await databaseWithTables(openFresh, t);
    const world = await MetadataWorld.open(database);
    await make(world, [request('A.x', 1), request('A.y', 1)]);
    for (const job of await world.queue.claim(2)) {
      const kind = job.contractId === 'A.x' ? 'slow-retry' : 'transient';
      await world.queue.finish(job, { ok: false, error: { error: metadataError('document', 'refused', kind, 'no') } });
    }
    const rows = await database.read(q => q.all('SELECT state, reason, error FROM metadata_jobs ORDER BY contract_id'));
    assert.deepEqual(
      rows.map(row => ({ ...row })),
      [
        { state: 'invalid', reason: 107, error: 'no' },
        { state: 'waiting', reason: null, error: 'no' },
      ],
    );
  });
});
