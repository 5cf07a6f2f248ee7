import type { Queries } from '../../../../base/store/database.ts';
import type { RowOf } from '../../../../base/store/table.ts';
import type { TXS } from '../../../../index/transactions/tables.ts';
import type { Slice } from '../../../../ingest/indexer/lists.ts';

/** Pages of types that end here or before are at an end of the index of fees, and cost one statement. */
export const NEAR = 256;

/** With a limit that is a power of two few statement texts serve all sizes; without one PostgreSQL sorts all there is of a type. */
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

/** So many times the rows of a page are read where some of them may be hidden. */
const SPARE = 4;

/**
 * A page that ends within NEAR, of the transactions before a position alone. Reads a few times the rows of the page of each type, in one statement.
 * @returns positions; undefined where these rows do not decide the page, as most of them are not before that position
 */
export async function nearPageBefore(
  queries: Queries,
  types: readonly number[],
  { order, limit, offset }: Slice,
  before: number,
): Promise<number[] | undefined> {
  const end = offset + limit;
  const most = SPARE * 2 ** Math.ceil(Math.log2(Math.max(1, end)));
  const ofType = `SELECT type, fee, seq FROM (SELECT t.type, t.fee, t.seq FROM txs t WHERE t.type = ?
    ORDER BY t.fee ${order}, t.seq ${order} LIMIT ${most}) AS of_type`;
  const rows = await queries.all<RowOf<typeof TXS, 'type' | 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order}`,
    [...types],
  );
  const shown = rows.filter(({ seq }) => seq < before);
  // A type of which more rows follow decides as far as its last row that was read.
  const isDecided = types.every(type => {
    const ofType = (all: typeof rows) => all.filter(row => row.type === type).length;
    return ofType(rows) < most || ofType(shown) >= end;
  });
  return isDecided ? shown.slice(offset, end).map(({ seq }) => seq) : undefined;
}
