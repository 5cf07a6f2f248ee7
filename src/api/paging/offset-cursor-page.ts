/**
 * Pages of version 2 with an offset and cursors. Rows are numbered from the oldest; a page begins with the newest row, or with the row of a
 * cursor, and continues towards the oldest:
 *
 *     limit 2, offset 1, cursor of row 7:   rows 6 5   cursor: row 6   prev_cursor: row 4   next_cursor: row 8, or 7 if that is the newest
 */
import { isInSpan, lengthOf, type Span } from '../../base/lib/span.ts';
import { notFound } from '../http/errors.ts';
import type { Envelope } from './page.ts';

interface NumberedList<Row> {
  /** The numbers of its rows. */
  readonly span: Span;
  /** `limit` rows from a number down; fewer at the end of the list. */
  readonly rows: (first: number, limit: number) => Promise<readonly Row[]>;
  /** The number of the row that a cursor names; undefined if no row of the list has the cursor. */
  readonly numberOf: (cursor: string) => Promise<number | undefined>;
  /** The cursors of the rows with these numbers, all within the span. */
  readonly cursorsAt: (numbers: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** The cursor of the first row of a page, if the row itself contains it. */
  readonly cursorOf?: (row: Row) => string;
}

export interface OffsetCursorQuery {
  readonly limit: number;
  /** Counts from the newest row, or from the row of the cursor; a negative offset goes towards the newest. */
  readonly offset: number;
  readonly cursor?: string;
}

/**
 * The page at an offset; an empty page outside of the list. The next newer page begins `limit` rows from it, or with the newest
 * row.
 * @throws ApiError 404 for a cursor that no row has
 */
export async function offsetCursorPage<Row>(
  list: NumberedList<Row>,
  { limit, offset, cursor }: OffsetCursorQuery,
): Promise<{ readonly envelope: Envelope; readonly rows: readonly Row[] }> {
  const { span, cursorOf } = list;
  const total = lengthOf(span);
  const anchor = cursor === undefined || total === 0 ? span.to - 1 : ((await list.numberOf(cursor)) ?? Number.NaN);
  const first = anchor - offset;
  if (cursor !== undefined && !isInSpan(anchor, span)) throw notFound('Cursor not found');
  if (!isInSpan(first, span)) {
    return { envelope: { limit, offset, total, next_cursor: null, prev_cursor: null, cursor: null }, rows: [] };
  }
  const rows = await list.rows(first, limit);
  const own = rows[0] && cursorOf?.(rows[0]);
  const newest = span.to - 1;
  const newer = first === newest ? undefined : Math.min(first + limit, newest);
  const wanted = [...(newer === undefined ? [] : [newer]), first - limit, ...(own === undefined ? [first] : [])];
  const numbers = wanted.filter(number => isInSpan(number, span));
  const cursors = numbers.length === 0 ? undefined : await list.cursorsAt(numbers);
  const cursorAt = (number: number) => cursors?.get(number) ?? null;
  const next_cursor = newer === undefined ? null : cursorAt(newer);
  const prev_cursor = cursorAt(first - limit);
  return { envelope: { limit, offset, total, next_cursor, prev_cursor, cursor: own ?? cursorAt(first) }, rows };
}
