import { feeOf } from '../../mempool.ts';
import { summaryRecord } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { NO_BYTES } from '../../transactions.ts';
import type { Block, Payload, Tx, World } from '../../world.ts';
import { cursorPage, firstOfPlace, placeCursors } from './page.ts';
import { rewardsFor } from './rewards.ts';

/** A page of these transactions, which are in chain order. */
export function summariesPage(world: World, txs: readonly Tx[], query: URLSearchParams, served: (tx: Tx) => unknown) {
  const rows = txs.toReversed();
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : firstOfPlace(world, rows, cursor);
  return cursorPage(rows, placeCursors(world, rows), first, numberOf(query, 'limit', 20), served);
}

/** getTransactionsV3 */
const all: Route['respond'] = (world, _params, query) => ok(summariesPage(world, world.txs, query, summaryRecord));

/** The ids that a parameter names; undefined where one is there twice. */
export function distinctIds(query: URLSearchParams): ReadonlySet<string> | undefined {
  const ids = query
    .getAll('tx_id')
    .flatMap(text => text.split(',').map(id => `0x${id.replace(/^0x/, '').toLowerCase()}`));
  const distinct = new Set(ids);
  return distinct.size === ids.length ? distinct : undefined;
}

/** getTransactionsBatchV3 */
const batch: Route['respond'] = (world, _params, query) => {
  const ids = distinctIds(query);
  if (!ids) return failed(400);
  const last = new Map(world.txs.filter(({ txId }) => ids.has(txId)).map(tx => [tx.txId, tx]));
  return ok({
    results: world.txs
      .filter(tx => last.get(tx.txId) === tx)
      .reverse()
      .map(summaryRecord),
  });
};

/** A canonical block by its height or one of its hashes. */
export function blockOf(world: World, id: string): Block | undefined {
  const hash = `0x${id.replace(/^0x/, '').toLowerCase()}`;
  return world.blocks.find(
    (block, i) =>
      (id === 'latest' && i === world.blocks.length - 1) ||
      id === String(block.height) ||
      block.hash === hash ||
      block.indexHash === hash,
  );
}

/** getBlockTransactionsV3 */
const ofBlock: Route['respond'] = (world, { id = '' }, query) => {
  const block = blockOf(world, id);
  if (!block) return failed(404);
  const txs = world.txs.filter(tx => tx.block.indexHash === block.indexHash);
  return ok(summariesPage(world, txs, query, summaryRecord));
};

/** getBlockCellsV3 */
const cells: Route['respond'] = (world, { id = '' }, query) => {
  const top = blockOf(world, id);
  if (!top) return failed(404);
  const limit = numberOf(query, 'limit', 500);
  const blocks = world.blocks.filter(({ height }) => height <= top.height).slice(-numberOf(query, 'blocks', 1));
  const ownOf = (block: Block) => world.txs.filter(tx => tx.block.indexHash === block.indexHash);
  const shown = new Set(blocks.flatMap(ownOf).slice(-limit));
  const results = blocks.toReversed().map(block => {
    const own = ownOf(block).filter(tx => shown.has(tx));
    return {
      height: block.height,
      hash: block.hash,
      index_hash: block.indexHash,
      bitcoin_height: block.burnHeight,
      transaction_count: ownOf(block).length,
      type: own.map(({ decoded }) => decoded.payload.kind),
      status: own.map(({ payload }) => payload.status),
      fee_rate: own.map(({ decoded }) => String(feeOf(decoded))),
      cost_share_ppm: own.map(({ payload }) => largestShare(payload.execution_cost)),
    };
  });
  return ok({ limit, results });
};

/** getBlockTotalsV3 */
const totals: Route['respond'] = (world, { id = '' }) => {
  const block = blockOf(world, id);
  if (!block) return failed(404);
  const own = world.txs.filter(tx => tx.block.indexHash === block.indexHash);
  const bytes = own.map(({ raw }) => (raw === NO_BYTES ? 0 : raw.length / 2 - 1));
  return ok({
    height: block.height,
    hash: block.hash,
    index_hash: block.indexHash,
    transaction_count: own.length,
    transaction_bytes: bytes.reduce((sum, size) => sum + size, 0),
    fees: String(own.reduce((sum, { decoded }) => sum + feeOf(decoded), 0n)),
    rewards: rewardsFor(world, block.indexHash),
  });
};

/** What the blocks of a tenure may use. */
const LIMITS = { runtime: 5e9, read_count: 15e3, read_length: 1e8, write_count: 15e3, write_length: 15e6 };

const largestShare = (cost: Payload): number =>
  Math.max(...Object.entries(LIMITS).map(([name, most]) => Number((BigInt(cost[name]) * 1_000_000n) / BigInt(most))));

export const v3TransactionRoutes: readonly Route[] = [
  { template: '/extended/v3/transactions/batch', respond: batch },
  { template: '/extended/v3/transactions', respond: all },
  { template: '/extended/v3/blocks/{id}/transactions', respond: ofBlock },
  { template: '/extended/v3/blocks/{id}/cells', respond: cells },
  { template: '/extended/v3/blocks/{id}/totals', respond: totals },
];
