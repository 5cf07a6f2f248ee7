import { isoTime } from '../../../src/base/lib/time.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Block, MicroblockLink, Tx, World } from '../world.ts';
import { highest } from './blocks.ts';

/** A canonical microblock, with its transactions in chain order. */
interface Canonical extends MicroblockLink {
  readonly txs: readonly Tx[];
}

/** Those that canonical blocks accepted, then those on the tip. */
function canonicalOnes({ txs }: World): Canonical[] {
  const streamed = txs.filter(tx => tx.microblock !== undefined);
  const groups = Map.groupBy(streamed, tx => `${tx.block.indexHash} ${tx.microblock?.hash}`);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    return first?.microblock ? [{ ...first.microblock, parentBlock: first.block.parentIndexHash, txs: group }] : [];
  });
}

/** See docs/spec/blocks.md#microblocks. */
function record({ blocks, known }: World, { hash, parentHash, sequence, parentBlock }: MicroblockLink) {
  const parent = known.find(({ indexHash }) => indexHash === parentBlock);
  const above = blocks.find(({ parentIndexHash }) => parentIndexHash === parentBlock);
  const child = known.find(block => block.height === 1 && block.parentIndexHash === parentBlock);
  const burnTime = parent?.burnTime ?? -1;
  return {
    microblock_hash: hash,
    microblock_sequence: sequence,
    microblock_parent_hash: parentHash,
    block_height: (parent?.height ?? 0) + 1,
    parent_block_height: parent?.height ?? 0,
    parent_block_hash: parent?.hash ?? child?.payload.parent_block_hash ?? '0x',
    parent_burn_block_hash: parent?.burnHash ?? '0x',
    parent_burn_block_time: burnTime,
    parent_burn_block_time_iso: isoTime(burnTime),
    parent_burn_block_height: parent?.burnHeight ?? -1,
    block_hash: above?.hash ?? '0x',
  };
}

const canonicalRecord = (world: World, microblock: Canonical) => ({
  canonical: true,
  microblock_canonical: true,
  ...record(world, microblock),
  txs: microblock.txs.map(({ txId }) => txId).reverse(),
});

/** getMicroblockListV1 */
const list: Route['respond'] = (world, _params, query) =>
  ok(
    page(canonicalOnes(world).reverse(), numberOf(query, 'limit', 20) || 20, numberOf(query, 'offset', 0), microblock =>
      canonicalRecord(world, microblock),
    ),
  );

/** getMicroblockByHashV1: of one that is not canonical, the one on a canonical block, else on the highest known one, else below a block 1. */
function byHash(world: World, { hash = '' }: Readonly<Record<string, string>>): ApiResponse {
  const wanted = `0x${hash.replace(/^0x/i, '').toLowerCase()}`;
  const found = canonicalOnes(world).findLast(microblock => microblock.hash === wanted);
  if (found) return ok(canonicalRecord(world, found));
  const places = world.microblocks.filter(microblock => microblock.hash === wanted);
  const isParent = ({ indexHash }: Block): boolean => places.some(({ parentBlock }) => parentBlock === indexHash);
  const canonicalParent = world.blocks.findLast(isParent);
  const parent = canonicalParent ?? highest(world.known.filter(isParent));
  const isBelowFirst = ({ parentBlock }: MicroblockLink): boolean =>
    world.known.some(block => block.height === 1 && block.parentIndexHash === parentBlock);
  const lost = parent
    ? places.find(({ parentBlock }) => parentBlock === parent.indexHash)
    : places.filter(isBelowFirst).sort((a, b) => (a.parentBlock < b.parentBlock ? -1 : 1))[0];
  if (!lost) return failed(404);
  return ok({ canonical: canonicalParent !== undefined, microblock_canonical: false, ...record(world, lost), txs: [] });
}

export const microblockRoutes: readonly Route[] = [
  { template: '/extended/v1/microblock', respond: list },
  { template: '/extended/v1/microblock/{hash}', respond: byHash },
];
