import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import type { TXS } from '../../../../index/transactions/tables.ts';
import type { Slice } from '../../../../ingest/indexer/lists.ts';

/** A page by type that ends at this place or before it is near an end of the index of fees, and takes one statement. */
export const NEAR = 256;

/** The limit is a power of two, so that few statement texts serve all sizes. Without a limit PostgreSQL would sort all transactions of a type. */
export async function nearPage(
  queries: Queries,
  types: readonly number[],
  { order, limit, offset }: Slice,
): Promise<number[]> {
  const most = 2 ** Math.ceil(Math.log2(Math.max(1, offset + limit)));
  const ofType = `SELECT fee, seq FROM (SELECT t.fee, t.seq FROM txs t WHERE t.type = ?
    ORDER BY t.fee ${order}, t.seq ${order} LIMIT ${most}) AS of_type`;
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order} LIMIT ? OFFSET ?`,
    [...types, limit, offset],
  );
  return rows.map(({ seq }) => seq);
}

/** Where some rows may be hidden, so many times the rows of a page are read: the first number at first, the last one if most rows are hidden. */
const SPARES = [2, 16];

/**
 * A page that ends within NEAR, with only the transactions before a position. One statement reads a few times as many rows of each type as the page has;
 * if they are not enough for the page, it reads more.
 * @returns positions; undefined if these rows are not enough, as most of them are not before that position
 */
export async function nearPageBefore(
  queries: Queries,
  types: readonly number[],
  slice: Slice,
  before: number,
): Promise<number[] | undefined> {
  for (const spare of SPARES) {
    const page = await decidedPage(queries, types, slice, { before, spare });
    if (page) return page;
  }
  return undefined;
}

async function decidedPage(
  queries: Queries,
  types: readonly number[],
  { order, limit, offset }: Slice,
  { before, spare }: { readonly before: number; readonly spare: number },
): Promise<number[] | undefined> {
  const end = offset + limit;
  const most = spare * 2 ** Math.ceil(Math.log2(Math.max(1, end)));
  const ofType = `SELECT type, fee, seq FROM (SELECT t.type, t.fee, t.seq FROM txs t WHERE t.type = ?
    ORDER BY t.fee ${order}, t.seq ${order} LIMIT ${most}) AS of_type`;
  const rows = await queries.all<RowOf<typeof TXS, 'type' | 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order}`,
    [...types],
  );
  const shown: number[] = [];
  const read = new Map<number, number>();
  for (const { type, seq } of rows) {
    if (seq < before) shown.push(seq);
    if (shown.length >= end) break;
    const count = (read.get(type) ?? 0) + 1;
    // The next rows of this type may belong before the rest of the page.
    if (count === most) return undefined;
    read.set(type, count);
  }
  return shown.slice(offset, end);
}
