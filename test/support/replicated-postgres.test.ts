import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openPostgres } from '../../src/base/store/postgres.ts';
import { missingPostgres, present } from './postgres.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts';
import { scale } from './scale.ts';

/** Only tests at length have replicas. */
const options = { skip: scale === 'short' ? 'npm run test:all has replicas' : missingPostgres() };
let servers: ReplicatedPostgres;
before(async () => {
  if (options.skip === false) servers = present(await startReplicatedPostgres());
});
after(() => servers?.stop());

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

test(
  'a replica shows what the primary commits, later while paused, and both keep it when they are stopped',
  options,
  async () => {
    const { primary, replica } = servers;
    const insert = (n: number) => query(primary.url, `INSERT INTO numbers VALUES (${n})`);
    const seen = () => query(replica.url, 'SELECT n FROM numbers ORDER BY n');
    const untilSeen = async (numbers: number[]) => {
      while ((await seen().catch(() => [])).join() !== numbers.join()) await delay(10);
    };

    await query(primary.url, 'CREATE TABLE numbers (n int)');
    await insert(1);
    await untilSeen([1]);
    await assert.rejects(query(replica.url, 'INSERT INTO numbers VALUES (0)'), { code: '25006' });

    await replica.pauseReplay();
    await insert(2);
    await delay(100);
    assert.deepEqual(await seen(), [1]);
    await replica.resumeReplay();
    await untilSeen([1, 2]);

    await insert(3);
    await primary.interrupt('SIGQUIT'); // a crash right after the commit, which the replica may not have received yet
    await primary.resume();
    await untilSeen([1, 2, 3]);
    assert.deepEqual(await query(primary.url, 'SELECT n FROM numbers ORDER BY n'), [1, 2, 3]);

    await replica.interrupt('SIGQUIT');
    await insert(4);
    await primary.interrupt('SIGINT');
    await replica.resume(); // while the primary is away
    assert.deepEqual(await seen(), [1, 2, 3]);
    await primary.resume();
    await untilSeen([1, 2, 3, 4]);
  },
);

test('a write to a standby fails in a way that may be tried again', options, async () => {
  if ('missing' in servers) return;
  const database = openPostgres(servers.replica.url);
  try {
    await assert.rejects(
      database.write(tx => tx.run('CREATE TABLE other (n int)')),
      { name: 'RetryableDatabaseError', code: 'STANDBY' },
    );
  } finally {
    await database.close();
  }
});
