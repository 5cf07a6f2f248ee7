import { indexSchema } from '../ingest/indexer/schema.ts';
import { addressEventsProjection } from './addresses/events-projection.ts';
import { addressesProjection } from './addresses/projection.ts';
import { isCanonical, lowestUnsoundFrom } from './blocks/canonical-chain.ts';
import { blocksProjection } from './blocks/projection.ts';
import { packBlockRecord } from './blocks/record.ts';
import { burnchainProjection } from './burnchain/projection.ts';
import { assetsProjection } from './contracts/assets-projection.ts';
import { contractsProjection } from './contracts/projection.ts';
import { contractLogsProjection } from './events/logs-projection.ts';
import { eventsProjection } from './events/projection.ts';
import { mempoolProjection } from './mempool/projection.ts';
import { microblocksProjection } from './microblocks/projection.ts';
import { namesProjection } from './names/projection.ts';
import { nftProjection } from './nft/projection.ts';
import { poxProjection } from './pox/projection.ts';
import { stakingProjection } from './staking/projection.ts';
import { supplyProjection } from './supply/projection.ts';
import { tokenBalancesProjection } from './token-balances/projection.ts';
import { tokenMetadataProjection } from './token-metadata/projection.ts';
import { minedHeights } from './transactions/mined.ts';
import { transactionsProjection } from './transactions/projection.ts';

/** The data that this program keeps about the chain. */
export const INDEX_SCHEMA = indexSchema({
  projections: [
    // First, as calls show the argument names of the contract's interface.
    contractsProjection,
    assetsProjection,
    transactionsProjection,
    blocksProjection,
    microblocksProjection,
    supplyProjection,
    tokenBalancesProjection,
    // These refer to transactions by their position.
    addressesProjection,
    addressEventsProjection,
    contractLogsProjection,
    eventsProjection,
    nftProjection,
    poxProjection,
    stakingProjection,
    namesProjection,
    tokenMetadataProjection,
    // It looks up which transactions are mined, and takes their bytes from the transactions projection.
    mempoolProjection,
  ],
  burnProjections: [burnchainProjection],
  blockRecord: packBlockRecord,
  canonicalBlocks: { isCanonical, lowestUnsoundFrom },
  minedHeights,
});
