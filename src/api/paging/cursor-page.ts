/**
 * Pages of version 3: a cursor names the first row of a page (docs/spec/cursors.md). Rows are numbered from 0 in the order
 * of the list, so the starts of pages are computed; a list only maps cursors to rows and rows to cursors.
 */
import type { TSchema } from 'typebox';
import { nullable } from '../http/schema.ts';
import { Type } from '../http/type.ts';

/** A list with cursors. */
export interface CursorList<Row> {
  readonly length: number;
  /** The rows from number `from` up to `to` (exclusive), in the order of the list; both are within the list. */
  readonly rows: (from: number, to: number) => Promise<readonly Row[]>;
  /** The cursors of rows that `rows` returned. */
  readonly cursors: (rows: readonly Row[]) => readonly string[] | Promise<readonly string[]>;
}

/** A page, and the cursors of the pages before and after it. */
export interface CursorPage<Row> {
  readonly total: number;
  readonly limit: number;
  readonly cursor: { readonly next: string | null; readonly previous: string | null; readonly current: string | null };
  readonly rows: readonly Row[];
}

/**
 * The page that begins with a row; an empty page past the end. The previous page begins `limit` rows earlier, or with the first row of the
 * list.
 * @param first the number of the row
 */
export async function pageFrom<Row>(list: CursorList<Row>, first: number, limit: number): Promise<CursorPage<Row>> {
  const { length: total } = list;
  const from = Math.min(first, total);
  const before = from === 0 ? undefined : Math.max(0, from - limit);
  const [rows, earlier] = await Promise.all([
    from === total ? [] : list.rows(from, Math.min(from + limit + 1, total)),
    before === undefined ? [] : list.rows(before, before + 1),
  ]);
  const ends = [rows.slice(limit, limit + 1), earlier, rows.slice(0, 1)].flat();
  const cursors = await list.cursors(ends);
  const cursorOf = (row: Row) => cursors[ends.indexOf(row)] ?? '';
  return pageOfRows({ total, limit, rows, before: earlier[0], cursorOf });
}

/**
 * The page made of rows that were read.
 * @param read `rows` from the first one on, with one more than the page has; `before`: the first row of the previous page
 */
export function pageOfRows<Row>(read: {
  readonly total: number;
  readonly limit: number;
  readonly rows: readonly Row[];
  readonly before: Row | undefined;
  readonly cursorOf: (row: Row) => string;
}): CursorPage<Row> {
  const { total, limit, rows, before, cursorOf } = read;
  const cursor = (row: Row | undefined) => (row === undefined ? null : cursorOf(row));
  return {
    total,
    limit,
    cursor: { next: cursor(rows[limit]), previous: cursor(before), current: cursor(rows[0]) },
    rows: rows.slice(0, limit),
  };
}

/** A list whose rows are all in memory. @param cursorOf of a row */
export const inMemoryList = <Row>(rows: readonly Row[], cursorOf: (row: Row) => string): CursorList<Row> => ({
  length: rows.length,
  rows: async (from, to) => rows.slice(from, to),
  cursors: some => some.map(cursorOf),
});

/** The JSON text of a page. @param record a row as it is served */
export const cursorPage = <Row>(page: CursorPage<Row>, record: (row: Row) => object): string =>
  cursorPageOfRecords(page, page.rows.map(record));

/** As `cursorPage`, for rows that need more data to be served. @param results the rows as they are served */
export const cursorPageOfRecords = (page: CursorPage<unknown>, results: readonly object[]): string => {
  const { total, limit, cursor } = page;
  return JSON.stringify({ total, limit, cursor, results });
};

/** The schema of a page. */
export const cursorPageOf = <Item extends TSchema>(record: Item, title: string) =>
  Type.Object(
    {
      total: Type.Integer({ minimum: 0, examples: [1], description: 'Length of the whole list' }),
      limit: Type.Integer({ minimum: 1, examples: [20], description: 'Records that the page can have' }),
      cursor: Type.Object(
        {
          next: nullable(Type.String(), 'Of the page after this one'),
          previous: nullable(Type.String(), 'Of the page before this one'),
          current: nullable(Type.String(), 'Of this page: its first row'),
        },
        { title: 'Cursors', examples: [{ next: null, previous: null, current: null }] },
      ),
      results: Type.Array(record),
    },
    { title },
  );

/** The paging parameters of a request. */
export interface CursorQuery {
  readonly limit: number;
  readonly cursor?: string;
}
