import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scale } from '../../../test/support/scale.ts';
import { PATIENCE_MS, until } from '../../../test/support/until.ts';
import { openSqlite } from './sqlite.ts';
import { type Checkpointer, canCheckpointInThread, checkpointInThread } from './sqlite-checkpointer.ts';
import { openSqliteHandle, type SqliteHandle } from './sqlite-handle.ts';
import { table } from './table.ts';

const PAGES = table({ name: 'pages', columns: { id: 'int', data: 'bytes' }, key: ['id'] });
let filled = 0;
/** What fills a page of the file, other bytes each time: SQLite does not write what has not changed. */
const page = () => new Uint8Array(3500).fill(++filled);
const longWalPages = 2500;
/** Transactions of 250 pages. */
const WRITES = scale === 'short' ? 50 : 150;
const OPENINGS = scale === 'short' ? 2 : 5;

function temporaryFile(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'index.sqlite');
}

interface Opened {
  readonly file: string;
  readonly writer: SqliteHandle;
  readonly checkpointer: Checkpointer;
}

function open(t: TestContext): Opened {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const file = join(directory, 'index.sqlite');
  const writer = openSqliteHandle(file, 'writer', { durability: 'normal' });
  writer.exec('CREATE TABLE pages (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT');
  const checkpointer = checkpointInThread(writer, { file, durability: 'normal', longWalPages });
  t.after(async () => {
    await checkpointer.close();
    writer.close();
    // Not before: hooks run in the order in which they were registered, and a thread that is starting opens the file.
    rmSync(directory, { recursive: true, force: true });
  });
  return { file, writer, checkpointer };
}

/** One transaction that replaces so many pages. */
async function write({ writer, checkpointer }: Opened, pages: number): Promise<void> {
  await checkpointer.beforeWrite();
  writer.beginWrite();
  const rows = Array.from({ length: pages }, (_, id) => [id, page()]);
  await writer.queries.upsertMany(PAGES, rows);
  writer.commit();
  checkpointer.afterWrite();
}

const threads = (): number => (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;

test('what is committed is copied into the file by the thread, not by the commit', async t => {
  const opened = open(t);
  await write(opened, 1100);
  assert.equal(opened.writer.wal().copied, 0, 'copied by the commit');
  await until(() => opened.writer.wal().copied === opened.writer.wal().pages, 'the WAL is not copied');
  await write(opened, 1);
  assert.ok(opened.writer.wal().pages < 10, 'the WAL does not start over');
});

test('a writer of little starts no thread', async t => {
  const opened = open(t);
  const before = threads();
  for (let i = 0; i < 50; i++) await write(opened, 3);
  assert.equal(threads(), before);
});

test('the WAL stays short however fast the writer is, while readers come and go', async t => {
  const opened = open(t);
  const reader = openSqliteHandle(opened.file, 'reader', { durability: 'normal' });
  let longest = 0;
  for (let i = 0; i < WRITES; i++) {
    if (i % 2 === 0) {
      reader.beginRead();
      await reader.queries.get('SELECT count(*) FROM pages');
    }
    await write(opened, 250);
    reader.rollback();
    longest = Math.max(longest, opened.writer.wal().pages);
  }
  reader.close();
  assert.ok(longest >= longWalPages, `no wait was needed: ${longest} pages`);
  assert.ok(longest < 2 * longWalPages, `${longest} of ${WRITES} * 250 pages`);
});

test('a reader that keeps its snapshot holds up no write; the WAL starts over when it has gone', async t => {
  const opened = open(t);
  await write(opened, 1);
  const reader = openSqliteHandle(opened.file, 'reader', { durability: 'normal' });
  reader.beginRead();
  const seen = await reader.queries.get('SELECT count(*) AS n FROM pages');
  for (let i = 0; i < 12; i++) await write(opened, 500);
  assert.ok(opened.writer.wal().pages > 2 * longWalPages);
  assert.deepEqual(await reader.queries.get('SELECT count(*) AS n FROM pages'), seen);
  reader.close();
  await write(opened, 1);
  assert.ok(opened.writer.wal().pages < 10, 'the WAL does not start over');
});

test('when the thread cannot work, commits copy again, and the operator is told', async t => {
  const opened = open(t);
  renameSync(opened.file, `${opened.file}-elsewhere`);
  let warning: Error | undefined;
  process.once('warning', told => {
    warning = told;
  });
  await write(opened, 1100);
  // Not `once`: neither that nor the thread keeps the process alive.
  await until(() => warning !== undefined, 'nobody is told');
  assert.match(String(warning), /checkpoints have no thread.*unable to open/);
  for (let i = 0; i < 15; i++) await write(opened, 500);
  assert.ok(opened.writer.wal().pages < 2 * longWalPages, 'nobody copies');
});

test('opening and closing leaves no thread, and all in the file', async t => {
  const before = threads();
  const file = temporaryFile(t);
  for (let i = 0; i < OPENINGS; i++) {
    const database = openSqlite(file, { durability: 'normal', checkpointThread: true });
    await database.create([PAGES]);
    const rows = Array.from({ length: 1100 }, (_, id) => [i * 10_000 + id, page()]);
    await database.write(tx => tx.insertMany(PAGES, rows));
    await until(() => threads() === before + 1, 'the thread does not start');
    await Promise.all([database.close(), database.close()]);
    assert.equal(threads(), before);
  }
  const reader = openSqliteHandle(file, 'reader', { durability: 'normal' });
  assert.deepEqual(await reader.queries.get('SELECT count(*) AS n FROM pages'), { n: OPENINGS * 1100 });
  reader.close();
});

test('a close while the thread is starting waits for it, so the file may be removed afterwards without a warning', async t => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => void process.off('warning', onWarning));
  const opened = open(t);
  const before = threads();
  await write(opened, 1100);
  await opened.checkpointer.close();
  assert.equal(threads(), before);
  rmSync(opened.file);
  await new Promise(setImmediate); // in which a warning is emitted
  assert.deepEqual(warnings, []);
});

test('the thread keeps no process alive that forgets to close', t => {
  const file = temporaryFile(t);
  const program = `${file}.mjs`;
  const sqlite = JSON.stringify(new URL('./sqlite.ts', import.meta.url));
  writeFileSync(
    program,
    `const { openSqlite } = await import(${sqlite});
    const table = ${JSON.stringify(PAGES)};
    const database = openSqlite(${JSON.stringify(file)}, { durability: 'normal', checkpointThread: true });
    await database.create([table]);
    const rows = Array.from({ length: 1100 }, (_, id) => [id, new Uint8Array(3500)]);
    await database.write(tx => tx.insertMany(table, rows));`,
  );
  const { stderr, status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
});

test('SQLite below 3.51.3 checkpoints in commits', () => {
  const able = ['3.51.2', '3.51.3', '3.50.9', '3.52.0', '4.0.0'].filter(canCheckpointInThread);
  assert.deepEqual(able, ['3.51.3', '3.52.0', '4.0.0']);
});
