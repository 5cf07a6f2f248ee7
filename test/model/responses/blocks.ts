import { blockRecord, blockV1Record, storedTime } from '../records/block.ts';
import { listedTransaction } from '../records/listed.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Block, World } from '../world.ts';

/** `latest`, a height, or a hash with or without `0x`, in any case (docs/spec/blocks.md#block-ids). */
type Id =
  | { readonly kind: 'latest' }
  | { readonly kind: 'height'; height: number }
  | { readonly kind: 'hash'; hash: string };

export function idOf(text: string): Id {
  if (text === 'latest') return { kind: 'latest' };
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return { kind: 'hash', hash: `0x${text.replace(/^0x/, '').toLowerCase()}` };
  return { kind: 'height', height: Number(text) };
}

/** See docs/spec/blocks.md#block-ids. */
function findBlock({ blocks }: World, text: string): Block | undefined {
  const id = idOf(text);
  if (id.kind === 'latest') return blocks.at(-1);
  return blocks.find(block =>
    id.kind === 'height' ? block.height === id.height : block.hash === id.hash || block.indexHash === id.hash,
  );
}

/** getBlockV2 */
function block(world: World, { id = '' }: Readonly<Record<string, string>>): ApiResponse {
  const found = findBlock(world, id);
  return found ? ok(blockRecord(found)) : failed(404);
}

/** getTransactionsByBlockV2: of a block without any, an empty page. */
function blockTransactions(
  world: World,
  { id = '' }: Readonly<Record<string, string>>,
  query: URLSearchParams,
): ApiResponse {
  const found = findBlock(world, id);
  if (!found) return failed(404);
  const txs = world.txs.filter(tx => tx.block.indexHash === found.indexHash);
  const [limit, offset] = [numberOf(query, 'limit', 20), numberOf(query, 'offset', 0)];
  const results = txs.slice(offset, offset + limit).map(tx => listedTransaction(world, tx, query));
  return ok({ limit, offset, total: txs.length, results });
}

/** getBlocksV2. */
const blocks: Route['respond'] = (world, _params, query) => listOf(world.blocks, query);

/** getTenureBlocksV2 (docs/spec/blocks.md#tenures). */
const tenureBlocks: Route['respond'] = (world, { height }, query) =>
  listOf(
    world.blocks.filter(({ payload }) => payload.tenure_height === Number(height)),
    query,
  );

/** A page of these blocks, ascending (docs/spec/blocks.md#list-of-blocks). */
function listOf(ascending: readonly Block[], query: URLSearchParams): ApiResponse {
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const cursor = query.get('cursor')?.toLowerCase();
  const newestFirst = ascending.toReversed();
  const anchor = cursor === undefined ? 0 : newestFirst.findIndex(({ indexHash }) => indexHash === cursor);
  const first = anchor + offset;
  const results = anchor < 0 || first < 0 ? [] : newestFirst.slice(first, first + limit);
  if (anchor < 0) return failed(404);
  const at = (i: number): string | null => (results.length > 0 && i >= 0 ? (newestFirst[i]?.indexHash ?? null) : null);
  return ok({
    limit,
    offset,
    total: ascending.length,
    next_cursor: first === 0 ? null : at(Math.max(first - limit, 0)),
    prev_cursor: at(first + limit),
    cursor: at(first),
    results: results.map(blockRecord),
  });
}

const timeOf = (block: Block): number => storedTime(block) || block.burnTime;

/** Of these blocks the one with the greatest time, of equals the highest. */
const latestOf = (ascending: readonly Block[]): Block | undefined =>
  ascending.reduce<Block | undefined>((best, next) => (best && timeOf(best) > timeOf(next) ? best : next), undefined);

/** getBlockByBlockTimeV2. */
function byTime(world: World, { time }: Readonly<Record<string, string>>): ApiResponse {
  const found = latestOf(world.blocks.filter(block => timeOf(block) <= Number(time)));
  return found ? ok(blockRecord(found)) : failed(404);
}

/** getAverageBlockTimesV2 (docs/spec/blocks.md#average-times). */
function averageTimes({ blocks }: World): ApiResponse {
  const tip = blocks.at(-1);
  const startOf = (seconds: number): number => {
    const before = latestOf(blocks.filter(block => tip && timeOf(block) < timeOf(tip) - seconds));
    return before ? blocks.indexOf(before) + 1 : 0;
  };
  const month = startOf(30 * 86_400);
  const mean = (seconds: number): number => {
    const from = Math.max(startOf(seconds), month + 1);
    const distances = blocks.map((block, i) => timeOf(block) - timeOf(blocks[i - 1] ?? block)).slice(from);
    return Math.round((distances.reduce((sum, distance) => sum + distance, 0) / (distances.length || 1)) * 100) / 100;
  };
  return ok({ last_1h: mean(3600), last_24h: mean(86_400), last_7d: mean(7 * 86_400), last_30d: mean(30 * 86_400) });
}

/**
 * getBlockByBurnBlockHashV1 (docs/spec/blocks.md#block-by-burn-block): canonical before orphaned, then the highest, then the
 * first seen. The boot block is no block of the chain.
 */
function byBurnBlock(world: World, { hash = '' }: Readonly<Record<string, string>>): ApiResponse {
  const wanted = `0x${hash.replace(/^0x/i, '').toLowerCase()}`;
  const found =
    world.blocks.findLast(({ burnHash }) => burnHash === wanted) ??
    highest(world.others.filter(({ burnHash }) => burnHash === wanted));
  return found ? ok(blockV1Record(world, found)) : failed(404);
}

/** getBlockListV1: as single blocks, but for the order of accepted microblocks (docs/spec/blocks.md#older-routes). */
function blocksV1(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const limit = numberOf(query, 'limit', 20) || 20;
  return ok(
    page(world.blocks.toReversed(), limit, numberOf(query, 'offset', 0), block => {
      const record = blockV1Record(world, block);
      return { ...record, microblocks_accepted: (record.microblocks_accepted as string[]).toReversed() };
    }),
  );
}

/** The newest canonical block that fits; else of all others the highest, of equals the first seen. */
function newest(world: World, among: readonly Block[], fits: (block: Block) => boolean): ApiResponse {
  const found = newestBlock(world, among, fits);
  return found ? ok(blockV1Record(world, found)) : failed(404);
}

const newestBlock = (world: World, among: readonly Block[], fits: (block: Block) => boolean): Block | undefined =>
  world.blocks.findLast(fits) ?? highest(among.filter(fits));

/** getTransactionsByBlockHashV1, getTransactionsByBlockHeightV1: the last one first; none of a block that is not canonical. */
function transactionsOf(world: World, query: URLSearchParams, fits: (block: Block) => boolean): ApiResponse {
  const found = newestBlock(world, offTheChain(world), fits);
  if (!found) return failed(404);
  const canonical = world.blocks.some(({ indexHash }) => indexHash === found.indexHash);
  const txs = canonical ? world.txs.filter(tx => tx.block.indexHash === found.indexHash).reverse() : [];
  return ok(
    page(txs, numberOf(query, 'limit', 20) || 20, numberOf(query, 'offset', 0), tx =>
      listedTransaction(world, tx, query),
    ),
  );
}
const transactionsByHeight: Route['respond'] = (world, { height }, query) =>
  transactionsOf(world, query, block => block.height === Number(height));
const transactionsByHash: Route['respond'] = (world, { hash = '' }, query) =>
  transactionsOf(world, query, block => block.hash === `0x${hash.replace(/^0x/i, '').toLowerCase()}`);

/** Every block that is not canonical, the boot block too. */
const offTheChain = ({ blocks, known }: World): Block[] =>
  known.filter(block => blocks.every(({ indexHash }) => indexHash !== block.indexHash));

/** getBlockByHeightV1, getBlockByBurnBlockHeightV1, getBlockByHashV1. */
const byHeight: Route['respond'] = (world, { height }) =>
  newest(world, offTheChain(world), block => block.height === Number(height));
const byBurnHeight: Route['respond'] = (world, { height }) =>
  newest(world, offTheChain(world), block => block.burnHeight === Number(height));
function byHash(world: World, { hash = '' }: Readonly<Record<string, string>>): ApiResponse {
  const digits = hash.replace(/^0x/i, '').toLowerCase();
  if (!/^([0-9a-f]{2})*$/.test(digits)) return failed(400);
  return newest(world, offTheChain(world), block => block.hash === `0x${digits}`);
}

export const highest = (candidates: readonly Block[]): Block | undefined =>
  candidates.reduce<Block | undefined>((best, next) => (best && best.height >= next.height ? best : next), undefined);

/** getSignerSignaturesForBlockV2: none for a block that is not known. */
function signatures(world: World, { id = '' }: Readonly<Record<string, string>>, query: URLSearchParams): ApiResponse {
  const all: string[] = findBlock(world, id)?.payload.signer_signature ?? [];
  return ok(page(all, numberOf(query, 'limit', 500), numberOf(query, 'offset', 0), signature => `0x${signature}`));
}

export const blockRoutes: readonly Route[] = [
  { template: '/extended/v2/blocks/{id}/transactions', respond: blockTransactions },
  { template: '/extended/v2/blocks/{id}/signer-signatures', respond: signatures },
  { template: '/extended/v2/blocks/average-times', respond: averageTimes },
  { template: '/extended/v2/blocks/by-block-time/{time}', respond: byTime },
  { template: '/extended/v2/blocks/{id}', respond: block },
  { template: '/extended/v2/blocks', respond: blocks },
  { template: '/extended/v1/block/by_burn_block_hash/{hash}', respond: byBurnBlock },
  { template: '/extended/v1/block/by_height/{height}', respond: byHeight },
  { template: '/extended/v1/block/by_burn_block_height/{height}', respond: byBurnHeight },
  { template: '/extended/v1/block/{hash}', respond: byHash },
  { template: '/extended/v1/tx/block/{hash}', respond: transactionsByHash },
  { template: '/extended/v1/tx/block_height/{height}', respond: transactionsByHeight },
  { template: '/extended/v1/block', respond: blocksV1 },
  { template: '/extended/v2/block-tenures/{height}/blocks', respond: tenureBlocks },
];
