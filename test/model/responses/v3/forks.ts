import { storedTime } from '../../records/block.ts';
import { position } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import type { Block, Tx, World } from '../../world.ts';
import { cursorPage, firstOf } from './page.ts';
import { blockOf } from './transactions.ts';

/** A branch that is not canonical: its blocks, the lowest first (docs/spec/blocks.md#forks). */
type Fork = readonly [Block, ...Block[]];

function forksOf(world: World): Fork[] {
  const lost = lostBlocks(world);
  const isRoot = ({ parentIndexHash, height }: Block): boolean =>
    !lost.some(other => other.indexHash === parentIndexHash && other.height === height - 1);
  return lost.filter(isRoot).map((root): Fork => {
    const fork: [Block, ...Block[]] = [root];
    for (const block of fork)
      fork.push(
        ...lost.filter(
          ({ parentIndexHash, height }) => parentIndexHash === block.indexHash && height === block.height + 1,
        ),
      );
    return fork.sort((a, b) => a.height - b.height || (a.indexHash < b.indexHash ? -1 : 1));
  });
}

/** Blocks beside the canonical chain whose ancestors are all known. */
function lostBlocks({ blocks, others }: World): Block[] {
  const all = [...blocks, ...others];
  const isConnected = ({ height, parentIndexHash }: Block): boolean => {
    if (height <= 1) return true;
    const parent = all.find(other => other.indexHash === parentIndexHash && other.height === height - 1);
    return parent !== undefined && isConnected(parent);
  };
  return others.filter(isConnected);
}

const named = (block: Block | undefined) =>
  block ? { height: block.height, hash: block.hash, index_hash: block.indexHash } : null;

function record({ blocks }: World, fork: Fork) {
  const [root] = fork;
  const at = (height: number) => named(blocks.find(block => block.height === height));
  return {
    id: root.indexHash,
    fork_point: at(root.height - 1),
    first_height: root.height,
    last_height: fork.at(-1)?.height,
    time: storedTime(root) || root.burnTime,
    block_count: fork.length,
    transaction_count: fork.reduce((sum, { payload }) => sum + payload.transactions.length, 0),
    replaced_by: at(root.height),
  };
}

/** getForksV3 */
const forks: Route['respond'] = (world, _params, query) => {
  const all = forksOf(world).sort(([a], [b]) => b.height - a.height || (a.indexHash < b.indexHash ? 1 : -1));
  const [height = '', hash = ''] = (query.get('cursor') ?? '').split(':');
  const id = `0x${hash.replace(/^0x/, '').toLowerCase()}`;
  const isFrom = ([root]: Fork): boolean =>
    root.height < Number(height) || (root.height === Number(height) && root.indexHash <= id);
  const first = query.has('cursor') ? firstOf(all, isFrom) : 0;
  const cursors = all.map(([root]) => `${root.height}:${root.indexHash}`);
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 20), fork => record(world, fork)));
};

/** getForkV3 */
const fork: Route['respond'] = (world, { block_hash = '' }) => {
  const hash = `0x${block_hash.replace(/^0x/, '').toLowerCase()}`;
  const blocks = lostBlocks(world).sort((a, b) => b.height - a.height || (a.indexHash < b.indexHash ? 1 : -1));
  const wanted = blocks.find(({ indexHash }) => indexHash === hash) ?? blocks.find(block => block.hash === hash);
  const found = wanted && forksOf(world).find(each => each.includes(wanted));
  if (!found) return failed(404);
  return ok({
    ...record(world, found),
    blocks: found.map(block => lostRecord(world, block)),
    transactions: found.flatMap(block => block.txs.map(tx => fate(world, block, tx))),
  });
};

const lostRecord = ({ blocks }: World, block: Block) => ({
  ...named(block),
  parent_index_hash: block.parentIndexHash,
  time: storedTime(block) || block.burnTime,
  bitcoin_height: block.burnHeight,
  transaction_count: block.payload.transactions.length,
  replaced_by: named(blocks.find(({ height }) => height === block.height)),
});

/** getBlockOrphansV3 */
const orphans: Route['respond'] = (world, { id = '' }) => {
  const block = blockOf(world, id);
  if (!block) return failed(404);
  const beside = lostBlocks(world)
    .filter(({ height }) => height === block.height)
    .sort((a, b) => (a.indexHash < b.indexHash ? -1 : 1));
  return ok({ total: beside.length, results: beside.slice(0, 20).map(each => lostRecord(world, each)) });
};

function fate(world: World, block: Block, { txId, decoded }: Tx) {
  const mined = world.txs.findLast(tx => tx.txId === txId);
  const waiting = world.mempool.find(tx => tx.txId === txId);
  return {
    tx_id: txId,
    type: decoded.payload.kind,
    lost_in: { height: block.height, index_hash: block.indexHash },
    status: mined ? 'mined' : (waiting?.status ?? 'gone'),
    mined_in: mined ? position(mined).block : null,
  };
}

export const forkRoutes: readonly Route[] = [
  { template: '/extended/v3/blocks/{id}/orphans', respond: orphans },
  { template: '/extended/v3/forks', respond: forks },
  { template: '/extended/v3/forks/{block_hash}', respond: fork },
];
