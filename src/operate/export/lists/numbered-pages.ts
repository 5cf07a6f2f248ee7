import type { Span } from '../../../base/lib/span.ts';
import type { Queries, Row, Table } from '../../../base/store/database.ts';
import { FatalDatabaseError } from '../../../base/store/errors.ts';
import type { ExportPage } from '../exported-list.ts';
import type { PinnedRead } from '../pinned-reads.ts';

/** A page ends with the row that passes one of these. A single row can be larger. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Rows that are numbered by a column `seq` without gaps. */
interface NumberedRows<R extends Row, Exported> {
  readonly table: Table;
  /** A column of the table that can be large. */
  readonly large: string;
  /** The rows with these numbers, in order. */
  readonly rows: (queries: Queries, numbers: Span) => Promise<readonly R[]>;
  /** Converts a row to a row of the list. */
  readonly exported: (row: R) => Exported;
}

/** The rows with these numbers in pages that fit in memory, each read in a snapshot of its own. */
export async function* numberedPages<R extends Row & { readonly seq: number }, Exported>(
  read: PinnedRead,
  { table, large, rows, exported }: NumberedRows<R, Exported>,
  { from, to }: Span,
): AsyncGenerator<ExportPage<Exported>> {
  for (let next = from; next < to; ) {
    const start = next;
    const page = await read(async queries => {
      const sizes = await queries.all<{ bytes: number }>(
        `SELECT coalesce(octet_length(${large}), 0) AS bytes FROM ${table.name} WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ${MAX_ROWS}`,
        [start, to],
      );
      return rows(queries, { from: start, to: start + fitting(sizes) });
    });
    const last = page.at(-1);
    if (last === undefined) throw new FatalDatabaseError('CORRUPT', `${table.name} has no row ${start}`);
    next = last.seq + 1;
    yield { rows: page.map(exported), share: (next - from) / (to - from) };
  }
}

/** How many of the first rows make a page; at least one. */
function fitting(sizes: readonly { readonly bytes: number }[]): number {
  let bytes = 0;
  const last = sizes.findIndex(size => {
    bytes += size.bytes;
    return bytes >= MAX_BYTES;
  });
  return last < 0 ? Math.max(1, sizes.length) : last + 1;
}
