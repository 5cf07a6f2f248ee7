/** docs/storage.md shows every table: once in the picture of the whole, once in the table of its part, with the file that writes it. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Table } from '../src/base/store/database.ts';
import { JOURNAL_TABLES } from '../src/ingest/journal/journal.ts';
import { openFreshOf } from './support/engines.ts';
import { databaseWithTables } from './support/reused-database.ts';
import { openTestIndex } from './support/test-index.ts';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/storage.md'), 'utf8');
const [, picture = ''] = /^## On one screen[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(page) ?? [];

test('every table of the index is in the picture and in a table of docs/storage.md', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const tables = Object.keys(await index.dump());
  assert.ok(tables.length > 30, `only ${tables.length} tables`);
  for (const table of tables) {
    assert.match(picture, new RegExp(`\\b${table}\\b`), `${table} is not in the picture`);
    assert.match(page, new RegExp(`^\\| \`${table}\` \\| \`\\S+\\.ts\` \\|`, 'm'), `${table} has no row with a file`);
  }
});

test('every name in the picture is that of a table', async t => {
  const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
  const tables = new Set([...Object.keys(await index.dump()), ...JOURNAL_TABLES.map(({ name }) => name)]);
  // The second column: names with or without a comma, up to two spaces or the end of the column.
  const named = picture
    .split('\n')
    .slice(1)
    .flatMap(line => line.slice(22, 45).match(/\b[a-z]+(_[a-z]+)+\b|^[a-z]+(?=,| {2})/g) ?? []);
  assert.ok(named.length > 30, `only ${named.length} names`);
  for (const name of named) assert.ok(tables.has(name), `${name} is no table`);
});

/** The names by which code refers to each table: its constant, and those of the kinds of lists whose entries it has. */
async function constantsOfTables(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    file => !file.endsWith('.test.ts') && /= table\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  const modules: Record<string, unknown>[] = await Promise.all(files.map(file => import(join(ROOT, file))));
  const constants = new Map<string, string[]>();
  for (const [constant, value] of modules.flatMap(module => Object.entries(module))) {
    const { name, columns, entries } = (value ?? {}) as Partial<Table & { readonly entries: Table }>;
    const table = columns ? name : entries?.name;
    if (table !== undefined) constants.set(table, [...(constants.get(table) ?? []), constant]);
  }
  return constants;
}

test('the file that docs/storage.md says writes a table exists, and names the constant of the table or of its lists', async () => {
  const constants = await constantsOfTables();
  assert.ok(constants.size > 60, `only ${constants.size} tables`);
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\S+\.ts)` \|/gm)];
  assert.ok(rows.length > 80, `only ${rows.length} rows`);
  const problems = rows.flatMap(([, table = '', file = '']) => {
    if (!existsSync(join(ROOT, 'src', file))) return [`${table}: ${file} does not exist`];
    const names = constants.get(table) ?? [];
    const isNamed = new RegExp(`\\b(${names.join('|')})\\b`).test(readFileSync(join(ROOT, 'src', file), 'utf8'));
    return isNamed ? [] : [`${table}: ${file} names none of ${names.join(', ')}`];
  });
  assert.deepEqual(problems, []);
});
