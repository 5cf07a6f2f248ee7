import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { apiPage } from '../tools/api-table.ts';

let page: Awaited<ReturnType<typeof apiPage>>;
before(async () => {
  page = await apiPage();
});

test('docs/api.md names every route, its file and what it reads', () => {
  const { current, expected } = page;
  assert.equal(current, expected, 'npm run docs:api writes it');
});

test('every example of the document is a request that works', () => {
  assert.deepEqual(page.wrong, []);
});

test('a route stands in the file that its URL names', () => {
  const { current } = page;
  const rows = [...current.matchAll(/^\| (?:POST )?`(\/\S*)` \| \w+ \| \[(\S+)\.ts\]/gm)];
  assert.ok(rows.length > 30);
  for (const [, path = '', file = ''] of rows) {
    // A placeholder of the path has its bare name in the tree.
    const url = path.replaceAll(/[{}]/g, '');
    assert.ok(url === `/${file}` || url.startsWith(`/${file}/`), `${path} is in ${file}.ts`);
  }
});
