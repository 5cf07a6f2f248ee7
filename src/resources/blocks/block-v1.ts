import type { Queries } from '../../store/database.ts';
import { unanchoredMicroblocks } from '../chain-facts/facts.ts';
import { transactionIdsOfBlock } from '../transactions/queries.ts';
import { type CanonicalBlock, countBlocks, type FoundBlock, findBlock, type OrphanedBlock } from './queries.ts';
import type { BlockRecord } from './record.ts';

/** A block in the older form, as version 1 and a search with metadata show it. */
export const blockV1 = (queries: Queries, found: FoundBlock) =>
  'canonical' in found ? canonicalRecord(queries, found.canonical) : orphanRecord(queries, found.orphan);

type AcceptedMicroblock = readonly [hash: string, transactions: number];

async function canonicalRecord(queries: Queries, block: CanonicalBlock) {
  const ids = await transactionIdsOfBlock(queries, block.firstTx, block.txRows);
  const next =
    block.height < (await countBlocks(queries)) ? await findBlock(queries, { height: block.height + 1 }) : undefined;
  const streamed = next ? acceptedBy(next) : await unanchoredMicroblocks(queries);
  return recordV1(block, {
    canonical: true,
    ids: ids.reverse(),
    accepted: acceptedBy(block),
    streamed: streamed.map(([hash]) => hash),
  });
}

/** The microblocks of the canonical chain that share an orphan's parent are shown with it too. */
async function orphanRecord(queries: Queries, block: OrphanedBlock) {
  const sibling = await findBlock(queries, { height: block.height });
  const siblingParent = sibling && (JSON.parse(sibling.record) as BlockRecord).parent_index_block_hash;
  const accepted = sibling && siblingParent === block.parentIndexBlockHash ? acceptedBy(sibling) : [];
  return recordV1(block, { canonical: false, ids: [], accepted, streamed: [] });
}

const acceptedBy = (block: CanonicalBlock): AcceptedMicroblock[] =>
  block.microblocks === null ? [] : (JSON.parse(block.microblocks) as AcceptedMicroblock[]);

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
  const { parent_index_block_hash, tx_count, ...record } = JSON.parse(block.record) as BlockRecord;
  const [parentHash, parentSequence] =
    block.parentMicroblock === null ? ['', -1] : (JSON.parse(block.parentMicroblock) as [string, number]);
  return {
    ...record,
    canonical,
    txs: ids,
    parent_microblock_hash: parentHash,
    parent_microblock_sequence: parentSequence,
    microblocks_accepted: accepted.map(([hash]) => hash),
    microblocks_streamed: streamed,
    microblock_tx_count: Object.fromEntries(accepted),
  };
}
