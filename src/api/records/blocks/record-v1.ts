import type { Queries } from '../../../base/store/database.ts';
import { countBlocks, unanchoredMicroblocks } from '../../../index/blocks/canonical-chain.ts';
import {
  type AcceptedMicroblock,
  readAcceptedMicroblocks,
  readParentMicroblock,
} from '../../../index/blocks/stored.ts';
import { transactionIdsOfOrphan } from '../transactions/orphaned.ts';
import { transactionIdsOfBlock } from '../transactions/queries.ts';
import { blocksDownFrom, type CanonicalBlock, type FoundBlock, findBlock, type OrphanedBlock } from './queries.ts';

/** A block in the older form of version 1 and of a search with metadata. */
export const blockV1 = (queries: Queries, found: FoundBlock) =>
  'canonical' in found ? canonicalRecord(queries, found.canonical) : orphanRecord(queries, found.orphan);

/**
 * A page of canonical blocks in the older form, newest first. As recorded, and unlike a single block, each lists its accepted microblocks in
 * descending order (docs/spec/blocks.md#older-routes).
 */
export async function blocksV1(queries: Queries, { offset, limit }: { offset: number; limit: number }) {
  const total = await countBlocks(queries);
  const first = total - 1 - offset;
  // Includes the block above the page, which accepted the microblocks streamed on the first block.
  const found = first < 0 ? [] : await blocksDownFrom(queries, first + 1, limit + 1);
  const [above, ...below] = found;
  const blocks = offset === 0 ? found.slice(0, limit) : below;
  const [newest, oldest] = [blocks[0], blocks.at(-1)];
  if (!newest || !oldest) return { total, results: [] };
  const ids = await transactionIdsOfBlock(queries, oldest.firstTx, newest.firstTx + newest.txRows - oldest.firstTx);
  const onTip = offset === 0 ? await unanchoredMicroblocks(queries) : [];
  const results = blocks.map((block, i) => {
    const next = i === 0 ? (offset === 0 ? undefined : above) : blocks[i - 1];
    const from = block.firstTx - oldest.firstTx;
    return recordV1(block, {
      canonical: true,
      ids: ids.slice(from, from + block.txRows).reverse(),
      accepted: acceptedBy(block).reverse(),
      streamed: next ? acceptedBy(next).map(({ hash }) => hash) : onTip.map(({ hash }) => hash),
    });
  });
  return { total, results };
}

async function canonicalRecord(queries: Queries, block: CanonicalBlock) {
  const ids = await transactionIdsOfBlock(queries, block.firstTx, block.txRows);
  const next =
    block.height < (await countBlocks(queries)) ? await findBlock(queries, { height: block.height + 1 }) : undefined;
  const streamed = next
    ? acceptedBy(next).map(({ hash }) => hash)
    : (await unanchoredMicroblocks(queries)).map(({ hash }) => hash);
  return recordV1(block, {
    canonical: true,
    ids: ids.reverse(),
    accepted: acceptedBy(block),
    streamed,
  });
}

/** The record of an orphan. It also shows the canonical microblocks on the orphan's parent. */
async function orphanRecord(queries: Queries, block: OrphanedBlock) {
  const sibling = await findBlock(queries, { height: block.height });
  const siblingParent = sibling?.record.parent_index_block_hash;
  const accepted = sibling && siblingParent === block.parentIndexBlockHash ? acceptedBy(sibling) : [];
  const ids = await transactionIdsOfOrphan(queries, block.record.index_block_hash);
  return recordV1(block, { canonical: false, ids: ids.reverse(), accepted, streamed: [] });
}

const acceptedBy = (block: CanonicalBlock): AcceptedMicroblock[] => readAcceptedMicroblocks(block.microblocks);

interface BlockParts {
  readonly canonical: boolean;
  /** Newest transaction first. */
  readonly ids: readonly string[];
  readonly accepted: readonly AcceptedMicroblock[];
  readonly streamed: readonly string[];
}

/** The block in the older form, keys in emitted order. */
function recordV1(
  block: Pick<CanonicalBlock, 'record' | 'parentMicroblock'>,
  { canonical, ids, accepted, streamed }: BlockParts,
) {
  const { parent_index_block_hash, tx_count, ...record } = block.record;
  const parent = readParentMicroblock(block.parentMicroblock);
  return {
    ...record,
    block_time_iso: record.block_time_iso || isoOfZero(record.block_time),
    burn_block_time_iso: record.burn_block_time_iso || isoOfZero(record.burn_block_time),
    canonical,
    txs: ids,
    parent_microblock_hash: parent.hash,
    parent_microblock_sequence: parent.sequence,
    microblocks_accepted: accepted.map(({ hash }) => hash),
    microblocks_streamed: streamed,
    microblock_tx_count: Object.fromEntries(accepted.map(({ hash, transactions }) => [hash, transactions])),
  };
}

/** As recorded, this route shows the time 0 of a boot block as a time. */
const isoOfZero = (time: number): string => (time === 0 ? '1970-01-01T00:00:00.000Z' : '');
