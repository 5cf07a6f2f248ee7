import { blockRecord, storedTime } from '../records/block.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Block, World } from '../world.ts';
import { idOf } from './blocks.ts';

/** Of one burn block, ascending. */
export function burnBlockRecord(found: readonly Block[]) {
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) throw new Error('a burn block without blocks has no record');
  const average = found.length > 1 ? (storedTime(last) - storedTime(first)) / (found.length - 1) : 0;
  return {
    burn_block_time: last.burnTime,
    burn_block_time_iso: new Date(last.burnTime * 1000).toISOString(),
    burn_block_hash: last.burnHash,
    burn_block_height: last.burnHeight,
    stacks_blocks: found.map(({ hash }) => hash).reverse(),
    avg_block_time: Math.trunc(Math.round(average * 100) / 100),
    total_tx_count: found.reduce((sum, { payload }) => sum + payload.transactions.length, 0),
  };
}

/** The canonical blocks of a burn block, ascending. By height, of the newest burn block of that height that they have. */
function blocksOf({ blocks }: World, id: string): readonly Block[] {
  const wanted = idOf(id);
  const newest =
    wanted.kind === 'hash'
      ? wanted.hash
      : blocks.findLast(({ burnHeight }) => wanted.kind === 'latest' || burnHeight === wanted.height)?.burnHash;
  return blocks.filter(({ burnHash }) => burnHash === newest);
}

/** getBurnBlockV2. */
function burnBlock(world: World, { id = '' }: Readonly<Record<string, string>>): ApiResponse {
  const found = blocksOf(world, id);
  if (found.length > 0) return ok(burnBlockRecord(found));
  const wanted = idOf(id);
  // By hash, what only orphaned blocks name: ascending, of equally high ones the first seen last.
  const lost = world.known
    .filter(({ burnHash, height }) => wanted.kind === 'hash' && burnHash === wanted.hash && height > 0)
    .sort((a, b) => a.height - b.height || b.arrival - a.arrival);
  return lost.length > 0 ? ok({ ...burnBlockRecord(lost), canonical: false }) : failed(404);
}

/** getBurnBlocksV2: the chain, cut where the burn block changes. */
const burnBlocks: Route['respond'] = ({ blocks }, _params, query) => {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    if (group?.[0]?.burnHash === block.burnHash) group.push(block);
    else groups.push([block]);
  }
  return ok(page(groups.reverse(), numberOf(query, 'limit', 20), numberOf(query, 'offset', 0), burnBlockRecord));
};

/** getBlocksByBurnBlockV2: 404 for a burn block without a Stacks block of any fork. */
const blocksOfBurnBlock: Route['respond'] = (world, { id = '' }, query) => {
  const wanted = idOf(id);
  const known = world.known.some(({ burnHash, burnHeight }) =>
    wanted.kind === 'hash' ? burnHash === wanted.hash : wanted.kind === 'height' && burnHeight === wanted.height,
  );
  const found = blocksOf(world, id);
  if (found.length === 0 && !known) return failed(404);
  return ok(page(found.toReversed(), numberOf(query, 'limit', 20), numberOf(query, 'offset', 0), blockRecord));
};

export const burnBlockRoutes: readonly Route[] = [
  { template: '/extended/v2/burn-blocks', respond: burnBlocks },
  { template: '/extended/v2/burn-blocks/{id}', respond: burnBlock },
  { template: '/extended/v2/burn-blocks/{id}/blocks', respond: blocksOfBurnBlock },
];
