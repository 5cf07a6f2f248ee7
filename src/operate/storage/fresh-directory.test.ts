import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Journal } from '../../ingest/journal/journal.ts';
import { rememberDirectory } from './fresh-directory.ts';
import { lockStorage } from './locks.ts';
import { openJournal } from './storage.ts';

function home(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What a command does before it fails: it takes the lock and makes the journal, in which it may store an event. */
async function use(data: string, events: 0 | 1, waiting: 0 | 1 = 0): Promise<void> {
  const place = { data, database: undefined };
  const unlock = lockStorage(place);
  const { journalDb } = await openJournal(place);
  const delivery = { path: '/new_burn_block', receivedAt: 1, body: Buffer.from('{}') };
  const journal = new Journal(journalDb);
  if (events === 1) await journal.append([delivery]);
  if (waiting === 1) {
    await journal.beginLoads(['archive']);
    await journal.accept(delivery);
  }
  await journalDb.close();
  unlock();
}

test('a directory that a command has made and stored nothing in is removed, with those above it that it made', async t => {
  const parent = home(t);
  const data = join(parent, 'a/b');
  const takeBack = rememberDirectory({ data, database: undefined });
  await use(data, 0);
  takeBack();
  assert.deepEqual(readdirSync(parent), []);
});

test('a directory that was there keeps its files and loses those that the command made', async t => {
  const data = home(t);
  writeFileSync(join(data, 'mine'), '');
  mkdirSync(join(data, 'folder'));
  const takeBack = rememberDirectory({ data, database: undefined });
  await use(data, 0);
  takeBack();
  assert.deepEqual(readdirSync(data).sort(), ['folder', 'mine']);
});

test('a journal with an event stays, and so does an empty one that was there', async t => {
  for (const before of [false, true]) {
    const data = join(home(t), 'data');
    if (before) await use(data, 0);
    const takeBack = rememberDirectory({ data, database: undefined });
    await use(data, before ? 0 : 1);
    takeBack();
    assert.ok(existsSync(join(data, 'journal.sqlite')));
  }
});

test('a journal stays that an event waits to join', async t => {
  const data = join(home(t), 'data');
  const takeBack = rememberDirectory({ data, database: undefined });
  await use(data, 0, 1);
  takeBack();
  assert.ok(existsSync(join(data, 'journal.sqlite')));
});

test('a directory that another process has begun to use stays', async t => {
  const data = join(home(t), 'data');
  const takeBack = rememberDirectory({ data, database: undefined });
  const unlock = lockStorage({ data, database: undefined });
  takeBack();
  assert.ok(existsSync(join(data, 'lock')));
  unlock();
});

test('where nothing was made, nothing is removed', t => {
  const parent = home(t);
  rememberDirectory({ data: join(parent, 'data'), database: undefined })();
  rememberDirectory({ data: join(parent, 'data'), database: 'postgres://nowhere' })();
  assert.deepEqual(readdirSync(parent), []);
});
