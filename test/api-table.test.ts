import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiPage } from '../tools/api-table.ts';

test('docs/api.md names every route, its file and what it reads', async () => {
  const { current, expected } = await apiPage();
  assert.equal(current, expected, 'npm run docs:api writes it');
});

test('a route stands in the file that its URL names', async () => {
  const { current } = await apiPage();
  const rows = [...current.matchAll(/^\| `(\/\S*)` \| \w+ \| \[(\S+)\.ts\]/gm)];
  assert.ok(rows.length > 30);
  for (const [, path = '', file = ''] of rows) {
    // A placeholder of the path has its bare name in the tree.
    const url = path.replaceAll(/[{}]/g, '');
    assert.ok(url === `/${file}` || url.startsWith(`/${file}/`), `${path} is in ${file}.ts`);
  }
});
