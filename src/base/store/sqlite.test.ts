import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Database, Table } from './database.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { sqliteError } from './sqlite-errors.ts';
import { table } from './table.ts';

const THINGS = table({ name: 'things', columns: { id: 'int' }, key: ['id'] });

function temporaryFile(t: TestContext, name = 'index.sqlite'): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, name);
}

function open(t: TestContext, file: string, options: Partial<SqliteOptions> = {}): Database {
  const database = openSqlite(file, { durability: 'normal', ...options });
  t.after(() => database.close());
  return database;
}

test('the directory of the file is made', async t => {
  const file = temporaryFile(t, join('a', 'b', 'index.sqlite'));
  await open(t, file).create([THINGS]);
  assert.ok(existsSync(file));
});

test('the file is in WAL mode and the writer syncs as the durability says', async t => {
  for (const [durability, synchronous] of [
    ['full', 2],
    ['normal', 1],
  ] as const) {
    const database = open(t, temporaryFile(t), { durability });
    await database.write(async tx => {
      assert.deepEqual(await tx.get('PRAGMA synchronous'), { synchronous });
      assert.deepEqual(await tx.get('PRAGMA journal_mode'), { journal_mode: 'wal' });
      assert.deepEqual(await tx.get('PRAGMA mmap_size'), { mmap_size: 0 }, 'what the writer touches is not mapped');
    });
    const mapped = await database.read(queries => queries.get('PRAGMA mmap_size'));
    assert.deepEqual(mapped, { mmap_size: 2147418112 });
  }
});

test('a reader rolls back what a process has left that was killed while it made the file', async t => {
  const [killed, left] = [temporaryFile(t), temporaryFile(t)];
  const writer = new DatabaseSync(killed);
  // With the smallest cache, pages reach the file before the commit.
  writer.exec(
    'PRAGMA cache_size = 1; CREATE TABLE before (x); BEGIN; CREATE TABLE things (id); INSERT INTO things VALUES (zeroblob(100000))',
  );
  for (const end of ['', '-journal']) copyFileSync(`${killed}${end}`, `${left}${end}`);
  writer.close();
  const reader = open(t, left, { readOnly: true });
  const names = await reader.read(queries => queries.all('SELECT name FROM sqlite_schema'));
  assert.deepEqual(names, [{ name: 'before' }]);
});

test('a lock held by another process is worth trying again', async t => {
  const file = temporaryFile(t);
  const database = open(t, file);
  await database.create([THINGS]);
  await database.write(tx => tx.all('PRAGMA busy_timeout = 20'));
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const blocked = database.write(tx => tx.insertMany(THINGS, [[1]]));
  await assert.rejects(blocked, { name: 'RetryableDatabaseError', code: 'BUSY' });
  other.exec('ROLLBACK');
  other.close();
  await database.write(tx => tx.insertMany(THINGS, [[1]]));
});

test('a database opened for reading only refuses writes and sees those of others', async t => {
  const file = temporaryFile(t);
  assert.throws(() => openSqlite(file, { durability: 'normal', readOnly: true }), { code: 'ACCESS' });
  const writer = open(t, file);
  await writer.create([THINGS]);
  const reader = open(t, file, { readOnly: true });
  await writer.write(tx => tx.insertMany(THINGS, [[1]]));
  assert.deepEqual(await reader.read(q => q.all('SELECT id FROM things')), [{ id: 1 }]);
  await assert.rejects(
    reader.write(tx => tx.insertMany(THINGS, [[2]])),
    { name: 'FatalDatabaseError', code: 'READ_ONLY' },
  );
});

test('a file that is no database, and a path that is no file, are refused', t => {
  const file = temporaryFile(t);
  writeFileSync(file, 'this is text, and long enough to be read as a header of a database'.repeat(20));
  assert.throws(() => openSqlite(file, { durability: 'normal' }), { name: 'FatalDatabaseError', code: 'CORRUPT' });
  assert.throws(() => openSqlite(join(file, 'below'), { durability: 'normal' }), { code: 'ACCESS' });
  assert.throws(() => openSqlite(':memory:', { durability: 'normal' }), { code: 'ACCESS' });
});

test('a full disk is worth another try, and the transaction is gone', async t => {
  const database = open(t, temporaryFile(t));
  const blobs: Table = { name: 'blobs', columns: { id: 'int', data: 'bytes' }, key: ['id'] };
  await database.create([blobs]);
  await database.write(tx => tx.all('PRAGMA max_page_count = 20'));
  const tooMuch = database.write(async tx => {
    for (let id = 0; id < 100; id++) await tx.insertMany(blobs, [[id, new Uint8Array(4096)]]);
  });
  await assert.rejects(tooMuch, { name: 'RetryableDatabaseError', code: 'DISK_FULL' });
  assert.deepEqual(await database.read(q => q.get('SELECT count(*) AS n FROM blobs')), { n: 0 });
});

test('a disk that takes no writes is worth another try, one that cannot be read is not', () => {
  const codeOf = (errcode: number) =>
    sqliteError({ code: 'ERR_SQLITE_ERROR', errcode, message: 'disk I/O error' }).code;
  const [write, fsync, truncate, read, shortRead] = [778, 1034, 1546, 266, 522].map(codeOf);
  assert.deepEqual([write, fsync, truncate], ['DISK_FAILED', 'DISK_FAILED', 'DISK_FAILED']);
  assert.deepEqual([read, shortRead], ['CORRUPT', 'CORRUPT']);
});

test('a machine without a directory for temporary files has no damaged database', () => {
  const { name, code, hint } = sqliteError({ code: 'ERR_SQLITE_ERROR', errcode: 6410, message: 'disk I/O error' });
  assert.deepEqual([name, code], ['FatalDatabaseError', 'ACCESS']);
  assert.match(hint, /TMPDIR/);
});

test('a file that was made to shrink gives freed pages back in parts, also while a snapshot is held; another keeps them', async t => {
  const blobs = table({ name: 'blobs', columns: { id: 'int', content: 'bytes' }, key: ['id'] });
  for (const shrinks of [true, false]) {
    const file = temporaryFile(t);
    const database = open(t, file, { shrinks });
    await database.create([blobs]);
    for (let id = 0; id < 30; id++) await database.write(tx => tx.insertMany(blobs, [[id, Buffer.alloc(200_000, id)]]));
    await database.write(async tx => void (await tx.run('UPDATE blobs SET content = ? WHERE id < 29', [Buffer.of(2)])));
    await database.read(async queries => {
      await queries.get('SELECT count(*) AS all_of_them FROM blobs');
      assert.equal((await database.reclaim(blobs)).isMore, shrinks);
    });
    for (let isMore = true; isMore; ) ({ isMore } = await database.reclaim(blobs));
    const { unused = 0 } = await database.reclaim(blobs);
    const { size } = statSync(file);
    if (shrinks) assert.ok(size < 500_000 && unused === 0, `${size} bytes, ${unused} of them unused`);
    else assert.ok(size > 5_000_000 && unused > 5_000_000, `${size} bytes, ${unused} of them unused`);
  }
});

test('no more readers than allowed hold a snapshot at once', async t => {
  const database = open(t, temporaryFile(t), { readers: 2 });
  let running = 0;
  let most = 0;
  const reads = Array.from({ length: 10 }, () =>
    database.read(async q => {
      most = Math.max(most, ++running);
      await q.get('SELECT 1 AS one');
      await new Promise(resolve => setImmediate(resolve));
      running--;
    }),
  );
  await Promise.all(reads);
  assert.equal(most, 2);
});
