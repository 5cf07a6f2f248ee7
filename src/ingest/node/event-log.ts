import type { NodeEvent } from './events/parse.ts';

/** The fields of a log line about an event: the block it concerns, or how many things it brings. */
export function eventSummary(event: NodeEvent): Readonly<Record<string, string | number>> {
  switch (event.path) {
    case '/new_block':
      return { height: event.block.block_height, hash: event.block.index_block_hash };
    case '/new_burn_block':
      return { burnHeight: event.burnBlock.burn_block_height, hash: event.burnBlock.burn_block_hash };
    case '/new_microblocks':
      return { parent: event.microblocks.parent_index_block_hash, transactions: event.microblocks.transactions.length };
    case '/new_mempool_tx':
      return { transactions: event.rawTxs.length };
    case '/drop_mempool_tx':
      return { transactions: event.drop.dropped_txids.length, reason: event.drop.reason };
    case '/attachments/new':
      return { attachments: event.attachments.length };
    case 'acknowledged':
      return {};
    default:
      return event satisfies never;
  }
}
