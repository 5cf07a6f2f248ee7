import { blockRecord, blockV1Record, storedTime } from '../records/block.ts';
import { transactionRecord } from '../records/transaction.ts';
import { type Answer, failed, numberOf, ok, type Route } from '../route.ts';
import type { Block, World } from '../world.ts';

/** `latest`, a height, or a hash with or without `0x`, in any case (docs/spec/blocks.md#block-ids). */
type Id =
  | { readonly kind: 'latest' }
  | { readonly kind: 'height'; height: number }
  | { readonly kind: 'hash'; hash: string };

function idOf(text: string): Id {
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

/** getBlock */
function block(world: World, { id = '' }: Readonly<Record<string, string>>): Answer {
  const found = findBlock(world, id);
  return found ? ok(blockRecord(found)) : failed(404);
}

/** getTransactionsByBlock: of a block without any, an empty page. */
function blockTransactions(
  world: World,
  { id = '' }: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Answer {
  const found = findBlock(world, id);
  if (!found) return failed(404);
  const txs = world.txs.filter(tx => tx.block.indexHash === found.indexHash);
  const [limit, offset] = [numberOf(query, 'limit', 20), numberOf(query, 'offset', 0)];
  const results = txs.slice(offset, offset + limit).map(tx => transactionRecord(world, tx));
  return ok({ limit, offset, total: txs.length, results });
}

/** getBlocks (docs/spec/blocks.md#list-of-blocks). */
function blocks(world: World, _params: unknown, query: URLSearchParams): Answer {
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const cursor = query.get('cursor')?.toLowerCase();
  const newestFirst = world.blocks.toReversed();
  const anchor = cursor === undefined ? 0 : newestFirst.findIndex(({ indexHash }) => indexHash === cursor);
  const first = anchor + offset;
  const results = anchor < 0 || first < 0 ? [] : newestFirst.slice(first, first + limit);
  if (results.length === 0 && cursor !== undefined) return failed(404);
  const at = (i: number): string | null => (results.length > 0 && i >= 0 ? (newestFirst[i]?.indexHash ?? null) : null);
  return ok({
    limit,
    offset,
    total: world.blocks.length,
    next_cursor: at(first - limit),
    prev_cursor: at(first + limit),
    cursor: at(first),
    results: results.map(blockRecord),
  });
}

/**
 * getBlockByBurnBlockHash (docs/spec/blocks.md#block-by-burn-block): canonical before orphaned, then the highest, then the
 * first seen. The boot block is no block of the chain.
 */
function byBurnBlock(world: World, { hash = '' }: Readonly<Record<string, string>>): Answer {
  const wanted = `0x${hash.replace(/^0x/i, '').toLowerCase()}`;
  const found =
    world.blocks.findLast(({ burnHash }) => burnHash === wanted) ??
    highest(world.others.filter(({ burnHash }) => burnHash === wanted));
  return found ? ok(blockV1Record(world, found)) : failed(404);
}

export const highest = (candidates: readonly Block[]): Block | undefined =>
  candidates.reduce<Block | undefined>((best, next) => (best && best.height >= next.height ? best : next), undefined);

/** getBurnBlock. */
function burnBlock({ blocks: all }: World, { id = '' }: Readonly<Record<string, string>>): Answer {
  const wanted = idOf(id);
  const burnHash = all.at(-1)?.burnHash;
  const found = all.filter(candidate =>
    wanted.kind === 'height'
      ? candidate.burnHeight === wanted.height
      : candidate.burnHash === (wanted.kind === 'hash' ? wanted.hash : burnHash),
  );
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return failed(404);
  const average = found.length > 1 ? (storedTime(last) - storedTime(first)) / (found.length - 1) : 0;
  return ok({
    burn_block_time: last.burnTime,
    burn_block_time_iso: new Date(last.burnTime * 1000).toISOString(),
    burn_block_hash: last.burnHash,
    burn_block_height: last.burnHeight,
    stacks_blocks: found.map(({ hash }) => hash).reverse(),
    avg_block_time: Math.trunc(Math.round(average * 100) / 100),
    total_tx_count: found.reduce((sum, { payload }) => sum + payload.transactions.length, 0),
  });
}

export const blockRoutes: readonly Route[] = [
  { template: '/extended/v2/blocks/{id}/transactions', answer: blockTransactions },
  { template: '/extended/v2/blocks/{id}', answer: block },
  { template: '/extended/v2/blocks', answer: blocks },
  { template: '/extended/v1/block/by_burn_block_hash/{hash}', answer: byBurnBlock },
  { template: '/extended/v2/burn-blocks/{id}', answer: burnBlock },
];
