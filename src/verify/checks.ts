import { balancesCheck } from './balances.ts';
import { blockTransactionsCheck } from './block-transactions.ts';
import { burnChainCheck } from './burn-chain.ts';
import { burnTimesCheck } from './burn-times.ts';
import { chainLinksCheck } from './chain-links.ts';
import type { Check } from './check.ts';
import { journalCheck } from './journal.ts';
import { knownBlocksCheck } from './known-blocks.ts';
import { listLengthsCheck } from './list-lengths.ts';
import { listsCheck } from './lists.ts';
import { mempoolCheck } from './mempool.ts';
import { namesVersion2Check } from './names-version-2.ts';
import { nftOwnersCheck } from './nft-owners.ts';
import { poxCountsCheck } from './pox-counts.ts';
import { rawTransactionsCheck } from './raw-transactions.ts';
import { referencesCheck } from './references.ts';
import { stakingLocksCheck } from './staking-locks.ts';
import { stateCheck } from './state.ts';
import { tipCheck } from './tip.ts';
import { undoRecordsCheck } from './undo-records.ts';

/** Everything that is proved of an index: what the others stand on comes first. */
export const CHECKS: readonly Check[] = [
  journalCheck,
  stateCheck,
  burnChainCheck,
  knownBlocksCheck,
  chainLinksCheck,
  tipCheck,
  burnTimesCheck,
  blockTransactionsCheck,
  rawTransactionsCheck,
  listsCheck,
  referencesCheck,
  listLengthsCheck,
  balancesCheck,
  stakingLocksCheck,
  nftOwnersCheck,
  namesVersion2Check,
  poxCountsCheck,
  mempoolCheck,
  undoRecordsCheck,
];
