import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queries } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { table } from './table.ts';

const NOTES = table({ name: 'notes', columns: { id: 'int' }, key: ['id'] });

async function openNotes(t: TestContext, readers = 4) {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const database = openSqlite(join(directory, 'index.sqlite'), { durability: 'normal', readers });
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await database.create([NOTES]);
  let id = 0;
  const add = () => database.write(tx => tx.insertMany(NOTES, [[++id]]));
  const count = async (queries: Queries) => (await queries.get<{ n: number }>('SELECT count(*) AS n FROM notes'))?.n;
  return { database, add, count, shared: (by: object) => database.read(count, by) };
}

test('reads that share see one state within a turn of the event loop, and a new one in the next', async t => {
  const { add, shared } = await openNotes(t);
  const by = {};
  await nextTurn();
  assert.equal(await shared(by), 0);
  await add();
  assert.equal(await shared(by), 0);
  await nextTurn();
  assert.equal(await shared(by), 1);
});

test('a read that shares with nobody, or for something else, sees all that was committed before it', async t => {
  const { database, add, count, shared } = await openNotes(t);
  const by = {};
  await nextTurn();
  assert.equal(await shared(by), 0);
  await add();
  assert.equal(await database.read(count), 1);
  assert.equal(await shared({}), 1);
});

test('each reader that shares has a snapshot until its own end', async t => {
  const { database, add, count } = await openNotes(t);
  const by = {};
  const slow = database.read(async queries => {
    const before = await count(queries);
    await nextTurn();
    await nextTurn();
    return [before, await count(queries)];
  }, by);
  const quick = database.read(count, by);
  assert.equal(await quick, 0);
  await add();
  assert.deepEqual(await slow, [0, 0]);
});

test('a shared snapshot is given back: one connection serves all readers, and closing waits for none', async t => {
  const { database, count, shared } = await openNotes(t, 1);
  const reads: Promise<number | undefined>[] = [];
  for (let i = 0; i < 5; i++) reads.push(shared({}), database.read(count));
  assert.deepEqual(await Promise.all(reads), Array(10).fill(0));
  await shared({});
  await database.close();
});

test('what fails in one reader fails no other, and nobody shares with it any more', async t => {
  const { database, add, count, shared } = await openNotes(t);
  const by = {};
  await nextTurn();
  const failing = async (queries: Queries) => [await count(queries), await queries.get('SELECT nothing FROM nowhere')];
  await assert.rejects(database.read(failing, by));
  await add();
  assert.equal(await shared(by), 1);
  assert.equal(await database.read(count), 1);
});

test('a reader whose snapshot was ended by another one gets no mixture of states', async t => {
  const { database, add, count } = await openNotes(t);
  const by = {};
  const reading = (database: Database, work: (queries: Queries) => Promise<unknown>) => database.read(work, by);
  const [victim] = await Promise.allSettled([
    reading(database, async queries => {
      await count(queries);
      await nextTurn();
      await add();
      return count(queries);
    }),
    // What SQLite does by itself when a page cannot be read.
    reading(database, queries => queries.get('ROLLBACK')),
  ]);
  assert.equal(victim?.status, 'rejected');
  assert.equal(victim.reason.code, 'CONFLICT');
});
