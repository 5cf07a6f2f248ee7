import { summaryRecord } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import type { Tx, World } from '../../world.ts';
import { cursorPage, firstOfPlace, placeCursors } from './page.ts';

/** A page of these transactions, which are in chain order. */
export function summariesPage(world: World, txs: readonly Tx[], query: URLSearchParams, served: (tx: Tx) => unknown) {
  const rows = txs.toReversed();
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : firstOfPlace(world, rows, cursor);
  return cursorPage(rows, placeCursors(world, rows), first, numberOf(query, 'limit', 20), served);
}

/** getTransactions */
const all: Route['answer'] = (world, _params, query) => ok(summariesPage(world, world.txs, query, summaryRecord));

/** getBlockTransactions */
const ofBlock: Route['answer'] = (world, { id = '' }, query) => {
  const hash = `0x${id.replace(/^0x/, '').toLowerCase()}`;
  const block = world.blocks.find(
    (block, i) =>
      (id === 'latest' && i === world.blocks.length - 1) ||
      id === String(block.height) ||
      block.hash === hash ||
      block.indexHash === hash,
  );
  if (!block) return failed(404);
  const txs = world.txs.filter(tx => tx.block.indexHash === block.indexHash);
  return ok(summariesPage(world, txs, query, summaryRecord));
};

export const v3TransactionRoutes: readonly Route[] = [
  { template: '/extended/v3/transactions', answer: all },
  { template: '/extended/v3/blocks/{id}/transactions', answer: ofBlock },
];
