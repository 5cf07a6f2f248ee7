import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { KnownBlock } from '../../ingest/chain/fork-choice.ts';
import { horizonOf } from '../../ingest/indexer/horizon.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { countNumbered } from '../../ingest/indexer/lists.ts';
import type { FACTS } from '../../ingest/indexer/tables.ts';
import { BURN_TIMES, POX_UNLOCK_HEIGHTS, UNANCHORED } from './chain-facts.ts';
import {
  readBurnTimes,
  readUnanchored,
  readUnlockHeights,
  type UnanchoredMicroblock,
  type UnlockHeights,
} from './stored.ts';
import { BLOCKS } from './tables.ts';

/** Joins the canonical chain with KNOWN_BLOCKS; from either side it is a lookup by key. */
export const CANONICAL = 'blocks b JOIN known_blocks k ON k.arrival = b.known';

/** Number of canonical blocks, which is also the height of the tip. */
export const countBlocks = async (queries: Queries): Promise<number> =>
  horizonOf(queries)?.height ?? countNumbered(queries, BLOCKS);

/** Whether reads show the block of this height. */
const isShown = (queries: Queries, height: number): boolean => height <= (horizonOf(queries)?.height ?? height);

/** Whether this block is the canonical one of its height. */
export async function isCanonical(
  queries: Queries,
  { height, arrival }: Pick<KnownBlock, 'height' | 'arrival'>,
): Promise<boolean> {
  if (height < 1 || !isShown(queries, height)) return false;
  const row = await queries.get('SELECT known FROM blocks WHERE seq = ?', [height - 1]);
  return row?.known === arrival;
}

/** The lowest height of a canonical block whose election or burn view is a burn block, of this height or above, that is not canonical. */
export async function lowestUnsoundFrom(queries: Queries, burnBlockHeight: number): Promise<number | undefined> {
  const lowest = async (joinedWith: string): Promise<number> => {
    const row = await queries.get<{ height: number | null }>(
      `SELECT min(k.height) AS height
         FROM known_blocks k
         JOIN blocks b ON b.seq = k.height - 1 AND b.known = k.arrival
         JOIN burn_blocks u ON ${joinedWith}`,
      [burnBlockHeight],
    );
    return row?.height ?? Number.POSITIVE_INFINITY;
  };
  const [elected, seen] = await Promise.all([
    lowest('u.hash = k.burn_block_hash WHERE k.burn_block_height >= ? AND u.canonical = 0'),
    lowest('u.consensus_hash = k.burn_view WHERE u.height >= ? AND u.canonical = 0'),
  ]);
  const found = Math.min(elected, seen);
  return Number.isFinite(found) ? found : undefined;
}

/** Burn height of the canonical block of this height; undefined without such a block. */
export async function burnHeightAt(queries: Queries, height: number): Promise<number | undefined> {
  if (!isShown(queries, height)) return undefined;
  const sql = `SELECT k.burn_block_height FROM ${CANONICAL} WHERE b.seq = ?`;
  return (await queries.get<RowOf<typeof KNOWN_BLOCKS, 'burn_block_height'>>(sql, [height - 1]))?.burn_block_height;
}

/** The heights of the canonical ones of these blocks, by index block hash (0x hex). */
export async function canonicalHeights(
  queries: Queries,
  indexBlockHashes: Iterable<string>,
): Promise<Map<string, number>> {
  const rows = await allIn<RowOf<typeof KNOWN_BLOCKS, 'index_block_hash' | 'height'>>(
    queries,
    list =>
      `SELECT k.index_block_hash, k.height FROM ${CANONICAL} AND b.seq = k.height - 1 WHERE k.index_block_hash IN ${list}`,
    [...indexBlockHashes].map(hash => fromHex(hash) ?? null),
  );
  const shown = rows.filter(({ height }) => isShown(queries, height));
  return new Map(shown.map(row => [toHex(row.index_block_hash), row.height]));
}

/** Number of transactions in canonical blocks: those of unanchored microblocks follow from this position on. */
export async function countAnchoredTransactions(queries: Queries): Promise<number> {
  const horizon = horizonOf(queries);
  if (horizon) return horizon.transactions;
  const sql = 'SELECT first_tx + tx_rows AS n FROM blocks ORDER BY seq DESC LIMIT 1';
  return (await queries.get<{ n: number }>(sql))?.n ?? 0;
}

/** Number of transactions in the canonical blocks up to this height; all of them if the chain is lower. */
export async function txsUpTo(queries: Queries, height: number): Promise<number> {
  const horizon = horizonOf(queries);
  if (horizon && height >= horizon.height) return horizon.transactions;
  const sql = 'SELECT first_tx + tx_rows AS n FROM blocks WHERE seq < ? ORDER BY seq DESC LIMIT 1';
  return (await queries.get<{ n: number }>(sql, [height]))?.n ?? 0;
}

/** The position of the first transaction that no block has yet; undefined when blocks have them all. */
export async function firstUnanchored(queries: Queries): Promise<number | undefined> {
  if (horizonOf(queries)) return undefined;
  const { microblocks } = await readState(queries);
  return microblocks.length > 0 ? countAnchoredTransactions(queries) : undefined;
}

/** The index block hashes at these positions of the canonical chain, as far as it has them. */
export async function hashesAt(queries: Queries, positions: readonly number[]): Promise<Map<number, string>> {
  const rows = await allIn<RowOf<typeof BLOCKS, 'seq'> & RowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>>(
    queries,
    list => `SELECT b.seq, k.index_block_hash FROM ${CANONICAL} WHERE b.seq IN ${list}`,
    positions,
  );
  const shown = rows.filter(({ seq }) => isShown(queries, seq + 1));
  return new Map(shown.map(row => [row.seq, toHex(row.index_block_hash)]));
}

/**
 * The position in the list of all transactions after the last one of the canonical block of this height; undefined without such a
 * block. The boot block (height 0) is empty, as its transactions are in block 1.
 */
export async function endOfBlock(queries: Queries, height: number): Promise<number | undefined> {
  if (height === 0) return 0;
  if (!isShown(queries, height)) return undefined;
  const sql = 'SELECT first_tx + tx_rows AS position FROM blocks WHERE seq = ?';
  return (await queries.get<{ position: number }>(sql, [height - 1]))?.position;
}

/** Burn blocks on top of one after which the burn chain is not expected to replace it. */
const FINAL_BURN_BLOCKS = 6;

/** The number in BLOCKS of the newest final burn block, which has FINAL_BURN_BLOCKS above it. Below 0 while no block is final. */
export async function lastFinalBurnNumber(queries: Queries): Promise<number> {
  const tip = await queries.get<RowOf<typeof BLOCKS, 'burn_number'>>(
    'SELECT burn_number FROM blocks ORDER BY seq DESC LIMIT 1',
  );
  return (tip?.burn_number ?? 0) - FINAL_BURN_BLOCKS;
}

/** Greatest number of seconds by which a burn block's time was behind that of an earlier one. */
export async function greatestLateness(queries: Queries): Promise<number> {
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [BURN_TIMES]);
  return readBurnTimes(row)?.greatestLateness ?? 0;
}

/** Burn heights at which the locks of PoX 1, 2, 3 and 4 end by force, null while unknown. */
export async function forcedUnlockHeights(queries: Queries): Promise<UnlockHeights> {
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [
    POX_UNLOCK_HEIGHTS,
  ]);
  return readUnlockHeights(row, horizonOf(queries)?.height) ?? [];
}

/** As forcedUnlockHeights, for PoX 1, 2 and 3 only. */
export async function readPoxUnlockHeights(queries: Queries): Promise<[number | null, number | null, number | null]> {
  const [v1, v2, v3] = await forcedUnlockHeights(queries);
  return [v1 ?? null, v2 ?? null, v3 ?? null];
}

/** The microblocks streamed on the tip, in order. */
export async function unanchoredMicroblocks(queries: Queries): Promise<readonly UnanchoredMicroblock[]> {
  if (horizonOf(queries)) return [];
  const row = await queries.get<RowOf<typeof FACTS, 'value'>>('SELECT value FROM facts WHERE name = ?', [UNANCHORED]);
  return readUnanchored(row);
}
