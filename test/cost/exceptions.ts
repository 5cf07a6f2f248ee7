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

/** Rows that a search may look at (src/api/http/long-reads.ts); beyond them it is refused. */
export const MAX_ROWS_SEARCHED = 200;

// Several filters, or the order of fees or of receipt: no list has that. A search reads the shortest list that contains the page, as far as it may; a
// second time if that was too much for one turn.
const SEARCH: Exception = { reads: () => 2 * MAX_ROWS_SEARCHED, returned: true, steps: () => 40 };

const FILTERS = ['type', 'from_address', 'to_address', 'contract_id', 'function_name', 'nonce'];

/**
 * Lists of several types are one: the page is found by halving what is to be passed over. So are the two ends of a time in each list, at
 * some rows a step, and at two more for each further list.
 */
const halvings = ({ offset, blocks }: PageCost, lists: number): number =>
  3 * Math.log2(offset + 1) + (6 + 2 * lists) * Math.log2(3 * blocks);

/** In the order of time the times of the first and the last of a page are looked for, near where the order of the chain has them. */
const inOrderOfTime = (page: PageCost): number => 60 + 10 * halvings(page, 1);

/** As of a block, the length of each list is found by halving it: a row a step. */
export const asOfBlock = (operationId: string, exception: Exception = {}): Exception => ({
  ...exception,
  ...(TAKES_BACK.has(operationId) && SEARCH),
  reads: page =>
    (exception.reads?.(page) ?? 0) +
    4 * Math.log2(3 * page.blocks) +
    (TAKES_BACK.has(operationId) ? 4 * MAX_ROWS_SEARCHED : 0),
});

/** From the newest state, what changed above the block is taken back, as far as a search may go; of FTs, all that the principal ever had are read. */
const TAKES_BACK: ReadonlySet<string> = new Set([
  'getAccountNoncesV1',
  'getPrincipalNoncesV3',
  'getBurnchainRewardsTotalByAddressV1',
  'getNftHoldingsV1',
  'getPrincipalBalancesNftV3',
  'getPrincipalMiningV3',
  'getFtTotalSupplyV3',
  'getFtTotalsV3',
  'getPrincipalFtTransfersV3',
  'getPrincipalFtBalancesV2',
  'getPrincipalBalancesFtV3',
  'getFtHoldersV1',
  'getFtHoldersByBalanceV3',
  'getStxHoldersV3',
  'getNamesOwnedByAddressV1',
  'getNamesOfPrincipalsV3',
  'getPoxCycleSignersV2',
  'getPoxCycleSignerV2',
  'getPoxCycleSignerStackersV2',
  'getStakingOverviewV3',
  'getStakingCycleV3',
  'getStakingCycleSignerStakersV3',
  'getStakingSignersV3',
  'getStakingSignerStakersV3',
  'getBondsV3',
  'getBondAllowlistEntriesV3',
  'getBondRegistrationsV3',
  'getBondRegistrationV3',
  'getPrincipalBondPositionsV3',
  'getPrincipalStakingRewardsV3',
  'getPrincipalStakingSummaryV3',
]);

function transactionList(query: URLSearchParams): Exception {
  if (query.get('sort_by') === 'fee' || FILTERS.filter(name => query.has(name)).length > 1) return SEARCH;
  const types = query.get('type')?.split(',').length ?? 1;
  const steps = query.get('sort_by') === 'burn_block_time' ? inOrderOfTime : (page: PageCost) => halvings(page, types);
  return { steps, reads: steps };
}

// Who is in a pool depends on height and time: the newest entry of each stacker is searched for in the list of the pool.
const WITHIN_POOL = SEARCH;

// A trait is compared with the contracts that have the rarest of its functions, the newest first, as far as a search may go. Of each the
// place in the list, the contract and its functions are read.
const CANDIDATES: Exception = { ...SEARCH, reads: () => 3 * MAX_ROWS_SEARCHED };

// The list is sorted by what another database has, so it is read as a whole; once for each tip, or once a second. Every third block
// deploys a token.
const EVERY_FUNGIBLE_TOKEN: Exception = { reads: ({ blocks }) => blocks, returned: true };

// A cycle takes two weeks, so all of them are a few hundred: they are counted.
const EVERY_CYCLE: Exception = { reads: ({ total }) => total, walks: true };

// Of each cycle its reward set and the signer in it.
const EVERY_CYCLE_AND_SIGNER: Exception = { reads: ({ total }) => 2 * total, walks: true, returned: true };

// Of who stacks alone, and of each pool, what may be on the page or before it is read in the order of amounts, as far as a search may go.
const BY_AMOUNT: Exception = SEARCH;

// What an account had, or had sent, when a block was new is looked for among 64 of its changes (ingest/indexer/last-entries.ts), then found by halving.
const HALVED_HISTORY: Exception = { reads: ({ blocks }) => 64 + Math.log2(3 * blocks) };

// The two ends of a span of heights are found by halving.
const HALVED_SPAN: Exception = { reads: ({ blocks }) => 2 * Math.log2(3 * blocks) };

// A page has a hundred names; those before it are passed over in the order of names, as far as a search may go.
const NAMES: Exception = { ...SEARCH, walks: true };

// A page passes over a hundred transactions without a movement. Its ends, and those of a span of time, are found in three lists by halving.
const MOVEMENTS: Exception = {
  reads: ({ blocks }) => 110 + 15 * Math.log2(3 * blocks),
  returned: true,
  steps: () => 12,
};

// Of one direction, it looks at two hundred entries and reads their events.
const SOME_MOVEMENTS: Exception = { ...MOVEMENTS, reads: page => 600 + (MOVEMENTS.reads?.(page) ?? 0) };

// What is before a page is passed over in the order of balances, as far as a search may go.
const HOLDERS: Exception = SEARCH;

// Few namespaces are launched, as that is expensive.
const EVERY_NAMESPACE: Exception = { reads: () => 10, walks: true };

// What a history leaves out is passed over: each entry of a page is looked for by halving.
const HALVED_PAGE: Exception = { reads: ({ blocks }) => 10 * Math.log2(3 * blocks) };

// An order that changes has no positions: what is before the page is passed over in the index of that order.
const IN_INDEX: Exception = { reads: ({ offset }) => offset + 10, walks: true };

// The order of a key has no positions: the page is sought, and as many entries before it. Of bonds and unlock heights a few are ahead.
const BY_KEY: Exception = { reads: () => 22 };

// Its fee is compared with those of all that waits, which is bounded.
const ALL_THAT_WAITS: Exception = { reads: () => 20 };

// What waits is counted, and what the newest blocks have: a thousand transactions at most.
const NEWEST_MINED: Exception = { reads: () => 1100, walks: true };

// Those that cover a cycle: there are 13 a year.
const EVERY_BOND: Exception = { reads: ({ blocks }) => blocks, walks: true };

// Of every cycle with rewards one row: there are 26 a year.
const EVERY_REWARDED_CYCLE: Exception = { reads: () => 30, walks: true };

// If no topic needs the content of blocks, up to 500 blocks without a matching event are skipped.
const HEADERS: Exception = { reads: () => 500, returned: true };

// What forks left behind has a table of its own, which is small: all forks are counted. Of one its blocks are followed, up to a thousand.
const EVERY_FORK: Exception = { reads: () => 20, walks: true };

// Many records are read in parts, each twice as large as the one before, until they are too much for one request.
const newestOf = (rows: number): Exception => ({ reads: () => rows, returned: true, steps: () => 6 });

// Of the names that have the term, and of the ids that begin with it, up to a thousand are compared, and twenty are shown. Their number grows with the
// chain only as names like them do.
const FOUND: Exception = { reads: () => 60, returned: true };

/** By operation. There is no other. */
export const EXCEPTIONS: Readonly<Record<string, (query: URLSearchParams) => Exception>> = {
  getTransactionListV1: transactionList,
  getDroppedMempoolTransactionListV1: () => ({ ...SEARCH, walks: true }),
  getServerStatusV3: () => EVERY_FORK,
  getForksV3: () => EVERY_FORK,
  getForkV3: () => EVERY_FORK,
  getBlockOrphansV3: () => EVERY_FORK,
  getFilteredEventsV1: () => SEARCH,
  getPoolDelegationsV1: () => WITHIN_POOL,
  getContractsByTraitV1: () => CANDIDATES,
  findContractsByTraitV1: () => CANDIDATES,
  getAccountNoncesV1: () => HALVED_HISTORY,
  getAccountStxBalanceV1: query => (query.has('until_block') ? HALVED_HISTORY : {}),
  getAccountTransactionsV1: () => HALVED_PAGE,
  getAccountAssetsV1: () => HALVED_SPAN,
  getAccountInboundV1: () => HALVED_SPAN,
  getSmartContractLogsV3: query => (query.has('topic') && query.has('principal') ? SEARCH : {}),
  getMempoolTransactionPositionV3: () => ALL_THAT_WAITS,
  getSmartContractActivityV3: query => newestOf(2 * Number(query.get('limit') ?? 1000)),
  getBlockCellsV3: query => newestOf(Number(query.get('limit') ?? 500)),
  searchV3: () => FOUND,
  getMempoolBandsV3: () => NEWEST_MINED,
  getPrincipalStxHistoryV3: () => HALVED_PAGE,
  getPrincipalMovementsV3: query => (query.has('direction') ? SOME_MOVEMENTS : MOVEMENTS),
  getPoxCyclesV2: () => EVERY_CYCLE,
  getStakingCycleV3: () => EVERY_BOND,
  getStakingSignerCyclesV3: () => EVERY_CYCLE_AND_SIGNER,
  getStakingOverviewV3: () => BY_KEY,
  getBondsV3: () => BY_KEY,
  getStxHoldersV3: () => ({ ...BY_KEY, walks: true }),
  getFtHoldersByBalanceV3: () => BY_KEY,
  getNftCollectionsV3: () => ({ ...BY_KEY, walks: true }),
  getNftItemsV3: () => BY_KEY,
  getPrincipalBondPositionsV3: () => BY_KEY,
  getPrincipalStakingSummaryV3: () => EVERY_REWARDED_CYCLE,
  getPrincipalStakingRewardsV3: () => EVERY_REWARDED_CYCLE,
  getStakingSignersV3: () => BY_KEY,
  getStakingSignerStakersV3: () => BY_KEY,
  getStakingCycleSignersV3: () => BY_KEY,
  getStakingCycleSignerStakersV3: () => BY_KEY,
  getAllNamesV1: () => NAMES,
  getNamespaceNamesV1: () => NAMES,
  getAllNamespacesV1: () => EVERY_NAMESPACE,
  getPoxCycleSignerStackersV2: () => BY_AMOUNT,
  getFtHoldersV1: () => HOLDERS,
  getNftHoldingsV1: () => IN_INDEX,
  getStreamEventsV3: query => (query.get('topics')?.startsWith('principal:') ? {} : HEADERS),
  getFungibleTokensV1: () => EVERY_FUNGIBLE_TOKEN,
  getFtLookalikesV1: () => EVERY_FUNGIBLE_TOKEN,
};
