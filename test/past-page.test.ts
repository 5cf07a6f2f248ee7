import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiDocument, readsOf } from './support/operations.ts';

test('docs/past.md lists the routes that take `at`, and no other', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/past.md'), 'utf8');
  const listed = [...page.matchAll(/^\| ([123]) \| (.*) \|$/gm)].flatMap(([, version, paths = '']) =>
    [...paths.matchAll(/`([^`]+)`/g)].map(([, path]) => `/extended/v${version}${path}`),
  );
  const taking = readsOf(await apiDocument())
    .filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'at'))
    .map(({ path }) => path);
  assert.deepEqual(listed.sort(), taking.sort());
  assert.ok(listed.length > 20);
});
