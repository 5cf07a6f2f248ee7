/**
 * The floors of src, the lowest first. A file imports only from its own room, which is a folder or a file, and from rooms on lower floors;
 * two rooms on one floor know nothing of each other. Of two rooms that hold a file, it belongs to the inner one.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['lib', 'store'],
  ['codec', 'journal'],
  ['node'],
  ['chain', 'metrics'],
  ['indexer', 'http'],
  ['explorer', 'metadata', 'node-proxy', 'resources/chain-facts', 'resources/contracts'],
  ['faucet', 'resources/transactions', 'resources/burnchain', 'resources/pox', 'resources/token-metadata'],
  ['resources/blocks', 'resources/contract-logs', 'resources/supply'],
  ['resources/token-balances', 'resources/microblocks', 'resources/nft', 'resources/staking'],
  ['resources/addresses'],
  ['resources/names', 'resources/mempool', 'resources/transaction-list', 'resources/events'],
  ['resources/search', 'resources/forks', 'live'],
  ['index-schema.ts', 'routes', 'webhooks'],
  ['storage'],
  ['compare', 'copy', 'verify', 'serving'],
  ['cli'],
];

/** The floors as docs/architecture.md shows them: the highest first, each importing from those below. */
export const picture = (floors = FLOORS): string =>
  floors
    .toReversed()
    .map(rooms => rooms.join('   '))
    .join('\n');
