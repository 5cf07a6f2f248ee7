import type { Check } from './check.ts';
import { balancesCheck } from './checks/balances.ts';
import { blockTransactionsCheck, rawTransactionsCheck, signaturesCheck } from './checks/block-contents.ts';
import { burnChainCheck } from './checks/burn-chain.ts';
import { blockPlacesCheck, burnTimesCheck, chainLinksCheck } from './checks/canonical-chain.ts';
import { contractsCheck } from './checks/contracts.ts';
import { feeListsCheck } from './checks/fee-lists.ts';
import { historiesCheck } from './checks/histories.ts';
import { journalCheck } from './checks/journal.ts';
import { knownBlocksCheck } from './checks/known-blocks.ts';
import { listLengthsCheck } from './checks/list-lengths.ts';
import { listsCheck } from './checks/lists.ts';
import { lockChangesCheck, stakingLocksCheck } from './checks/locks.ts';
import { mempoolCheck } from './checks/mempool.ts';
import { microblocksCheck } from './checks/microblocks.ts';
import { namesCheck, zoneFilesCheck } from './checks/names.ts';
import { networkCheck } from './checks/network.ts';
import { nftOwnersCheck } from './checks/nft-owners.ts';
import { rebuiltBlocksCheck } from './checks/rebuilt-blocks.ts';
import { referencesCheck } from './checks/references.ts';
import { rewardsCheck } from './checks/rewards.ts';
import { stackersCheck } from './checks/stackers.ts';
import { poxCountsCheck, poxEventsCheck, signersCheck } from './checks/stacking.ts';
import { stakingCheck } from './checks/staking.ts';
import { stateCheck } from './checks/state.ts';
import { supplyCheck, tokenSuppliesCheck } from './checks/supply.ts';
import { tipCheck } from './checks/tip.ts';
import { tokenBalancesCheck } from './checks/token-balances.ts';
import { tokenEventsCheck } from './checks/token-events.ts';
import { undoRecordsCheck } from './checks/undo-records.ts';

/** All checks of an index; a check comes after those that it relies on. */
export const CHECKS: readonly Check[] = [
  journalCheck,
  stateCheck,
  networkCheck,
  burnChainCheck,
  rewardsCheck,
  knownBlocksCheck,
  rebuiltBlocksCheck,
  chainLinksCheck,
  tipCheck,
  burnTimesCheck,
  blockPlacesCheck,
  signaturesCheck,
  blockTransactionsCheck,
  microblocksCheck,
  rawTransactionsCheck,
  listsCheck,
  referencesCheck,
  listLengthsCheck,
  feeListsCheck,
  contractsCheck,
  balancesCheck,
  supplyCheck,
  tokenSuppliesCheck,
  tokenBalancesCheck,
  tokenEventsCheck,
  lockChangesCheck,
  historiesCheck,
  stakingLocksCheck,
  nftOwnersCheck,
  namesCheck,
  zoneFilesCheck,
  poxEventsCheck,
  stackersCheck,
  poxCountsCheck,
  signersCheck,
  stakingCheck,
  mempoolCheck,
  undoRecordsCheck,
];
