/**
 * Finds where a place is relative to the canonical chain. Only this file, the steps of the log in chain.ts and the tokens handle a chain
 * whose block 1 was changed by a late boot block.
 */
import { toHex } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { CANONICAL, hashesAt, isCanonical } from '../../index/blocks/canonical-chain.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { BEGINNING, isOfChanged, type LogPosition, PLACE, placeIn } from './token.ts';

/**
 * When block 1 has changed, a client below this height gets all blocks again; for a client above it the log continues
 * from the tip.
 */
const MOST_RESENT = 10_000;

/** The place of the tip. */
export async function placeOfTip(queries: Queries): Promise<LogPosition> {
  const { tip } = await readState(queries);
  return tip ? placeIn(tip.height, tip.indexBlockHash, PLACE.end, await isBlock1Changed(queries)) : BEGINNING;
}

/**
 * Whether the boot block came after block 1 and so changed its content under the same hash
 * (docs/spec/ingestion.md#boot-block). Tokens issued before the change no longer match.
 */
export async function isBlock1Changed(queries: Queries): Promise<boolean> {
  const row = await queries.get<{ readonly block: number; readonly boot: number }>(
    `SELECT k.arrival AS block, boot.arrival AS boot FROM ${CANONICAL}
      JOIN known_blocks boot ON boot.index_block_hash = k.parent_index_block_hash
      WHERE b.seq = 0 AND boot.height = 0`,
  );
  return row !== undefined && row.boot > row.block;
}

/** The first place that can be resumed with this many blocks below the tip. */
export async function earliestPlace(queries: Queries, distance: number): Promise<LogPosition> {
  const tip = await placeOfTip(queries);
  const height = tip.height - distance;
  const hash = height < 1 ? undefined : (await hashesAt(queries, [height - 1])).get(height - 1);
  return hash === undefined ? BEGINNING : placeIn(height, hash, PLACE.end, isOfChanged(tip));
}

export interface RemovedBlock {
  readonly height: number;
  /** 0x hex. */
  readonly indexBlockHash: string;
  /** Whether the block is no longer canonical. A canonical block is only sent again. */
  readonly isLost: boolean;
}

/**
 * The position of a block relative to the canonical chain: the highest canonical block at or below it, and the blocks
 * above that one on its fork, newest first.
 */
interface Standing {
  readonly ancestor: number;
  readonly removed: readonly RemovedBlock[];
}

type LinkRow = RowOf<typeof KNOWN_BLOCKS, 'arrival' | 'height' | 'index_block_hash' | 'parent_index_block_hash'>;

const LINK = 'arrival, height, index_block_hash, parent_index_block_hash';

/**
 * Finds where a place is relative to the canonical chain, or why it is on no known chain. @param isChanged whether
 * block 1 of the canonical chain was changed
 */
export async function standingOf(
  queries: Queries,
  place: LogPosition,
  isChanged: boolean,
  distance: number,
  pause: Pause,
): Promise<Standing | 'unknown' | 'expired'> {
  if (place.height === 0) return place.hash === BEGINNING.hash ? { ancestor: 0, removed: [] } : 'unknown';
  let row = await blockOf(queries, place);
  const removed: RemovedBlock[] = [];
  while (row && removed.length <= distance) {
    await pause();
    if (await isCanonical(queries, row)) {
      if (!isChanged || isOfChanged(place)) return { ancestor: row.height, removed };
      if (row.height > Math.min(distance, MOST_RESENT)) return 'expired';
      return { ancestor: 0, removed: [...removed, ...(await blocksToResend(queries, row.height))] };
    }
    removed.push({ height: row.height, indexBlockHash: toHex(row.index_block_hash), isLost: true });
    if (row.height === 1) return { ancestor: 0, removed };
    const sql = `SELECT ${LINK} FROM known_blocks WHERE index_block_hash = ? AND connected = 1`;
    row = await queries.get<LinkRow>(sql, [row.parent_index_block_hash]);
  }
  return row ? 'expired' : 'unknown';
}

/** Whether the block of a place is known here. */
export const isKnownPlace = async (queries: Queries, place: LogPosition): Promise<boolean> =>
  place.height === 0 || (await blockOf(queries, place)) !== undefined;

async function blockOf(queries: Queries, { height, hash }: LogPosition): Promise<LinkRow | undefined> {
  const sql = `SELECT ${LINK} FROM known_blocks WHERE connected = 1 AND height = ?`;
  const rows = await queries.all<LinkRow>(sql, [height]);
  return rows.find(each => toHex(each.index_block_hash).slice(2).startsWith(hash));
}

/** The canonical blocks up to this height, the highest first. */
async function blocksToResend(queries: Queries, height: number): Promise<RemovedBlock[]> {
  const rows = await queries.all<RowOf<typeof KNOWN_BLOCKS, 'height' | 'index_block_hash'>>(
    `SELECT k.height, k.index_block_hash FROM ${CANONICAL}
      WHERE b.seq < ? ORDER BY b.seq DESC`,
    [height],
  );
  return rows.map(row => ({ height: row.height, indexBlockHash: toHex(row.index_block_hash), isLost: false }));
}
