/**
 * The floors of src, the lowest first. A file imports only from its own room, which is a folder or a file, and from rooms on lower floors;
 * two rooms on one floor know nothing of each other. Of two rooms that hold a file, it belongs to the inner one.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ['base/lib'],
  ['base/codec', 'base/net', 'base/store'],
  ['ingest/journal'],
  ['ingest/node'],
  ['ingest/chain'],
  ['ingest/indexer'],
  ['index/burnchain', 'index/contracts', 'index/names', 'index/pox', 'index/supply'],
  ['index/token-metadata', 'index/transactions'],
  ['index/token-balances'],
  [
    'index/addresses',
    'index/blocks',
    'index/events',
    'index/mempool',
    'index/microblocks',
    'index/nft',
    'index/staking',
  ],
  ['index/index-schema.ts'],
  ['metadata'],
  ['api/http'],
  [
    'api/node-proxy',
    'api/paging',
    'api/records/burnchain',
    'api/records/names',
    'api/records/pox',
    'api/records/supply',
    'api/records/token-metadata',
  ],
  ['api/faucet', 'api/records/contracts'],
  ['api/records/transactions'],
  ['api/records/blocks', 'api/records/events', 'api/records/nft', 'api/records/staking'],
  ['api/records/addresses', 'api/records/microblocks', 'api/records/token-balances'],
  ['api/records/mempool'],
  ['api/live', 'api/records/forks', 'api/records/search'],
  ['api/routes', 'api/webhooks'],
  ['api/explorer'],
  ['operate/compare', 'operate/metrics', 'operate/storage'],
  ['operate/copy', 'operate/export', 'operate/gaps', 'operate/serving', 'operate/verify'],
  ['cli'],
];

/** The floors as docs/architecture.md shows them: the highest first, each importing from those below. */
export const picture = (floors = FLOORS): string =>
  floors
    .toReversed()
    .map(rooms => rooms.join('   '))
    .join('\n');
