import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiPage } from '../tools/api-table.ts';

const page = apiPage();

test('docs/api.md names every route, its file and what it reads', async () => {
  const { current, expected } = await page;
  assert.equal(current, expected, 'npm run docs:api writes it');
});

test('a route stands in the file that its URL names', async () => {
  const { current } = await page;
  const rows = [...current.matchAll(/^\| (?:POST )?`(\/\S*)` \| \w+ \| \[(\S+)\.ts\]/gm)];
  assert.ok(rows.length > 30);
  for (const [, path = '', file = ''] of rows) {
    // A placeholder of the path has its bare name in the tree.
    const url = path.replaceAll(/[{}]/g, '');
    assert.ok(url === `/${file}` || url.startsWith(`/${file}/`), `${path} is in ${file}.ts`);
  }
});
