/** Orphaned branches (docs/spec/blocks.md#forks). */
import { fromHex, hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import type { ORPHANED_BLOCKS } from '../../../ingest/indexer/orphaned-blocks.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { blockV2 } from '../blocks/record-v2.ts';

/** Most blocks of a fork above its first to follow; higher ones are not read. */
const HIGHEST = 1000;

/** Maximum number of blocks in a response about a fork. */
export const MOST_FORK_BLOCKS = 100;

/** A block of either branch. Hashes 0x hex. */
interface BlockName {
  readonly height: number;
  readonly hash: string;
  readonly index_hash: string;
}

/** The first block of a fork: its parent is canonical, or it is of height 1. */
type Root = RowOf<typeof ORPHANED_BLOCKS, 'height' | 'block' | 'parent'>;

/** A position in the list of forks, the highest first; there may be no fork at it. */
export interface ForkPosition {
  readonly height: number;
  /** Index block hash, 0x hex. */
  readonly id: string;
}

const IS_ROOT = 'NOT EXISTS (SELECT 1 FROM orphaned_blocks p WHERE p.height = o.height - 1 AND p.block = o.parent)';

/** The forks from a position on. @param from undefined for all */
export async function forksFrom(
  queries: Queries,
  limit: number,
  from: ForkPosition | undefined,
): Promise<CursorPage<Root>> {
  const read = (condition: '<=' | '>', order: 'ASC' | 'DESC', at: ForkPosition | undefined, rows: number) =>
    queries.all<Root>(
      `SELECT o.height, o.block, o.parent FROM orphaned_blocks o
        WHERE ${IS_ROOT} ${at ? `AND (o.height, o.block) ${condition} (?, ?)` : ''}
        ORDER BY o.height ${order}, o.block ${order} LIMIT ?`,
      [...(at ? [at.height, hexBytes(at.id)] : []), rows],
    );
  const counted = await queries.get<{ n: number }>(`SELECT count(*) AS n FROM orphaned_blocks o WHERE ${IS_ROOT}`);
  const list = {
    total: counted?.n ?? 0,
    cursor: ({ height, block }: Root) => `${height}:${toHex(block)}`,
    from: (rows: number) => read('<=', 'DESC', from, rows),
    before: (row: Root | undefined, rows: number) =>
      read('>', 'ASC', row && { height: row.height, id: toHex(row.block) }, rows),
  };
  return seekPage(list, limit);
}

/** The fork that a block is in. @param hash its index block hash or block hash, 0x hex */
export async function findFork(queries: Queries, hash: string): Promise<Root | undefined> {
  return (await forkOf(queries, 'index_block_hash', hash)) ?? (await forkOf(queries, 'block_hash', hash));
}

/** The fork of a block; of several with this hash, the highest with the greatest index block hash: blocks of different forks can share a block hash. */
function forkOf(queries: Queries, column: 'index_block_hash' | 'block_hash', hash: string): Promise<Root | undefined> {
  return queries.get<Root>(
    `WITH RECURSIVE branch (height, block, parent, depth) AS (
       SELECT * FROM (SELECT o.height, o.block, o.parent, CAST(0 AS bigint) FROM known_blocks k
         JOIN orphaned_blocks o ON o.height = k.height AND o.block = k.index_block_hash
        WHERE k.${column} = ? ORDER BY o.height DESC, o.block DESC LIMIT 1) AS found
       UNION ALL
       SELECT o.height, o.block, o.parent, branch.depth + 1
         FROM branch JOIN orphaned_blocks o ON o.height = branch.height - 1 AND o.block = branch.parent
        WHERE branch.depth < ${HIGHEST}
     )
     SELECT o.height, o.block, o.parent FROM branch o WHERE ${IS_ROOT} ORDER BY height LIMIT 1`,
    [fromHex(hash) ?? null],
  );
}

/** SQL: the blocks of forks from their first blocks upwards. @param first condition for the first blocks */
const branches = (first: string): string => `WITH RECURSIVE branch (root, start, height, block, known) AS (
  SELECT block, height, height, block, known FROM orphaned_blocks WHERE ${first}
  UNION ALL
  SELECT b.root, b.start, o.height, o.block, o.known
    FROM branch b JOIN orphaned_blocks o ON o.height = b.height + 1 AND o.parent = b.block
   WHERE b.height < b.start + ${HIGHEST})`;

/** These forks in the form of a list, in this order. */
export async function forksV3(queries: Queries, roots: readonly Root[]) {
  const heights = roots.map(({ height }) => height);
  const counts = await allIn<{ root: Uint8Array; blocks: number; txs: number; top: number }>(
    queries,
    list => `${branches(`height >= ? AND height <= ? AND block IN ${list}`)}
      SELECT b.root, count(*) AS blocks, CAST(sum(k.tx_count) AS bigint) AS txs, max(b.height) AS top
        FROM branch b JOIN known_blocks k ON k.arrival = b.known GROUP BY b.root`,
    roots.map(({ block }) => block),
    [Math.min(...heights, Number.MAX_SAFE_INTEGER), Math.max(...heights, 0)],
  );
  const countOf = new Map(counts.map(row => [toHex(row.root), row]));
  const known = await allIn<BlockRecordRow>(
    queries,
    list => `SELECT ${RECORD_FIELDS} FROM known_blocks k WHERE k.index_block_hash IN ${list}`,
    roots.map(({ block }) => block),
  );
  const timeOf = new Map(known.map(row => [toHex(row.index_block_hash), blockV2(row).block_time]));
  const blockAt = await canonicalBlocksAt(
    queries,
    heights.flatMap(height => [height - 1, height]),
  );
  return roots.map(({ height, block }) => {
    const count = countOf.get(toHex(block));
    return {
      id: toHex(block),
      fork_point: blockAt.get(height - 1) ?? null,
      first_height: height,
      last_height: count?.top ?? height,
      time: timeOf.get(toHex(block)) ?? 0,
      block_count: count?.blocks ?? 1,
      transaction_count: count?.txs ?? 0,
      replaced_by: blockAt.get(height) ?? null,
    };
  });
}

/** The blocks of a fork, the lowest first. */
export async function blocksOfFork(queries: Queries, { height, block }: Root) {
  const rows = await queries.all<BlockRecordRow>(
    `${branches('height = ? AND block = ?')}
      SELECT ${RECORD_FIELDS} FROM branch b JOIN known_blocks k ON k.arrival = b.known
      ORDER BY b.height, b.block LIMIT ${MOST_FORK_BLOCKS}`,
    [height, block],
  );
  return lostBlocks(queries, rows);
}

/** Maximum number of orphaned blocks of one height in a response. */
export const MOST_ORPHANS = 20;

/** The blocks of a height that are not canonical, in the order of their index block hashes: their number, and the first of them. */
export async function orphansAt(queries: Queries, height: number) {
  const counted = await queries.get<{ n: number }>('SELECT count(*) AS n FROM orphaned_blocks WHERE height = ?', [
    height,
  ]);
  const total = counted?.n ?? 0;
  if (total === 0) return { total, results: [] };
  const rows = await queries.all<BlockRecordRow>(
    `SELECT ${RECORD_FIELDS} FROM orphaned_blocks o JOIN known_blocks k ON k.arrival = o.known
      WHERE o.height = ? ORDER BY o.block LIMIT ${MOST_ORPHANS}`,
    [height],
  );
  return { total, results: await lostBlocks(queries, rows) };
}

async function lostBlocks(queries: Queries, rows: readonly BlockRecordRow[]) {
  const records = rows.map(blockV2);
  const blockAt = await canonicalBlocksAt(
    queries,
    records.map(record => record.height),
  );
  return records.map(record => ({
    height: record.height,
    hash: record.hash,
    index_hash: record.index_block_hash,
    parent_index_hash: record.parent_index_block_hash,
    time: record.block_time,
    bitcoin_height: record.burn_block_height,
    transaction_count: record.tx_count,
    replaced_by: blockAt.get(record.height) ?? null,
  }));
}

/** The canonical blocks of these heights, by height. */
async function canonicalBlocksAt(queries: Queries, heights: readonly number[]): Promise<Map<number, BlockName>> {
  const rows = await allIn<RowOf<typeof KNOWN_BLOCKS, 'height' | 'block_hash' | 'index_block_hash'>>(
    queries,
    list => `SELECT k.height, k.block_hash, k.index_block_hash FROM ${CANONICAL} WHERE b.seq IN ${list}`,
    [...new Set(heights)].map(height => height - 1),
  );
  return new Map(
    rows.map(({ height, block_hash, index_block_hash }) => [
      height,
      { height, hash: toHex(block_hash), index_hash: toHex(index_block_hash) },
    ]),
  );
}
