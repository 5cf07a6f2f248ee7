import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { cursorPage, inMemoryList, pageFrom } from './cursor-page.ts';

/** A list of numbers that falls, and where a cursor leads in it: to the first that is not greater. */
const lists = fc.uniqueArray(fc.nat(100), { maxLength: 30 }).map(numbers => numbers.sort((a, b) => b - a));
const firstOf = (rows: readonly number[], cursor: string): number => {
  const found = rows.findIndex(row => row <= Number(cursor));
  return found < 0 ? rows.length : found;
};
const read = (rows: readonly number[], cursor: string | null, limit: number) =>
  pageFrom(inMemoryList(rows, String), cursor === null ? 0 : firstOf(rows, cursor), limit);
const limits = fc.integer({ min: 1, max: 12 });

test('walking by next gives every row once, in order', () =>
  fc.assert(
    fc.asyncProperty(lists, limits, async (rows, limit) => {
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const page = await read(rows, cursor, limit);
        seen.push(...page.rows);
        cursor = page.cursor.next;
      } while (cursor !== null);
      assert.deepEqual(seen, rows);
    }),
  ));

test('walking by previous from past the end leads over every row to the first page', () =>
  fc.assert(
    fc.asyncProperty(lists, limits, async (rows, limit) => {
      const seen = new Set<number>();
      let page = await pageFrom(inMemoryList(rows, String), rows.length, limit);
      assert.deepEqual(page.rows, []);
      while (page.cursor.previous !== null) {
        page = await read(rows, page.cursor.previous, limit);
        for (const row of page.rows) seen.add(row);
      }
      assert.deepEqual(page.rows, rows.slice(0, limit));
      assert.equal(seen.size, rows.length);
    }),
  ));

test('current gives the same page, also once new rows are there before it', () =>
  fc.assert(
    fc.asyncProperty(lists, limits, fc.nat(100), async (rows, limit, place) => {
      const page = await read(rows, String(place), limit);
      if (page.cursor.current === null) return;
      const again = await read([103, 102, 101, ...rows], page.cursor.current, limit);
      assert.deepEqual([again.rows, again.cursor.next], [page.rows, page.cursor.next]);
    }),
  ));

test('a position whose row is gone leads to the row after it', () =>
  fc.assert(
    fc.asyncProperty(lists, limits, fc.nat(100), async (rows, limit, gone) => {
      const left = rows.filter(row => row !== gone);
      const page = await read(left, String(gone), limit);
      assert.deepEqual(page.rows, left.filter(row => row < gone).slice(0, limit));
      assert.equal(page.total, left.length);
    }),
  ));

test('the page before one near the top begins with the list', async () => {
  const { cursor } = await read([12, 11, 10, 9, 8], '10', 5);
  assert.deepEqual(cursor, { next: null, previous: '12', current: '10' });
});

test('a page is its envelope, then the records of its rows', async () => {
  const page = await read([3, 2, 1], null, 2);
  assert.equal(
    cursorPage(page, a => ({ a })),
    '{"total":3,"limit":2,"cursor":{"next":"1","previous":null,"current":"3"},"results":[{"a":3},{"a":2}]}',
  );
});
