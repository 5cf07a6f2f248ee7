import { indexSchema } from './indexer/schema.ts';
import { addressEventsProjection } from './resources/addresses/events-projection.ts';
import { addressesProjection } from './resources/addresses/projection.ts';
import { blocksProjection } from './resources/blocks/projection.ts';
import { packRecord } from './resources/blocks/record.ts';
import { burnchainProjection } from './resources/burnchain/projection.ts';
import { contractLogsProjection } from './resources/contract-logs/projection.ts';
import { contractsProjection } from './resources/contracts/projection.ts';
import { eventsProjection } from './resources/events/projection.ts';
import { mempoolProjection } from './resources/mempool/projection.ts';
import { microblocksProjection } from './resources/microblocks/projection.ts';
import { namesProjection } from './resources/names/projection.ts';
import { nftProjection } from './resources/nft/projection.ts';
import { poxProjection } from './resources/pox/projection.ts';
import { stakingProjection } from './resources/staking/projection.ts';
import { supplyProjection } from './resources/supply/projection.ts';
import { tokenBalancesProjection } from './resources/token-balances/projection.ts';
import { tokenMetadataProjection } from './resources/token-metadata/projection.ts';
import { transactionsProjection } from './resources/transactions/projection.ts';

/** What this program keeps of the chain. */
export const INDEX_SCHEMA = indexSchema({
  projections: [
    // Calls show the names of the arguments that the contract's interface gives them.
    contractsProjection,
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
    // Its verdicts ask what is mined, and its transactions have their bytes from the transactions projection.
    mempoolProjection,
  ],
  burnProjections: [burnchainProjection],
  blockRecord: packRecord,
});
