import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXPORTED_LISTS } from '../src/operate/export/lists.ts';
import { apiDocument, readsOf } from './support/operations.ts';

test('docs/past.md lists the routes that take `at`, and no other', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/past.md'), 'utf8');
  const listed = [...page.matchAll(/^\| ([123]|names) \| (.*) \|$/gm)].flatMap(([, version, paths = '']) =>
    [...paths.matchAll(/`([^`]+)`/g)].map(([, path]) => (version === 'names' ? path : `/extended/v${version}${path}`)),
  );
  const reads = readsOf(await apiDocument());
  const taking = reads
    .filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'at'))
    .map(({ path }) => path);
  assert.deepEqual(listed.sort(), taking.sort());
  assert.ok(
    page.includes(`These are ${taking.length} of the ${reads.length} routes`),
    `${taking.length}, ${reads.length}`,
  );
});

test('docs/past.md has the columns of every list that can be exported', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/past.md'), 'utf8');
  for (const [name, { columns }] of Object.entries(EXPORTED_LISTS)) {
    const rows = Object.entries(columns).map(
      ([column, { type, isNullable, help }]) => `| \`${column}\` | ${type}${isNullable ? '?' : ''} | ${help} |`,
    );
    const table = [`### \`${name}\``, '', '| column | type | what it holds |', '|---|---|---|', ...rows, ''].join('\n');
    assert.ok(page.includes(table), `the section of ${name} must be:\n${table}`);
  }
});
