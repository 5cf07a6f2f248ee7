import { toHex } from '../../../base/lib/hex.ts';
import { isoTime } from '../../../base/lib/time.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import { readStoredBlock } from '../../../index/blocks/stored.ts';
import { ALL_MICROBLOCKS, type KNOWN_MICROBLOCKS, type MICROBLOCKS } from '../../../index/microblocks/tables.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { lengthOfOnly } from '../../../ingest/indexer/lists.ts';
import { blockV2 } from '../blocks/record-v2.ts';
import { transactionIdsOfBlock } from '../transactions/queries.ts';

/** The block that a microblock extends, and the canonical block on top of that block. */
type PlaceRow = OuterRowOf<typeof KNOWN_BLOCKS, RecordFields> & {
  /** Hash of the block on top. */
  readonly child_hash: Uint8Array | null;
  readonly parent_seq: number | null;
  /** If the anchor block is unknown: the record of a block 1 on top of it, which contains its hash. */
  readonly child_record: Uint8Array | null;
};
type RecordFields = keyof BlockRecordRow;

type LinkRow = RowOf<typeof KNOWN_MICROBLOCKS, 'hash' | 'parent_hash' | 'sequence'> & PlaceRow;
type CanonicalRow = LinkRow & RowOf<typeof MICROBLOCKS, 'seq' | 'first_tx' | 'tx_rows'>;

const LINK = `m.hash, m.parent_hash, m.sequence, ${RECORD_FIELDS}, pb.seq AS parent_seq, c.block_hash AS child_hash,
  CASE WHEN k.record IS NULL THEN (SELECT o.record FROM known_blocks o WHERE o.connected = 1 AND o.height = 1
    AND o.parent_index_block_hash = m.parent_block ORDER BY o.arrival LIMIT 1) END AS child_record`;
const CANONICAL = `${LINK}, m.seq, m.first_tx, m.tx_rows`;
/** Joins microblocks `m` with both blocks by lookups by key. The parent of block 1 may be unknown. */
const PLACES = `LEFT JOIN known_blocks k ON k.index_block_hash = m.parent_block
  LEFT JOIN blocks pb ON pb.known = k.arrival AND pb.seq = k.height - 1
  LEFT JOIN blocks b ON b.seq = COALESCE(k.height, 0)
  LEFT JOIN known_blocks c ON c.arrival = b.known AND c.parent_index_block_hash = m.parent_block`;

/** A page of the canonical microblocks, newest first, with the number of all. */
export async function microblocks(queries: Queries, { offset, limit }: { offset: number; limit: number }) {
  const total = await lengthOfOnly(queries, ALL_MICROBLOCKS);
  const end = Math.max(total - offset, 0);
  const rows = await queries.all<CanonicalRow>(
    `SELECT ${CANONICAL} FROM microblocks m ${PLACES} WHERE m.seq < ? AND m.seq >= ? ORDER BY m.seq DESC`,
    [end, end - limit],
  );
  const ids = await transactionIdsAt(queries, rows.flatMap(positionsDown));
  const results = rows.map(row => canonicalRecord(row, idsOf(positionsDown(row), ids)));
  return { total, results };
}

/** Places and hashes (0x hex) of canonical microblocks from a place in the chain on, in its order. */
export const canonicalMicroblocks = (queries: Queries, from: number, limit: number) =>
  placesOf(queries, 'SELECT seq, hash FROM microblocks WHERE seq >= ? ORDER BY seq LIMIT ?', [from, limit]);

/** The last ones, in the order of the chain. */
export const newestMicroblocks = async (queries: Queries, limit: number) =>
  (await placesOf(queries, 'SELECT seq, hash FROM microblocks ORDER BY seq DESC LIMIT ?', [limit])).reverse();

async function placesOf(queries: Queries, sql: string, params: readonly number[]) {
  const rows = await queries.all<RowOf<typeof MICROBLOCKS, 'seq' | 'hash'>>(sql, params);
  return rows.map(({ seq, hash }) => ({ seq, hash: toHex(hash) }));
}

/** The microblock of this hash: the canonical one, else the one on a canonical block, else the highest. */
export async function findMicroblock(queries: Queries, hash: Uint8Array) {
  const row = await queries.get<CanonicalRow>(
    `SELECT ${CANONICAL} FROM microblocks m ${PLACES} WHERE m.hash = ? AND m.first_tx < ? ORDER BY m.seq DESC LIMIT 1`,
    [hash, endOfTransactions(queries)],
  );
  if (row) return canonicalRecord(row, (await transactionIdsOfBlock(queries, row.first_tx, row.tx_rows)).reverse());
  if (horizonOf(queries)) return undefined; // as of a block, other microblocks were not seen
  const lost = await queries.get<LinkRow>(
    `SELECT * FROM (SELECT ${LINK}, m.parent_block, k.arrival FROM known_microblocks m ${PLACES} WHERE m.hash = ?) places
      WHERE record IS NOT NULL OR child_record IS NOT NULL
      ORDER BY CASE WHEN parent_seq IS NULL THEN 1 ELSE 0 END, COALESCE(height, -1) DESC, arrival, parent_block LIMIT 1`,
    [hash],
  );
  return lost && { canonical: lost.parent_seq !== null, microblock_canonical: false, ...place(lost), txs: [] };
}

const canonicalRecord = (row: CanonicalRow, txs: readonly string[]) => ({
  canonical: true,
  microblock_canonical: true,
  ...place(row),
  txs,
});

/** Columns of the parent in `known_blocks`. */
interface Parent {
  readonly hash: string;
  readonly height: number;
  readonly burn_block_hash: string;
  readonly burn_block_time: number;
  readonly burn_block_height: number;
}

/** Replaces the parent of block 1 if the boot block was never delivered; block 1 contains its hash. */
const noParent = (child: Uint8Array | null): Parent => ({
  hash: child === null ? '0x' : readStoredBlock(child).parentBlockHash,
  height: 0,
  burn_block_hash: '0x',
  burn_block_time: -1,
  burn_block_height: -1,
});

/** The keys that all microblocks have, in emitted order (docs/spec/blocks.md#microblocks). */
function place(row: LinkRow) {
  const { hash, parent_hash, sequence, child_hash } = row;
  const parent: Parent = isKnown(row) ? blockV2(row) : noParent(row.child_record);
  return {
    microblock_hash: toHex(hash),
    microblock_sequence: sequence,
    microblock_parent_hash: toHex(parent_hash),
    block_height: parent.height + 1,
    parent_block_height: parent.height,
    parent_block_hash: parent.hash,
    parent_burn_block_hash: parent.burn_block_hash,
    parent_burn_block_time: parent.burn_block_time,
    parent_burn_block_time_iso: isoTime(parent.burn_block_time),
    parent_burn_block_height: parent.burn_block_height,
    block_hash: child_hash === null ? '0x' : toHex(child_hash),
  };
}

const isKnown = (row: OuterRowOf<typeof KNOWN_BLOCKS, RecordFields>): row is BlockRecordRow => row.record !== null;

/** Positions of its transactions, the last one first. */
const positionsDown = ({ first_tx, tx_rows }: CanonicalRow): number[] =>
  Array.from({ length: tx_rows }, (_, i) => first_tx + tx_rows - 1 - i);

async function transactionIdsAt(queries: Queries, positions: readonly number[]): Promise<Map<number, string>> {
  const rows = await allIn<RowOf<typeof TXS, 'seq' | 'tx_id'>>(
    queries,
    list => `SELECT seq, tx_id FROM txs WHERE seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(row => [row.seq, toHex(row.tx_id)]));
}

const idsOf = (positions: readonly number[], ids: ReadonlyMap<number, string>): string[] =>
  positions.map(position => ids.get(position)).filter(id => id !== undefined);
