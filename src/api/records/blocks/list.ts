import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { hashesAt } from '../../../index/blocks/canonical-chain.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { normalHash } from '../../http/params.ts';
import { type OffsetCursorQuery, offsetCursorPage } from '../../paging/offset-cursor-page.ts';
import { pageOfRecords } from '../../paging/page.ts';
import { blocksDownFrom, findBlock } from './queries.ts';

/**
 * A page of the blocks of a span of positions in the canonical chain, newest first (docs/spec/blocks.md#list-of-blocks). As JSON text.
 * Throws the ApiError of a cursor that is not in it.
 */
export async function listBlocks(queries: Queries, query: OffsetCursorQuery, span: Span): Promise<string> {
  const { envelope, rows } = await offsetCursorPage(
    {
      span,
      rows: (first, limit) => blocksDownFrom(queries, first, Math.min(limit, first - span.from + 1)),
      numberOf: cursor => positionOf(queries, cursor),
      cursorsAt: positions => hashesAt(queries, positions),
      cursorOf: block => block.indexBlockHash,
    },
    query,
  );
  return pageOfRecords(
    envelope,
    rows.map(({ record }) => record),
  );
}

/** The position of a cursor, which is an index block hash, not a block hash. */
async function positionOf(queries: Queries, cursor: string): Promise<number | undefined> {
  const hash = normalHash(cursor);
  const block = await findBlock(queries, { hash });
  return block?.indexBlockHash === hash ? block.height - 1 : undefined;
}

/** Positions of the blocks of a tenure. */
export async function spanOfTenure(queries: Queries, tenureHeight: number): Promise<Span> {
  const found = await spanOfBlocks(queries, 'tenure_height', tenureHeight);
  return found ?? { from: 0, to: 0 };
}

/** Positions of the blocks with a value, which are neighbours; undefined if no block has it. */
export async function spanOfBlocks(
  queries: Queries,
  column: 'tenure_height' | 'burn_number',
  value: number,
): Promise<Span | undefined> {
  const end = (order: 'ASC' | 'DESC') =>
    `(SELECT seq FROM blocks WHERE ${column} = ? ORDER BY ${column} ${order}, seq ${order} LIMIT 1)`;
  const sql = `SELECT ${end('ASC')} AS first, ${end('DESC')} AS last`;
  const row = await queries.get<{ first: number | null; last: number | null }>(sql, [value, value]);
  if (!row || row.first === null || row.last === null) return undefined;
  const shown = horizonOf(queries)?.height ?? row.last + 1;
  return row.first < shown ? { from: row.first, to: Math.min(row.last + 1, shown) } : undefined;
}
