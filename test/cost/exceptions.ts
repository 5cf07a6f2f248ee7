import { QUIET_ENTRIES } from './growing-chain.ts';
import type { PageCost } from './measured.ts';

/** Why a page does not cost the same everywhere, and what it costs instead. */
export interface Exception {
  /** Entries that are read besides those of the page. */
  readonly reads?: (page: PageCost) => number;
  /** They are found by walking through a table or index from its end. */
  readonly walks?: true;
  /** They come back to the program too. */
  readonly returned?: true;
  /** Statements besides those of the first page. */
  readonly steps?: (page: PageCost) => number;
}

const lastOf = ({ offset }: PageCost): number => offset + 10;
const quietTransactions = (): number => 3 * QUIET_ENTRIES;
/** The busy account sends three transactions a block. */
const sentByBusy = ({ blocks }: PageCost): number => 3 * blocks;
const everyBlock = ({ blocks }: PageCost): number => blocks;

// Several filters, or another order than that of the chain: nothing has both. The shortest list that contains the answer is read.
const WITHIN_QUIET_LIST: Exception = { reads: quietTransactions };
const WITHIN_BUSY_LIST: Exception = { reads: sentByBusy };
const WITHIN_BUSY_CONTRACT: Exception = { reads: everyBlock };

// An order without positions: what is before the page is passed over in an index.
const WITHIN_OFFSET: Exception = { reads: lastOf, walks: true };

// Several lists as one: the page is found by halving what is to be passed over.
const BY_HALVES: Exception = { steps: ({ offset }) => 3 * Math.log2(offset + 1) };

// The order of time: the times of the first and the last of a page are looked for, near where the order of the chain has them.
const SEARCHED_TIMES: Exception = { steps: () => 60 };
const SEARCHED_TIMES_IN_LISTS: Exception = {
  steps: ({ offset }) => 60 + 3 * Math.log2(offset + 1),
  reads: ({ total }) => 30 * Math.log2(total + 1),
};

// Where a time begins and ends in a list is found by halving the list: an entry a step.
const HALVED_LIST: Exception = { reads: ({ total }) => Math.log2(total + 1) };

// Who is in a pool depends on height and time: the newest entry of each stacker is looked for in the list of the pool.
const WITHIN_QUIET_POOL: Exception = { reads: () => QUIET_ENTRIES };
const WITHIN_BUSY_POOL: Exception = { reads: everyBlock };

// A trait is compared with the contracts that have the rarest of its functions, the newest first, in batches that grow.
const CANDIDATES: Exception = {
  reads: page => 100 + 2 * lastOf(page),
  returned: true,
  steps: page => 2 + lastOf(page) / 100,
};

// The list is sorted by what another database has, so it is read as a whole; once for each tip, or once a second.
const EVERY_FUNGIBLE_TOKEN: Exception = { reads: ({ total }) => 3 * total, returned: true };

/** By the name of the request. There is no other. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'getPoolDelegations quiet pool': WITHIN_QUIET_POOL,
  'getPoolDelegations busy pool': WITHIN_BUSY_POOL,
  'getPoolDelegations busy pool at a height': WITHIN_BUSY_POOL,
  'getContractsByTrait common trait': CANDIDATES,
  'getTransactionList by types': BY_HALVES,
  'getTransactionList by type, in long time': HALVED_LIST,
  'getTransactionList by types, in long time': { ...BY_HALVES, ...HALVED_LIST },
  'getTransactionList by three types, oldest first': BY_HALVES,
  'getTransactionList by quiet sender and type': WITHIN_QUIET_LIST,
  'getTransactionList by quiet sender and type, in long time': WITHIN_QUIET_LIST,
  'getTransactionList by quiet contract and busy function': WITHIN_QUIET_LIST,
  'getTransactionList by fee, of quiet sender': WITHIN_QUIET_LIST,
  'getTransactionList by busy sender and contract': WITHIN_BUSY_CONTRACT,
  'getTransactionList by busy sender and types': WITHIN_BUSY_LIST,
  'getTransactionList by fee, of busy sender': WITHIN_BUSY_LIST,
  'getTransactionList by fee': WITHIN_OFFSET,
  'getTransactionList by time': SEARCHED_TIMES,
  'getTransactionList by time, of a type': SEARCHED_TIMES_IN_LISTS,
  'getTransactionList by time, of two types': SEARCHED_TIMES_IN_LISTS,
  'getTransactionList by time, of busy sender': SEARCHED_TIMES_IN_LISTS,
  'getTransactionList by fee, of a type': WITHIN_OFFSET,
  'getTransactionList by fee, of three types': WITHIN_OFFSET,
  'FT list': EVERY_FUNGIBLE_TOKEN,
};
