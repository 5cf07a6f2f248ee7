import { Type } from 'typebox';
import { redirect } from '../../http/conventions.ts';
import { deprecated } from '../../http/deprecation.ts';
import { notFound } from '../../http/errors.ts';
import { text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { fromHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { transactionIdsOfBlock } from '../transactions/queries.ts';
import {
  type CanonicalBlock,
  countBlocks,
  type FoundBlock,
  findBlock,
  findByBurnBlock,
  type OrphanedBlock,
  unanchoredMicroblocks,
} from './queries.ts';
import type { BlockRecord } from './record.ts';
import { BlockV1Schema } from './schema.ts';

/** `/extended/v1/block/by_burn_block_hash`: getBlockByBurnBlockHash (docs/spec/blocks.md#block-by-burn-block). */
export function addBlockByBurnBlockRoute(api: Api, { db }: ApiContext): void {
  const path = '/extended/v1/block/by_burn_block_hash/:burn_block_hash';
  api.get(
    path,
    {
      config: { cache: 'tip', response: BlockV1Schema },
      onRequest: deprecated,
      schema: { params: Type.Object({ burn_block_hash: text() }) },
    },
    async (request, reply) => {
      const { burn_block_hash: given } = request.params;
      if (!/^0x/i.test(given))
        return redirect(reply, 302, path.replace(':burn_block_hash', `0x${encodeURIComponent(given)}`));
      const record = await db.read(queries => readBlock(queries, fromHex(given)));
      if (!record) throw notFound('cannot find block by burn block hash');
      return JSON.stringify(record);
    },
  );
}

async function readBlock(queries: Queries, burnBlockHash: Uint8Array | undefined) {
  const found = burnBlockHash && (await findByBurnBlock(queries, burnBlockHash));
  return found && blockV1(queries, found);
}

/** A block in the older form, as getBlockByBurnBlockHash serves it and searchById with metadata. */
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

/** The microblocks of the canonical chain that share an orphan's parent are shown with it too (docs/spec/blocks.md#block-by-burn-block). */
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

/** The block in the older form, keys in emitted order (docs/spec/blocks.md#block-by-burn-block). */
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
