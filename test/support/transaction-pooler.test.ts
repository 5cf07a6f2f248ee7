import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { sharedPostgres } from './postgres.ts';
import { type Pooler, startTransactionPooler } from './transaction-pooler.ts';
import { until } from './until.ts';

const server = sharedPostgres();
let pooler: Pooler | undefined;
before(async () => {
  if ('url' in server) pooler = await startTransactionPooler(await server.url());
});
after(() => pooler?.stop());

async function connect(t: TestContext, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: pooler?.url ?? '', ...config });
  await client.connect();
  t.after(() => client.end());
  return client;
}

const column = async (client: pg.Client, sql: string): Promise<unknown[]> =>
  (await client.query({ text: sql, rowMode: 'array' })).rows.flat();

describe('behind a pooler of transactions', {
  skip: 'missing' in server ? server.missing : false,
}, () => {
  test('what is set for the session is gone after each statement, and in a transaction after its end', async t => {
    const client = await connect(t);
    await client.query(`SET search_path TO elsewhere`);
    assert.deepEqual(await column(client, 'SHOW search_path'), ['"$user", public']);
    await client.query('BEGIN');
    await client.query(`SET search_path TO elsewhere`);
    assert.deepEqual(await column(client, 'SHOW search_path'), ['elsewhere']);
    await client.query('COMMIT');
    assert.deepEqual(await column(client, 'SHOW search_path'), ['"$user", public']);
  });

  test('a failed transaction stays one until it is rolled back', async t => {
    const client = await connect(t);
    await client.query('BEGIN');
    await client.query(`SET search_path TO elsewhere`);
    await assert.rejects(client.query('SELECT 1 / 0'), { code: '22012' });
    await assert.rejects(client.query('SELECT 1'), { code: '25P02' });
    await client.query('ROLLBACK');
    assert.deepEqual(await column(client, 'SHOW search_path'), ['"$user", public']);
  });

  test('locks of the session and what it listens to are gone, locks of the transaction end with it', async t => {
    const [client, other] = [await connect(t), await connect(t)];
    const isFree = async () => (await column(other, 'SELECT pg_try_advisory_xact_lock(4711)'))[0];
    await client.query('SELECT pg_advisory_lock(4711)');
    assert.equal(await isFree(), true);
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(4711)');
    assert.equal(await isFree(), false);
    await client.query('COMMIT');
    assert.equal(await isFree(), true);

    let told = 0;
    client.on('notification', () => told++);
    await client.query('LISTEN news');
    await other.query('NOTIFY news');
    await client.query('SELECT 1');
    assert.equal(told, 0);
  });

  test('prepared statements stay', async t => {
    const client = await connect(t);
    const statement = { name: 'twice', text: 'SELECT 2 * $1::int AS n', values: [21] };
    await client.query(statement);
    const { rows } = await client.query(statement); // bound only: the client knows that it is prepared
    assert.deepEqual(rows, [{ n: 42 }]);
    assert.deepEqual(await column(client, 'SELECT name FROM pg_prepared_statements'), ['twice']);
  });

  test('transactions that are sent in one go stay apart', async t => {
    const client = await connect(t, { pipeline: true });
    const show = 'SHOW search_path';
    const texts = ['BEGIN', 'SET search_path TO elsewhere', show, 'COMMIT', show, 'BEGIN', show, 'COMMIT'];
    const results = await Promise.all(texts.map(text => client.query({ text, values: [] })));
    const shown = results.flatMap(({ rows }) => rows).map(({ search_path }) => search_path);
    assert.deepEqual(shown, ['elsewhere', '"$user", public', '"$user", public']);
  });

  test('a query can be cancelled', async t => {
    const client = await connect(t);
    const sleeping = new pg.Query('SELECT pg_sleep(60)');
    const failed = new Promise<unknown>(resolve => sleeping.on('error', resolve));
    client.query(sleeping);
    const other = await connect(t);
    const running = `SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(60)'`;
    await until(async () => (await column(other, running))[0] === 1, 'the query does not start');
    // pg has them, its types do not.
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const { hostname, port } = new URL(pooler?.url ?? '');
    const request = Buffer.from(Uint32Array.of(16, 80877102, processID, secretKey).buffer).swap32();
    createConnection(Number(port), hostname).end(request);
    assert.equal(((await failed) as { code: string }).code, '57014');
  });

  test('settings in the startup message are refused, as the server would keep them', async () => {
    for (const config of [{ options: '-c search_path=elsewhere' }, { statement_timeout: 1000 }]) {
      const client = new pg.Client({ connectionString: pooler?.url ?? '', ...config });
      await assert.rejects(client.connect(), /unsupported startup parameter/);
    }
  });
});
