import { isInSpan, lengthOf, type Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { hashesAt } from '../../../index/blocks/canonical-chain.ts';
import { notFound } from '../../http/errors.ts';
import { normalHash } from '../../http/params.ts';
import { page } from '../../paging/page.ts';
import { blocksDownFrom, findBlock } from './queries.ts';

interface BlocksQuery {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
}

/**
 * A page of the blocks of a span of positions in the canonical chain, newest first, from a cursor or the newest; `prev` leads towards genesis, `next` towards the tip
 * (docs/spec/blocks.md#list-of-blocks). As JSON text. Throws the ApiError of a cursor that is not in it.
 */
export async function listBlocks(
  queries: Queries,
  { limit, offset, cursor }: BlocksQuery,
  span: Span,
): Promise<string> {
  const total = lengthOf(span);
  const anchor = cursor === undefined ? span.to - 1 : ((await positionOf(queries, cursor)) ?? Number.NaN);
  const first = anchor - offset;
  const blocks =
    isInSpan(anchor, span) && isInSpan(first, span)
      ? await blocksDownFrom(queries, first, Math.min(limit, first - span.from + 1))
      : [];
  if (blocks.length === 0) {
    if (cursor !== undefined) throw notFound('Cursor not found');
    return page({ limit, offset, total, next_cursor: null, prev_cursor: null, cursor: null }, []);
  }
  const hashes = await hashesAt(queries, [first + limit, first - limit]);
  const cursorAt = (position: number) => (isInSpan(position, span) ? (hashes.get(position) ?? null) : null);
  const envelope = {
    limit,
    offset,
    total,
    next_cursor: cursorAt(first + limit),
    prev_cursor: cursorAt(first - limit),
    cursor: blocks[0]?.indexBlockHash ?? null,
  };
  return page(
    envelope,
    blocks.map(block => JSON.stringify(block.record)),
  );
}

/** A cursor is an index block hash; a block hash is not one. */
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

/** Positions of the blocks that have a value which all neighbours share; undefined for none. */
export async function spanOfBlocks(
  queries: Queries,
  column: 'tenure_height' | 'burn_number',
  value: number,
): Promise<Span | undefined> {
  const end = (order: 'ASC' | 'DESC') =>
    `(SELECT seq FROM blocks WHERE ${column} = ? ORDER BY ${column} ${order}, seq ${order} LIMIT 1)`;
  const sql = `SELECT ${end('ASC')} AS first, ${end('DESC')} AS last`;
  const row = await queries.get<{ first: number | null; last: number | null }>(sql, [value, value]);
  return row && row.first !== null && row.last !== null ? { from: row.first, to: row.last + 1 } : undefined;
}
