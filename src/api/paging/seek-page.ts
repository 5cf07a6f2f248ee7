import type { CursorPage } from './cursor-page.ts';

/** A list whose rows have keys: pages are found by key, without counting rows. */
interface SoughtList<Row> {
  readonly total: number;
  readonly cursor: (row: Row) => string | Promise<string>;
  /** A number of rows from the requested place, in the order of the list. */
  readonly from: (rows: number) => Promise<readonly Row[]>;
  /** A number of rows before a row, the nearest first; without a row, the last rows of the list, the last first. */
  readonly before: (row: Row | undefined, rows: number) => Promise<readonly Row[]>;
}

/** The page at a place; the previous page begins `limit` rows earlier, or with the first row of the list (docs/spec/cursors.md#pages). */
export async function seekPage<Row>(list: SoughtList<Row>, limit: number): Promise<CursorPage<Row>> {
  const rows = await list.from(limit + 1);
  const current = rows[0];
  const earlier = (await list.before(current, limit)).at(-1);
  const cursorOf = async (row: Row | undefined) => (row === undefined ? null : list.cursor(row));
  return {
    total: list.total,
    limit,
    cursor: {
      next: await cursorOf(rows[limit]),
      previous: await cursorOf(earlier),
      current: await cursorOf(current),
    },
    rows: rows.slice(0, limit),
  };
}
