import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { PATIENCE_MS } from '../../../test/support/until.ts';
import type { Database } from './database.ts';
import { FatalDatabaseError, RetryableDatabaseError } from './errors.ts';
import type { Location } from './open.ts';
import { openPostgres } from './postgres.ts';
import { commitError, postgresError } from './postgres-errors.ts';
import type { PostgresOptions } from './postgres-pool.ts';
import { table } from './table.ts';

const THINGS = table({ name: 'things', columns: { id: 'int' }, key: ['id'] });
const PID = 'SELECT pg_backend_pid() AS pid';

function open(t: TestContext, location: Location, options: Omit<PostgresOptions, 'schema'> = {}) {
  assert.equal(location.kind, 'postgres');
  const { url, schema = '' } = location as { url: string; schema?: string };
  const database = openPostgres(url, { schema, ...options });
  t.after(() => database.close());
  return database;
}

onEveryEngine((engine, openFresh) => {
  if (engine !== 'postgres') return;

  test('bytes are the same whatever form the server is set to give them in', async t => {
    const { location } = await openFresh(t);
    assert.equal(location.kind, 'postgres');
    const every = Uint8Array.from({ length: 512 }, (_, i) => i);
    for (const form of ['hex', 'escape']) {
      const database = open(t, {
        ...location,
        url: `${location.url}?options=${encodeURIComponent(`-c bytea_output=${form}`)}`,
      });
      for (const bytes of [every, every.slice(92), new Uint8Array()]) {
        const row = await database.read(q => q.get('SELECT CAST(? AS bytea) AS bytes', [bytes]));
        assert.deepEqual(row, { bytes });
      }
    }
  });

  test('a writer sees what another one wrote before it got its lock, whatever isolation the server is set to', async t => {
    const { location, database } = await openFresh(t);
    await database.create([THINGS]);
    assert.equal(location.kind, 'postgres');
    const url = `${location.url}?options=${encodeURIComponent('-c default_transaction_isolation=serializable')}`;
    const writers = [open(t, { ...location, url }), open(t, { ...location, url })];
    const append = (writer: Database) =>
      writer.write(async tx => {
        await tx.all('SELECT CAST(pg_advisory_xact_lock(7) AS text) AS locked');
        const row = await tx.get('SELECT count(*) AS id FROM things');
        await tx.run('INSERT INTO things (id) VALUES (?)', [row?.id ?? null]);
      });
    await Promise.all(writers.flatMap(writer => Array.from({ length: 10 }, () => append(writer))));
    assert.deepEqual(await database.read(q => q.get('SELECT count(*) AS n FROM things')), { n: 20 });
  });

  test('a result above the limits of bytes or rows fails its read only, and many below them do not', async t => {
    const { location } = await openFresh(t);
    const database = open(t, location, { results: { bytes: 200_000, rows: 3 }, poolSize: 1 });
    const bytes = (count: number) => database.read(q => q.get("SELECT repeat('x', CAST(? AS int)) AS text", [count]));
    const rows = (count: number) =>
      database.read(q => q.all('SELECT generate_series(1, CAST(? AS int)) AS n', [count]));
    for (let i = 0; i < 5; i++) await Promise.all([bytes(100_000), rows(3), rows(3)]);
    for (const tooMuch of [() => bytes(400_000), () => rows(20_000)])
      await assert.rejects(tooMuch, { name: 'FatalDatabaseError', code: 'RESULT_TOO_LARGE' });
    assert.equal((await rows(3)).length, 3);
  });

  test('a signal ends reads that the server does not answer, those that begin after it too, and the database can be closed', async t => {
    const { location } = await openFresh(t);
    const stopping = new AbortController();
    const database = open(t, location, { signal: stopping.signal });
    const { promise: begun, resolve: onBegin } = Promise.withResolvers<void>();
    const endless = database.read(async q => {
      await q.get(PID);
      onBegin();
      await q.all('SELECT CAST(pg_sleep(1000000) AS text) AS nothing');
    });
    const failed = assert.rejects(endless, RetryableDatabaseError);
    await Promise.race([begun, failed]);
    stopping.abort();
    await failed;
    await assert.rejects(() => database.read(q => q.all('SELECT CAST(pg_sleep(1000000) AS text) AS nothing')));
    await database.close();
  });

  test('a connection that breaks during a read fails that read only', async t => {
    const { database, location } = await openFresh(t);
    const killer = open(t, location);
    const broken = database.read(async q => {
      const row = await q.get<{ pid: number }>(PID);
      await killer.write(tx => tx.all('SELECT pg_terminate_backend(CAST(? AS int))', [row?.pid ?? 0]));
      return q.get('SELECT 1 AS one');
    });
    await assert.rejects(broken, { name: 'RetryableDatabaseError' });
    assert.deepEqual(await database.read(q => q.get('SELECT 1 AS one')), { one: 1 });
  });

  test('a connection that breaks during a write leaves nothing of it, and the next write gets a new one', async t => {
    const { database, location } = await openFresh(t);
    await database.create([THINGS]);
    const killer = open(t, location);
    const broken = database.write(async tx => {
      await tx.insertMany(THINGS, [[1]]);
      const row = await tx.get<{ pid: number }>(PID);
      await killer.write(other => other.all('SELECT pg_terminate_backend(CAST(? AS int))', [row?.pid ?? 0]));
      await tx.insertMany(THINGS, [[2]]);
    });
    await assert.rejects(broken, { name: 'RetryableDatabaseError' });
    await database.write(tx => tx.insertMany(THINGS, [[3]]));
    assert.deepEqual(await database.read(q => q.all('SELECT id FROM things')), [{ id: 3 }]);
  });

  test('idle connections that the server closes are replaced unseen', async t => {
    const { database, location } = await openFresh(t);
    const killer = open(t, location);
    const row = await database.read(q => q.get<{ pid: number }>(PID));
    // Returns once the process of the connection has ended: its socket is closed then. One turn later this process knows.
    await killer.write(tx => tx.all('SELECT pg_terminate_backend(CAST(? AS int), ?)', [row?.pid ?? 0, PATIENCE_MS]));
    await nextTurn();
    assert.notDeepEqual(await database.read(q => q.get(PID)), row);
  });

  test('a query of a read that takes too long is stopped, and may be tried again', async t => {
    const { location } = await openFresh(t);
    const database = open(t, location, { statementTimeoutMs: 50 });
    const slow = database.read(q => q.all('SELECT CAST(pg_sleep(5) AS text) AS nothing'));
    await assert.rejects(slow, { name: 'RetryableDatabaseError', code: 'TIMEOUT' });
  });

  test('statements are prepared once for each connection', async t => {
    const { location } = await openFresh(t);
    const database = open(t, location, { poolSize: 1 });
    for (let i = 0; i < 3; i++) await database.read(q => q.get('SELECT CAST(? AS bigint) AS n', [i]));
    const sql = 'SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE ?';
    assert.deepEqual(await database.read(q => q.get(sql, ['SELECT CAST(%'])), { n: 1 });
  });

  test('a table that changes under a prepared statement costs one repetition', async t => {
    const { location } = await openFresh(t);
    const database = open(t, location, { poolSize: 1 });
    await database.create([THINGS]);
    const everything = () => database.read(q => q.all('SELECT * FROM things'));
    await everything();
    await database.write(tx => tx.run('ALTER TABLE things ADD COLUMN more bigint'));
    await assert.rejects(everything(), { name: 'RetryableDatabaseError', code: 'STALE_PLAN' });
    assert.deepEqual(await everything(), []);
  });

  test('two processes may create the tables at once', async t => {
    const { database, location } = await openFresh(t);
    const other = open(t, location);
    await Promise.all([database.create([THINGS]), other.create([THINGS])]);
    assert.deepEqual(await other.read(q => q.all('SELECT id FROM things')), []);
  });

  test('a wrong database name or URL is fatal', async t => {
    const { location } = await openFresh(t);
    const url = new URL(location.kind === 'postgres' ? location.url : '');
    url.pathname = '/nowhere';
    for (const wrong of [url.href, 'postgres://user:secret@:x']) {
      const database = openPostgres(wrong);
      await assert.rejects(
        database.read(q => q.get('SELECT 1 AS one')),
        { name: 'FatalDatabaseError', code: 'ACCESS' },
      );
      await database.close();
    }
  });
});

test('a server that is not there may be tried again', async () => {
  const port = await new Promise<number>(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
  const database = openPostgres(`postgres://nobody@127.0.0.1:${port}/nothing`);
  const refused = { name: 'RetryableDatabaseError', code: 'CONNECTION_REFUSED' };
  await assert.rejects(
    database.read(q => q.get('SELECT 1 AS one')),
    refused,
  );
  await assert.rejects(
    database.write(tx => tx.run('SELECT 1')),
    refused,
  );
  await database.close();
});

test('each SQLSTATE has its class', () => {
  const code = (state: string) => postgresError(Object.assign(new Error('x'), { code: state }));
  for (const state of ['40001', '40P01', '57P01', '57P03', '53300', '57014', '55P03', '53100', '08006', 'EPIPE']) {
    assert.ok(code(state) instanceof RetryableDatabaseError, state);
  }
  for (const [state, expected] of [
    ['23505', 'CONSTRAINT'],
    ['42P01', 'SCHEMA'],
    ['25006', 'READ_ONLY'],
    ['XX001', 'CORRUPT'],
    ['28P01', 'ACCESS'],
    ['22021', 'INVALID_VALUE'],
    ['99999', 'UNKNOWN'],
  ] as const) {
    const error = code(state);
    assert.ok(error instanceof FatalDatabaseError, state);
    assert.equal(error.code, expected);
  }
});

test('a connection lost or ended by the server during COMMIT leaves the outcome open', () => {
  assert.equal(commitError(new Error('Connection terminated unexpectedly')).code, 'COMMIT_UNKNOWN');
  assert.equal(commitError(Object.assign(new Error('x'), { code: '57P01' })).code, 'COMMIT_UNKNOWN');
  assert.equal(commitError(Object.assign(new Error('x'), { code: '40001' })).code, 'CONFLICT');
});
