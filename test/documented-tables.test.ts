/** docs/storage.md shows every table: once in the picture of the whole, once in the table of its part. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFreshOf } from './support/engines.ts';
import { openTestIndex } from './support/test-index.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/storage.md'), 'utf8');
const [, picture = ''] = /^## On one screen[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(page) ?? [];

test('every table of the index is in the picture and in a table of docs/storage.md', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const tables = Object.keys(await index.dump());
  assert.ok(tables.length > 30, `only ${tables.length} tables`);
  for (const table of tables) {
    assert.match(picture, new RegExp(`\\b${table}\\b`), `${table} is not in the picture`);
    assert.match(page, new RegExp(`^\\| \`${table}\``, 'm'), `${table} has no row`);
  }
});

test('every name in the picture is that of a table', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  const tables = new Set([...Object.keys(await index.dump()), 'journal']);
  // The second column: names with or without a comma, up to two spaces or the end of the column.
  const named = picture
    .split('\n')
    .slice(1)
    .flatMap(line => line.slice(22, 45).match(/\b[a-z]+(_[a-z]+)+\b|^[a-z]+(?=,| {2})/g) ?? []);
  assert.ok(named.length > 30, `only ${named.length} names`);
  for (const name of named) assert.ok(tables.has(name), `${name} is no table`);
});
