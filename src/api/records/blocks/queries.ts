import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { readSignatures } from '../../../index/blocks/stored.ts';
import type { BLOCK_SIGNATURES, BLOCKS } from '../../../index/blocks/tables.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import type { BlockRef } from '../../http/params.ts';
import { type BlockV2, blockV2 } from './record-v2.ts';

/** A canonical block, and the positions of its transactions. */
export interface CanonicalBlock {
  readonly height: number;
  readonly indexBlockHash: string;
  /** As getBlockV2 serves it. */
  readonly record: BlockV2;
  readonly txCount: number;
  readonly firstTx: number;
  readonly txRows: number;
  /** The microblock it builds on, as JSON [hash, sequence]. */
  readonly parentMicroblock: string | null;
  /** Accepted microblocks as JSON [[hash, transactions], ...]. */
  readonly microblocks: string | null;
}

export type BlockRow = RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows' | 'microblocks'> &
  BlockRecordRow &
  RowOf<typeof KNOWN_BLOCKS, 'parent_microblock'>;

const FIELDS = `b.seq, ${RECORD_FIELDS}, b.first_tx, b.tx_rows, k.parent_microblock, b.microblocks`;

const toBlock = (row: BlockRow): CanonicalBlock => ({
  height: row.seq + 1,
  indexBlockHash: toHex(row.index_block_hash),
  record: blockV2(row),
  txCount: row.tx_count,
  firstTx: row.first_tx,
  txRows: row.tx_rows,
  parentMicroblock: row.parent_microblock,
  microblocks: row.microblocks,
});

/** The canonical block of this height, block hash or index block hash (docs/spec/blocks.md#block-ids). */
export async function findBlock(queries: Queries, ref: BlockRef): Promise<CanonicalBlock | undefined> {
  const end = horizonOf(queries)?.height;
  if ('latest' in ref && end === undefined)
    return one(queries, `SELECT ${FIELDS} FROM ${CANONICAL} ORDER BY b.seq DESC LIMIT 1`, []);
  if ('latest' in ref || 'height' in ref) {
    const height = 'height' in ref ? ref.height : (end ?? 0);
    return one(queries, `SELECT ${FIELDS} FROM ${CANONICAL} WHERE b.seq = ?`, [height - 1]);
  }
  const hash = fromHex(ref.hash) ?? null;
  return (await byHash(queries, 'index_block_hash', hash)) ?? (await byHash(queries, 'block_hash', hash));
}

const byHash = (queries: Queries, column: 'index_block_hash' | 'block_hash', hash: Uint8Array | null) =>
  one(queries, `SELECT ${FIELDS} FROM ${CANONICAL} AND b.seq = k.height - 1 WHERE k.${column} = ?`, [hash]);

async function one(
  queries: Queries,
  sql: string,
  params: (number | Uint8Array | null)[],
): Promise<CanonicalBlock | undefined> {
  const row = await queries.get<BlockRow>(sql, params);
  return row && row.seq < endOfBlocks(queries) ? toBlock(row) : undefined;
}

/** Canonical blocks from a position downwards; position n is the block of height n + 1. */
export async function blocksDownFrom(queries: Queries, position: number, limit: number): Promise<CanonicalBlock[]> {
  const rows = await queries.all<BlockRow>(
    `SELECT ${FIELDS} FROM ${CANONICAL} WHERE b.seq <= ? AND b.seq > ? ORDER BY b.seq DESC`,
    [Math.min(position, endOfBlocks(queries) - 1), position - limit],
  );
  return rows.map(toBlock);
}

/** A block that no longer is, or never was, canonical. */
export interface OrphanedBlock {
  /** The record that getBlockV2 would serve if it were canonical. */
  readonly record: BlockV2;
  readonly parentIndexBlockHash: string;
  readonly height: number;
  readonly parentMicroblock: string | null;
}

/** A block, canonical or not. */
export type FoundBlock = { readonly canonical: CanonicalBlock } | { readonly orphan: OrphanedBlock };

/** The highest canonical block of a burn block, else its highest orphaned one (getBlockByBurnBlockHashV1). */
export const findByBurnBlock = (queries: Queries, burnBlockHash: Uint8Array): Promise<FoundBlock | undefined> =>
  findAnyBlock(queries, 'burn_block_hash', burnBlockHash);

/** The same by block hash, 0x hex. Blocks of different forks can have the same block hash. */
export const findByBlockHash = (queries: Queries, blockHash: string): Promise<FoundBlock | undefined> =>
  findAnyBlock(queries, 'block_hash', fromHex(blockHash) ?? null);

/** The same by index block hash. */
export async function findByIndexBlockHash(queries: Queries, indexBlockHash: string): Promise<FoundBlock | undefined> {
  const canonical = await byHash(queries, 'index_block_hash', fromHex(indexBlockHash) ?? null);
  if (canonical) return { canonical };
  return findOrphan(queries, 'index_block_hash = ? AND height > 0', fromHex(indexBlockHash) ?? null);
}

/** As findByBlockHash, including the boot block (getBlockByHashV1). */
export const findByBlockHashOrBoot = (queries: Queries, blockHash: Uint8Array): Promise<FoundBlock | undefined> =>
  findAnyBlock(queries, 'block_hash', blockHash, true);

/** The same by the height of the burn block; includes the boot block if no other block has that height. */
export const findByBurnHeight = (queries: Queries, burnHeight: number): Promise<FoundBlock | undefined> =>
  findAnyBlock(queries, 'burn_block_height', burnHeight, true);

/** The block of a height: the canonical one, else the first to arrive; for height 0, the boot block. */
export async function findByHeight(queries: Queries, height: number): Promise<FoundBlock | undefined> {
  const canonical = await findBlock(queries, { height });
  if (canonical) return { canonical };
  // The first condition excludes no block: it allows the use of the index, which begins with that column.
  return findOrphan(queries, 'connected IN (0, 1) AND height = ?', height);
}

async function findAnyBlock(
  queries: Queries,
  column: 'burn_block_hash' | 'block_hash' | 'burn_block_height',
  value: Uint8Array | number | null,
  boot = false,
): Promise<FoundBlock | undefined> {
  const canonical = await one(
    queries,
    `SELECT ${FIELDS} FROM ${CANONICAL} AND b.seq = k.height - 1 WHERE k.${column} = ? AND b.seq < ?
      ORDER BY b.seq DESC LIMIT 1`,
    [value, endOfBlocks(queries)],
  );
  if (canonical) return { canonical };
  return findOrphan(queries, `${column} = ?${boot ? '' : ' AND height > 0'}`, value);
}

/** As of a block, only the boot block counts as seen among those that are not canonical. */
const SEEN_AS_OF = ' AND height = 0';

async function findOrphan(
  queries: Queries,
  condition: string,
  value: Uint8Array | number | null,
): Promise<FoundBlock | undefined> {
  const row = await queries.get<BlockRecordRow & RowOf<typeof KNOWN_BLOCKS, 'parent_microblock'>>(
    `SELECT ${RECORD_FIELDS}, k.parent_microblock FROM known_blocks k
      WHERE ${condition}${horizonOf(queries) ? SEEN_AS_OF : ''} ORDER BY height DESC, arrival ASC LIMIT 1`,
    [value],
  );
  return (
    row && {
      orphan: {
        record: blockV2(row),
        parentIndexBlockHash: toHex(row.parent_index_block_hash),
        height: row.height,
        parentMicroblock: row.parent_microblock,
      },
    }
  );
}

/**
 * The record of the highest of these blocks, canonical or not (`canonical` is always true in it); among equally high ones
 * the first to arrive. Without the boot block. @param indexBlockHashes 0x hex
 */
export async function highestKnownBlock(
  queries: Queries,
  indexBlockHashes: Iterable<string>,
): Promise<BlockV2 | undefined> {
  const found = await allIn<BlockRecordRow & RowOf<typeof KNOWN_BLOCKS, 'arrival'>>(
    queries,
    list => `SELECT ${RECORD_FIELDS}, k.arrival FROM known_blocks k WHERE index_block_hash IN ${list} AND height > 0`,
    [...indexBlockHashes].map(hash => fromHex(hash) ?? null),
  );
  const [highest] = found.sort((a, b) => b.height - a.height || a.arrival - b.arrival);
  return highest && blockV2(highest);
}

/**
 * The height of the block with this block hash (0x hex): of the canonical block if there is one, else of the highest.
 * For the boot block it is 0. Undefined for an unknown hash.
 */
export async function heightOfBlockHash(queries: Queries, blockHash: string): Promise<number | undefined> {
  const row = await queries.get<RowOf<typeof KNOWN_BLOCKS, 'height'>>(
    `SELECT k.height FROM known_blocks k LEFT JOIN blocks b ON b.known = k.arrival AND b.seq = k.height - 1
      WHERE k.block_hash = ? ORDER BY CASE WHEN b.seq IS NULL THEN 1 ELSE 0 END, k.height DESC LIMIT 1`,
    [fromHex(blockHash) ?? null],
  );
  return row?.height;
}

/** The signatures of a canonical block, 0x hex; empty for an unknown or unsigned block. */
export async function signerSignatures(queries: Queries, ref: BlockRef): Promise<string[]> {
  const block = await findBlock(queries, ref);
  const row =
    block &&
    (await queries.get<RowOf<typeof BLOCK_SIGNATURES, 'signatures'>>(
      'SELECT signatures FROM block_signatures WHERE seq = ?',
      [block.height - 1],
    ));
  return row ? readSignatures(row.signatures) : [];
}
