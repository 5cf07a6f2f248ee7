import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';
import type { Database, Queries } from './database.ts';
import { openDatabase } from './open.ts';
import { table } from './table.ts';

const NOTES = table({ name: 'notes', columns: { id: 'int' }, key: ['id'] });

/** A transaction has the same connection and the same time throughout. */
const TRANSACTION = `SELECT pg_backend_pid() || ' ' || now() AS name`;

const transaction = async (queries: Queries) => (await queries.get<{ name: string }>(TRANSACTION))?.name;
const count = async (queries: Queries) =>
  (await queries.get<{ n: number }>('SELECT count(*) AS n FROM notes WHERE id > ?', [0]))?.n;
const failing = (queries: Queries) => queries.get('SELECT nothing FROM nowhere');

onEveryEngine((engine, openFresh) => {
  if (engine !== 'postgres') return;

  /** @param patienceMs on a busy machine a short statement takes long, too */
  async function openNotes(t: TestContext, patienceMs = PATIENCE_MS): Promise<Database> {
    const { location } = await openFresh(t);
    const database = openDatabase(location, { patienceMs });
    t.after(() => database.close());
    await database.create([NOTES]);
    return database;
  }

  test('reads that share within a turn of the event loop are one transaction, up to eight', async t => {
    const database = await openNotes(t);
    const by = {};
    const names = await Promise.all(Array.from({ length: 18 }, () => database.read(transaction, by)));
    const readers = [...Map.groupBy(names, name => name).values()].map(same => same.length);
    assert.deepEqual(readers.toSorted(), [2, 8, 8]);
  });

  test('a read shares with nobody unless it says so, for the same and in the same turn', async t => {
    const database = await openNotes(t);
    const by = {};
    const reads = [database.read(transaction, by), database.read(transaction), database.read(transaction, {})];
    await nextTurn();
    reads.push(database.read(transaction, by));
    const names = await Promise.all(reads);
    assert.equal(new Set(names).size, 4);
  });

  test('a read that comes after the end of a shared snapshot, even in the same turn, has one of its own', async t => {
    const database = await openNotes(t);
    const by = {};
    const empty = database.read(async () => 'nothing', by);
    const later = empty.then(() => database.read(count, by));
    assert.deepEqual([await empty, await later], ['nothing', 0]);
  });

  test('each reader that shares has the snapshot until its own end', async t => {
    const database = await openNotes(t);
    const by = {};
    const slow = database.read(async queries => {
      const before = await count(queries);
      await database.write(tx => tx.insertMany(NOTES, [[1]]));
      return [before, await count(queries)];
    }, by);
    assert.equal(await database.read(count, by), 0);
    assert.deepEqual(await slow, [0, 0]);
    assert.equal(await database.read(count, by), 1);
  });

  test('a query that fails in one reader fails the others as one that may be tried again, and nobody later', async t => {
    const database = await openNotes(t);
    const by = {};
    const [before, failed, after] = await Promise.allSettled([
      database.read(count, by),
      database.read(failing, by),
      database.read(count, by),
    ]);
    assert.deepEqual(before, { status: 'fulfilled', value: 0 });
    assert.equal(failed?.status === 'rejected' && failed.reason.code, 'SCHEMA');
    assert.equal(after?.status === 'rejected' && after.reason.code, 'CONFLICT');
    assert.equal(await database.read(count, by), 0);
  });

  test('what has no parameters is asked once in a snapshot, and anew in the next', async t => {
    const database = await openNotes(t);
    const by = {};
    const time = async (queries: Queries) =>
      (await queries.get<{ n: string }>('SELECT CAST(clock_timestamp() AS text) AS n'))?.n;
    const reads = () => Promise.all([database.read(time, by), database.read(time, by)]);
    const [first, second] = await reads();
    const [third] = await reads();
    assert.ok(first !== undefined && first === second && third !== first);
  });

  test('a statement that takes long keeps no other reader of its turn waiting', async t => {
    const database = await openNotes(t, 25);
    const by = {};
    const lock = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const writing = database.write(async tx => {
      await tx.get('SELECT pg_advisory_xact_lock(?) AS done', [7]);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    const slow = database.read(async queries => {
      await queries.get('SELECT pg_advisory_xact_lock(?) AS done', [7]);
      return transaction(queries);
    }, by);
    const others = [database.read(count, by), database.read(transaction, by)];
    const read = database.read(async queries => [await transaction(queries), await count(queries)], by);
    assert.equal(await others[0], 0);
    const names = [await others[1], (await read)[0]];
    lock.resolve();
    await writing;
    assert.ok(!names.includes(await slow), 'they have snapshots of their own');
  });

  test('a reader that fails by itself disturbs no other', async t => {
    const database = await openNotes(t);
    const by = {};
    const [failed, other] = await Promise.allSettled([
      database.read(() => Promise.reject(new Error('not found')), by),
      database.read(count, by),
    ]);
    assert.equal(failed?.status === 'rejected' && failed.reason.message, 'not found');
    assert.deepEqual(other, { status: 'fulfilled', value: 0 });
  });

  test('a read whose work gave up keeps no later read waiting for its statement', async t => {
    const database = await openNotes(t);
    const [lock, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = database.write(async tx => {
      await tx.get('SELECT pg_advisory_xact_lock(?) AS done', [8]);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    const gaveUp = database.read(queries => {
      void queries.get('SELECT pg_advisory_xact_lock(?) AS done', [8]).catch(() => undefined);
      return Promise.reject(new Error('not found'));
    });
    await assert.rejects(gaveUp, /not found/);
    assert.equal(await database.read(count), 0);
    lock.resolve();
    await writing;
  });

  test('the transaction of a read is over soon after the read, without another one', async t => {
    const { location } = await openFresh(t);
    const [database, other] = [openDatabase(location), openDatabase(location)];
    for (const each of [database, other]) t.after(() => each.close());
    const pid =
      (await database.read(queries => queries.get<{ pid: number }>('SELECT pg_backend_pid() AS pid')))?.pid ?? 0;
    const sql = 'SELECT count(*) AS n FROM pg_stat_activity WHERE pid = ? AND xact_start IS NULL';
    await until(async () => (await other.read(queries => queries.get(sql, [pid])))?.n === 1, 'its transaction is open');
  });

  test('rows are whole in however many pieces they arrive', async t => {
    const database = await openNotes(t);
    const rows = await database.read(queries =>
      queries.all<{ n: number; text: string; bytes: Uint8Array; none: null }>(
        `SELECT CAST(n AS bigint) AS n, repeat('ü', CAST(n AS int)) AS text,
                convert_to(repeat('x', CAST(n AS int)), 'UTF8') AS bytes, CAST(NULL AS text) AS none
           FROM generate_series(0, CAST(? AS int), 7001) AS n`,
        [300_000],
      ),
    );
    assert.equal(rows.length, 43);
    for (const [i, { n, text, bytes, none }] of rows.entries())
      assert.deepEqual([n, text.length, bytes.length, none], [7001 * i, 7001 * i, 7001 * i, null]);
    assert.ok(rows.at(-1)?.text.endsWith('üü') && rows.at(-1)?.bytes.at(-1) === 0x78);
  });
});
