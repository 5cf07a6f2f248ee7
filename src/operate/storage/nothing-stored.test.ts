import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFreshOf } from '../../../test/support/engines.ts';
import { missingPostgres } from '../../../test/support/postgres.ts';
import { openJournal, openJournalToRead } from './storage.ts';

test('a directory without a journal, or with the file that a kill left before it had a table, is named with what is missing; nothing is made in it', async t => {
  const parent = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const refused = (data: string, message: RegExp) =>
    assert.rejects(openJournalToRead({ data, database: undefined }), { name: 'NothingStored', message });
  await refused(join(parent, 'missing'), /missing does not exist$/);
  assert.equal(existsSync(join(parent, 'missing')), false);
  await refused(parent, / is empty$/);
  writeFileSync(join(parent, 'file'), '');
  await refused(join(parent, 'file'), /file is not a directory$/);
  await refused(parent, /holds no journal: it has no file journal\.sqlite$/);
  assert.deepEqual(readdirSync(parent), ['file']);
  writeFileSync(join(parent, 'journal.sqlite'), '');
  await refused(parent, /holds no journal: its file journal\.sqlite has no table of one$/);
  const place = { data: parent, database: undefined };
  await (await openJournal(place)).journalDb.close();
  await (await openJournalToRead(place)).journalDb.close();
});

test('a schema of PostgreSQL that is missing, and one without a journal, are named so', {
  skip: missingPostgres(),
}, async t => {
  const { location, database } = await openFreshOf.postgres(t);
  assert.ok(location.kind === 'postgres');
  const url = new URL(location.url);
  url.searchParams.set('schema', location.schema ?? '');
  const place = { data: '', database: url.href };
  const refused = (message: RegExp) => assert.rejects(openJournalToRead(place), { name: 'NothingStored', message });
  await refused(/^the database has no schema test_/);
  await database.create([]);
  await refused(/^the schema test_\S+ of the database holds no journal/);
  await (await openJournal(place)).journalDb.close();
  await (await openJournalToRead(place)).journalDb.close();
});
