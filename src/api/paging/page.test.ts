import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './page.ts';

test('a page is the envelope in its order, then the records as they are stored', () => {
  assert.equal(
    page({ limit: 2, offset: 0, total: 3 }, ['{"a":1}', '{"b":2}']),
    '{"limit":2,"offset":0,"total":3,"results":[{"a":1},{"b":2}]}',
  );
});

test('cursors are null or text, a list without total has none', () => {
  assert.equal(
    page({ limit: 2, offset: 0, total: 0, next_cursor: null, prev_cursor: '0x1', cursor: null }, []),
    '{"limit":2,"offset":0,"total":0,"next_cursor":null,"prev_cursor":"0x1","cursor":null,"results":[]}',
  );
  assert.equal(page({ limit: 2, offset: 0 }, []), '{"limit":2,"offset":0,"results":[]}');
});
