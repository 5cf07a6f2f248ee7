import { balancesCheck } from './balances.ts';
import { blockPlacesCheck } from './block-places.ts';
import { blockTransactionsCheck } from './block-transactions.ts';
import { burnChainCheck } from './burn-chain.ts';
import { burnTimesCheck } from './burn-times.ts';
import { chainLinksCheck } from './chain-links.ts';
import type { Check } from './check.ts';
import { contractsCheck } from './contracts.ts';
import { historiesCheck } from './histories.ts';
import { journalCheck } from './journal.ts';
import { knownBlocksCheck } from './known-blocks.ts';
import { listLengthsCheck } from './list-lengths.ts';
import { listedNamesCheck } from './listed-names.ts';
import { listsCheck } from './lists.ts';
import { lockChangesCheck } from './lock-changes.ts';
import { mempoolCheck } from './mempool.ts';
import { microblocksCheck } from './microblocks.ts';
import { namesVersion2Check } from './names-version-2.ts';
import { networkCheck } from './network.ts';
import { nftOwnersCheck } from './nft-owners.ts';
import { pastBalancesCheck } from './past-balances.ts';
import { poxCountsCheck } from './pox-counts.ts';
import { poxEventsCheck } from './pox-events.ts';
import { rawTransactionsCheck } from './raw-transactions.ts';
import { referencesCheck } from './references.ts';
import { rewardsCheck } from './rewards.ts';
import { signaturesCheck } from './signatures.ts';
import { signersCheck } from './signers.ts';
import { stackersCheck } from './stackers.ts';
import { stakingCheck } from './staking.ts';
import { stakingLocksCheck } from './staking-locks.ts';
import { stateCheck } from './state.ts';
import { supplyCheck } from './supply.ts';
import { tipCheck } from './tip.ts';
import { tokenBalancesCheck } from './token-balances.ts';
import { tokenEventsCheck } from './token-events.ts';
import { undoRecordsCheck } from './undo-records.ts';
import { zoneFilesCheck } from './zone-files.ts';

/** Everything that is proved of an index: what the others stand on comes first. */
export const CHECKS: readonly Check[] = [
  journalCheck,
  stateCheck,
  networkCheck,
  burnChainCheck,
  rewardsCheck,
  knownBlocksCheck,
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
  contractsCheck,
  balancesCheck,
  supplyCheck,
  tokenBalancesCheck,
  tokenEventsCheck,
  pastBalancesCheck,
  lockChangesCheck,
  historiesCheck,
  stakingLocksCheck,
  nftOwnersCheck,
  namesVersion2Check,
  listedNamesCheck,
  zoneFilesCheck,
  poxEventsCheck,
  stackersCheck,
  poxCountsCheck,
  signersCheck,
  stakingCheck,
  mempoolCheck,
  undoRecordsCheck,
];
