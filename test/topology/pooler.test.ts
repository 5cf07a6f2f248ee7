import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPostgres } from '../../src/base/store/postgres.ts';
import { type Held, holdShared, tryHold, whileAlone } from '../../src/base/store/postgres-lock.ts';
import { JOURNAL } from '../../src/ingest/journal/entries.ts';
import { runProgram, runServer, type Server } from '../crash/program.ts';
import { ARCHIVE } from '../crash/round.ts';
import { schemaStore } from '../crash/store.ts';
import { callProgram } from '../support/call-program.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { atLength } from '../support/scale.ts';
import { type Pooler, startTransactionPooler } from '../support/transaction-pooler.ts';
import { until } from '../support/until.ts';
import { type Cleanup, cleanedUp } from './cleanup.ts';
import { allPaths, assertSameResponses } from './responses.ts';

const server = sharedPostgres();
let pooler: Pooler | undefined;
before(async () => {
  if ('url' in server) pooler = await startTransactionPooler(await server.url());
});
after(() => pooler?.stop());
const options = { skip: 'missing' in server ? server.missing : false };
const long = { skip: options.skip || atLength };

async function serve(place: readonly string[], cleanup: Cleanup): Promise<Server> {
  const server = await runServer(place);
  cleanup.push(() => server.kill());
  assert.ok(await server.ready, server.output());
  return server;
}

test('behind a pooler of transactions the sample chain is replayed and served as from a directory', long, async t => {
  if (!pooler) return;
  const cleanup = cleanedUp(t);
  const store = schemaStore(pooler.url);
  cleanup.push(store.remove);
  const directory = mkdtempSync(join(tmpdir(), 'stacks-pooler-'));
  cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
  const replay = runProgram(['replay', ARCHIVE, ...store.args]);
  assert.equal((await replay.ended).code, 0, replay.output());
  const pooled = await serve(store.args, cleanup);
  assert.equal(
    (await callProgram(['replay', ARCHIVE, '--data', join(directory, 'data'), '--chain-id', '0x80000000'])).code,
    0,
  );
  const single = await serve(['--data', join(directory, 'data')], cleanup);
  const paths = await allPaths(single);
  await assertSameResponses(pooled, single, paths);
  assert.ok(pooler.resets() > 50, `only ${pooler.resets()} transactions went through the pooler`);
  // Elsewhere they would work too, until another process puts tables there.
  const schema = new URL(store.args[1] ?? '').searchParams.get('schema');
  const sql = 'SELECT 1 AS found FROM pg_tables WHERE schemaname = ? AND tablename = ?';
  const found = await store.look(({ journalDb }) =>
    journalDb.read(queries => queries.get(sql, [schema, JOURNAL.name])),
  );
  assert.ok(found, 'the tables are not in the schema that was named');
});

test('behind a pooler of transactions a query that takes too long is stopped', options, async t => {
  const database = openPostgres(pooler?.url ?? '', { statementTimeoutMs: 100 });
  t.after(() => database.close());
  for (let i = 0; i < 2; i++) {
    const slow = database.read(queries => queries.all('SELECT pg_sleep(10)'));
    await assert.rejects(slow, { name: 'RetryableDatabaseError', code: 'TIMEOUT' });
  }
});

test('a statement that fails spoils no read after it, also behind a pooler of transactions', options, async t => {
  for (const to of ['url' in server ? await server.url() : '', pooler?.url ?? '']) {
    const database = openPostgres(to);
    t.after(() => database.close());
    for (let i = 0; i < 3; i++) {
      const failed = database.read(queries => queries.all('SELECT 1 FROM no_such_table'));
      await assert.rejects(failed, /no_such_table/);
      assert.deepEqual(await database.read(queries => queries.all('SELECT 2 AS two')), [{ two: 2 }]);
    }
  }
});

test(
  'every read has its settings, on a connection of its own and behind a pooler of transactions',
  options,
  async t => {
    const url = 'url' in server ? await server.url() : '';
    for (const to of [url, pooler?.url ?? '']) {
      const database = openPostgres(to, { schema: 'pg_catalog', statementTimeoutMs: 12_345 });
      t.after(() => database.close());
      const settings = ['search_path', 'statement_timeout', 'transaction_isolation', 'transaction_read_only'];
      const sql = `SELECT ${settings.map(name => `current_setting('${name}') AS ${name}`).join(', ')}, CAST(? AS int) AS read`;
      for (const read of [1, 2, 3])
        assert.deepEqual(await database.read(queries => queries.get(sql, [read])), {
          ...{ search_path: 'pg_catalog', statement_timeout: '12345ms', transaction_isolation: 'repeatable read' },
          ...{ transaction_read_only: 'on', read },
        });
    }
  },
);

test('behind a pooler of transactions a name that is held stays held', options, async () => {
  const url = pooler?.url ?? '';
  const isFree = () => whileAlone(url, 'pooler test', async () => {});
  const release = await holdShared(url, 'pooler test');
  assert.equal(await isFree(), false);
  // The pooler closes our connection before its own to the server, which then lets go of the name.
  await release();
  let held: Held | undefined;
  await until(async () => {
    held = await tryHold(url, 'pooler test');
    return held !== undefined;
  }, 'the name is not free');
  assert.equal(await isFree(), false);
  await held?.release();
  await until(isFree, 'the name is not free again');
});
