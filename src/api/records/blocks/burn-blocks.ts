import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Span } from '../../../base/lib/span.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { positionsOf } from '../../../ingest/indexer/lists.ts';
import type { BlockRef } from '../../http/params.ts';
import { spanOfBlocks } from './list.ts';
import { blockV2 } from './record-v2.ts';

/**
 * The fields that are read of each block of a burn block, which can have a hundred: whole records would cost five times as
 * much, and the response has only the newest one.
 */
const MEMBER_FIELDS = 'b.seq, b.burn_number, k.block_hash, k.block_time, k.tx_count';
type OrphanRow = RowOf<typeof KNOWN_BLOCKS, 'block_hash' | 'block_time' | 'tx_count'>;
type MemberRow = RowOf<typeof BLOCKS, 'seq' | 'burn_number'> & OrphanRow;

/** The record of a burn block (docs/spec/burnchain.md#burn-blocks). @param newestFirst its blocks, at least one */
function burnBlockRecord(newest: BlockRecordRow, newestFirst: readonly OrphanRow[]) {
  const block = blockV2(newest);
  return {
    burn_block_time: block.burn_block_time,
    burn_block_time_iso: block.burn_block_time_iso,
    burn_block_hash: block.burn_block_hash,
    burn_block_height: block.burn_block_height,
    stacks_blocks: newestFirst.map(({ block_hash }) => toHex(block_hash)),
    avg_block_time: averageBlockTime(newestFirst),
    total_tx_count: newestFirst.reduce((sum, { tx_count }) => sum + tx_count, 0),
  };
}

/** Mean seconds between successive blocks, rounded to cents and then cut, as recorded; 0 for a single block. */
function averageBlockTime(newestFirst: readonly OrphanRow[]): number {
  const newest = newestFirst[0];
  const oldest = newestFirst.at(-1);
  if (!newest || !oldest || newestFirst.length === 1) return 0;
  const mean = (newest.block_time - oldest.block_time) / (newestFirst.length - 1);
  return Math.trunc(Math.round(mean * 100) / 100);
}

/** The record of a burn block; undefined without Stacks blocks. By its hash, it also finds one whose Stacks blocks are all orphaned. */
export async function findBurnBlock(queries: Queries, ref: BlockRef) {
  if (horizonOf(queries)) {
    const span = await spanOfBurnBlock(queries, ref);
    return span && ofSpan(queries, span);
  }
  const highest = await withHighestBlock(queries, ref);
  if (highest) return highest;
  const span = await spanOfBurnBlock(queries, ref);
  if (span && span.to > span.from) return ofSpan(queries, span);
  return span && 'hash' in ref ? orphanedBurnBlock(queries, fromHex(ref.hash) ?? null) : undefined;
}

/** The burn block whose blocks are at these positions; undefined for an empty span. */
const ofSpan = (queries: Queries, { from, to }: Span) =>
  burnBlockWhere(
    queries,
    { condition: 'b.seq = ?', params: [to - 1] },
    { condition: 'b.seq >= ? AND b.seq < ?', params: [from, to] },
  );

/**
 * The burn block whose highest known block is canonical, which is so unless a fork orphaned that block. Found by keys alone; to find the highest
 * canonical block in general, all its blocks must be joined with the chain.
 */
async function withHighestBlock(queries: Queries, ref: BlockRef) {
  const [column, value] = 'latest' in ref ? [] : columnOf(ref);
  const params = value === undefined ? [] : [value];
  const position =
    column === undefined
      ? '(SELECT max(seq) FROM blocks)'
      : `(SELECT max(height) - 1 FROM known_blocks WHERE ${column} = ?)`;
  const found = await burnBlockWhere(
    queries,
    { condition: `b.seq = ${position}`, params },
    { condition: `b.burn_number = (SELECT burn_number FROM blocks WHERE seq = ${position})`, params },
  );
  if ('latest' in ref) return found;
  return ('height' in ref ? found?.burn_block_height === ref.height : found?.burn_block_hash === ref.hash)
    ? found
    : undefined;
}

/** Which canonical blocks `b` a statement reads. */
interface Condition {
  readonly condition: string;
  readonly params: readonly SqlValue[];
}

/** @param one the newest of its blocks @param all its blocks */
async function burnBlockWhere(queries: Queries, one: Condition, all: Condition) {
  // Sent together, in one message to PostgreSQL.
  const [newest, newestFirst] = await Promise.all([
    queries.get<BlockRecordRow>(`SELECT ${RECORD_FIELDS} FROM ${CANONICAL} WHERE ${one.condition}`, one.params),
    queries.all<MemberRow>(
      `SELECT ${MEMBER_FIELDS} FROM ${CANONICAL} WHERE ${all.condition} ORDER BY b.seq DESC`,
      all.params,
    ),
  ]);
  return newest && burnBlockRecord(newest, newestFirst);
}

/** A burn block made from its orphaned Stacks blocks, the highest first: it was orphaned by a fork of Bitcoin, or they by one of Stacks. */
async function orphanedBurnBlock(queries: Queries, burnBlockHash: Uint8Array | null) {
  const condition = 'k.burn_block_hash = ? AND k.height > 0 ORDER BY k.height DESC, k.arrival';
  const newest = await queries.get<BlockRecordRow>(
    `SELECT ${RECORD_FIELDS} FROM known_blocks k WHERE ${condition} LIMIT 1`,
    [burnBlockHash],
  );
  const blocks = await queries.all<OrphanRow>(
    `SELECT k.block_hash, k.block_time, k.tx_count FROM known_blocks k WHERE ${condition} LIMIT ${MOST_ORPHANS}`,
    [burnBlockHash],
  );
  return newest && { ...burnBlockRecord(newest, blocks), canonical: false };
}

/** Most shown orphaned blocks of one burn block. */
const MOST_ORPHANS = 1000;

/** A page of the burn blocks of the canonical chain, newest first. A seek, whatever the offset. */
export async function burnBlocks(queries: Queries, { offset, limit }: { offset: number; limit: number }) {
  const newest = await numberOf(queries, { latest: true });
  const total = newest ? newest.burn_number + 1 : 0;
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, total);
  const members = await queries.all<MemberRow>(
    `SELECT ${MEMBER_FIELDS} FROM ${CANONICAL}
      WHERE b.burn_number >= ? AND b.burn_number < ? AND b.seq < ? ORDER BY b.burn_number DESC, b.seq DESC`,
    [from, to, endOfBlocks(queries)],
  );
  const groups = [...Map.groupBy(members, ({ burn_number }) => burn_number).values()];
  const newestOfEach = await recordsAt(
    queries,
    groups.flatMap(([newest]) => newest?.seq ?? []),
  );
  return {
    total,
    results: groups.flatMap(group => {
      const newest = newestOfEach.get(group[0]?.seq);
      return newest ? burnBlockRecord(newest, group) : [];
    }),
  };
}

/** Rows of blocks by their positions in the canonical chain. */
async function recordsAt(
  queries: Queries,
  positions: readonly number[],
): Promise<Map<number | undefined, BlockRecordRow>> {
  const rows = await allIn<BlockRecordRow & RowOf<typeof BLOCKS, 'seq'>>(
    queries,
    list => `SELECT b.seq, ${RECORD_FIELDS} FROM ${CANONICAL} WHERE b.seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(row => [row.seq, row]));
}

/**
 * Positions of the blocks of a burn block in the canonical chain; `latest` is the burn block of the tip. If several burn
 * blocks that the node did not announce have one height, the newest counts. The span is empty if all blocks of the burn
 * block are orphaned, and undefined if it has no block.
 */
export async function spanOfBurnBlock(queries: Queries, ref: BlockRef): Promise<Span | undefined> {
  const found = await numberOf(queries, ref);
  if (found) return spanOfBlocks(queries, 'burn_number', found.burn_number);
  if ('latest' in ref) return undefined;
  const [column, value] = columnOf(ref);
  // As of a block, only the boot block counts as seen among those that are not canonical.
  const seen = horizonOf(queries) ? 'AND height = 0' : '';
  const orphan = await queries.get(`SELECT arrival FROM known_blocks WHERE ${column} = ? ${seen} LIMIT 1`, [value]);
  return orphan && { from: 0, to: 0 };
}

function numberOf(queries: Queries, ref: BlockRef): Promise<RowOf<typeof BLOCKS, 'burn_number'> | undefined> {
  const end = endOfBlocks(queries);
  if ('latest' in ref)
    return queries.get('SELECT burn_number FROM blocks WHERE seq < ? ORDER BY seq DESC LIMIT 1', [end]);
  const [column, value] = columnOf(ref);
  return queries.get(
    `SELECT b.burn_number FROM ${CANONICAL} AND b.seq = k.height - 1 WHERE k.${column} = ? AND b.seq < ?
      ORDER BY b.seq DESC LIMIT 1`,
    [value, end],
  );
}

const columnOf = (ref: Exclude<BlockRef, { latest: true }>): [string, SqlValue] =>
  'height' in ref ? ['burn_block_height', ref.height] : ['burn_block_hash', fromHex(ref.hash) ?? null];
