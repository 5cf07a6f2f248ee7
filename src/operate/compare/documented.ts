/**
 * The differences of docs/compatibility.md that a comparison can find, as data: `compare` tolerates exactly these from the software of the
 * hosted API. `documented.test.ts` binds each entry to its rows there, and each row to an entry.
 */

/** A row of a table in docs/compatibility.md: its first cell and, if several rows have the same, a part of the row. */
export type DocumentedRow = string | readonly [where: string, part: string];

export interface DocumentedDifference {
  readonly rows: readonly DocumentedRow[];
  /** Names of routes; without them, all routes. */
  readonly routes?: readonly string[];
  /** The beginning of their paths. */
  readonly below?: string;
  /** The path with its query, as it was sent. */
  readonly request?: RegExp;
  /** Kind of response: a page without results, or an error, on this side. */
  readonly on?: 'empty page' | 'error';
  /** Text in the JSON of the body, on this side or on the other. */
  readonly ourBody?: RegExp;
  readonly theirBody?: RegExp;
  /** The place of the difference in the body, the name of a header, or the status. */
  readonly at?: RegExp;
  readonly header?: string;
  readonly status?: readonly [ours: readonly number[], theirs: readonly number[]];
  /** The JSON of the differing values, or `nothing`. */
  readonly ours?: RegExp;
  readonly theirs?: RegExp;
}

const NOTHING = /^nothing$/;
const ZERO = /^0$/;
const PAGE = /^(total|results|cursor|next_cursor|prev_cursor)/;
const LISTS_OF_BLOCK = ['getTransactionsByBlockV2', 'getTransactionsByBlockHashV1', 'getTransactionsByBlockHeightV1'];
const OLDER_BLOCKS = [
  'getBlockByBurnBlockHashV1',
  'getBlockByBurnBlockHeightV1',
  'getBlockByHashV1',
  'getBlockByHeightV1',
];
const SEEKING = ['getBlocksV2', 'getTenureBlocksV2', 'getSmartContractLogsV2', 'getAddressTransactionsV2'];
const SIGNERS = ['getPoxCycleSignersV2', 'getPoxCycleSignerV2'];
const NAMES = 'getNameInfoV1, fetchZoneFileV1';
const POX_TRANSACTIONS = ['getBurnBlockPoxTransactionsV2', 'getBurnchainAddressPoxTransactionsV2'];
const OWNED_NAMES = 'getNamesOwnedByAddressV1';
const REWARDS = [
  'getBurnchainRewardListV1',
  'getBurnchainRewardListByAddressV1',
  'getBurnchainRewardsTotalByAddressV1',
];
const SLOTS = ['getBurnchainRewardSlotHoldersV1', 'getBurnchainRewardSlotHoldersByAddressV1'];
const NAME_LISTS = ['getAllNamesV1', 'getAllNamespacesV1', 'getNamespaceNamesV1', OWNED_NAMES];
const VERSIONED = ['etag', 'cache-control'] as const;

/** A header that only one side has, each with the `Cache-Control` that goes with it. */
const versionedOnlyHere = (entry: Omit<DocumentedDifference, 'header'>): DocumentedDifference[] =>
  VERSIONED.map(header => ({ ...entry, header }));

export const DOCUMENTED: readonly DocumentedDifference[] = [
  { rows: ['bad input everywhere'], status: [[400, 404], [500]] },
  { rows: ['`/extended/v3`: `total`'], below: '/extended/v3/', on: 'empty page', at: /^total$/, theirs: ZERO },
  { rows: ['totals past the end of a list'], on: 'empty page', at: /^total$/, theirs: ZERO },
  {
    rows: [['getTransactionsByBlockV2', 'offset past the end']],
    routes: ['getTransactionsByBlockV2'],
    on: 'empty page',
    status: [[200], [404]],
  },
  {
    rows: ['getTransactionsByBlockV2, getTransactionListV1'],
    routes: [...LISTS_OF_BLOCK, 'getTransactionListV1'],
    at: /^total$/,
  },
  {
    rows: ['getTransactionsByBlockV2, getAddressTransactionsV2'],
    routes: [...LISTS_OF_BLOCK, 'getAddressTransactionsV2'],
    at: /contract_call\.(function_signature|function_args)/,
  },
  {
    rows: ['getTransactionListV1, getRawTransactionByIdV1 and all that show tenure changes and post conditions'],
    ourBody: /"(cause|mode)":"(extended_|originator|unknown_)|"post_condition_mode":"originator"|"unknown_\d+"/,
    status: [[200], [500]],
  },
  {
    rows: ['getRawTransactionByIdV1, getBlockByBurnBlockHashV1, getBlockByHashV1, getMicroblockByHashV1 without `0x`'],
    routes: ['getRawTransactionByIdV1', 'getBlockByBurnBlockHashV1', 'getBlockByHashV1', 'getMicroblockByHashV1'],
    request: /\/[0-9a-fA-F]{64}([/?]|$)/,
    status: [[200, 404], [302]],
  },
  {
    rows: ['getBurnBlockV2 by height, getBurnBlocksV2'],
    routes: ['getBurnBlocksV2'],
    at: /^results\[\d+\]\.(stacks_blocks|total_tx_count|avg_block_time)/,
  },
  {
    rows: ['getBurnBlockV2 by height, getBurnBlocksV2'],
    routes: ['getBurnBlockV2'],
    request: /\/burn-blocks\/\d+$/,
    at: /^(stacks_blocks|total_tx_count|avg_block_time)/,
  },
  {
    rows: ['getBurnBlockV2, by hash'],
    routes: ['getBurnBlockV2'],
    request: /\/burn-blocks\/(0x)?[0-9a-fA-F]{64}/,
    ourBody: /"canonical":false/,
    status: [[200], [404]],
  },
  { rows: ['getBurnBlocksV2'], routes: ['getBurnBlocksV2'], at: /^total$/ },
  {
    rows: [
      'getBurnBlocksV2, getBlocksByBurnBlockV2, getBurnBlockPoxTransactionsV2, getBurnchainAddressPoxTransactionsV2',
    ],
    routes: ['getBurnBlocksV2', 'getBlocksByBurnBlockV2', ...POX_TRANSACTIONS],
    request: /[?&]limit=0(&|$)/,
    at: /^total$/,
    theirs: ZERO,
  },
  { rows: ['getTenureBlocksV2'], routes: ['getTenureBlocksV2'], at: PAGE },
  ...versionedOnlyHere({
    rows: ['getTenureBlocksV2'],
    routes: ['getTenureBlocksV2'],
    theirs: /^(nothing|"no-store")$/,
  }),
  {
    rows: ['getBlocksV2, getTenureBlocksV2, getSmartContractLogsV2, getAddressTransactionsV2'],
    routes: SEEKING,
    at: /^next_cursor$/,
    theirs: /^null$/,
  },
  {
    rows: ['getBlocksV2, getTenureBlocksV2, getSmartContractLogsV2, getAddressTransactionsV2'],
    routes: SEEKING,
    on: 'empty page',
    request: /[?&]cursor=/,
    status: [[200], [404]],
  },
  { rows: ['getAverageBlockTimesV2'], routes: ['getAverageBlockTimesV2'], at: /^last_/ },
  {
    rows: [['getBlockListV1', '`microblocks_streamed` lists']],
    routes: ['getBlockListV1'],
    at: /microblocks_streamed/,
  },
  { rows: ['getMicroblockListV1'], routes: ['getMicroblockListV1'], at: PAGE },
  {
    rows: ['lists of confirmed transactions'],
    request: /[?&]include_events=true/,
    at: /\.events\[\d+\]$/,
    theirs: NOTHING,
  },
  {
    rows: [['getTransactionListV1', '`nonce=0`']],
    routes: ['getTransactionListV1'],
    request: /[?&](nonce|start_time|end_time)=0(&|$)/,
    at: PAGE,
  },
  ...versionedOnlyHere({ rows: ['ETag of errors'], on: 'error' }),
  ...versionedOnlyHere({
    rows: ['ETag of rewards, reward slots and names'],
    routes: [...REWARDS, ...SLOTS],
    theirs: /^(nothing|"no-store")$/,
  }),
  { rows: ['validation errors'], on: 'error', header: 'x-api-version', theirs: NOTHING },
  { rows: ['`/extended/v3`: `previous`'], below: '/extended/v3/', at: /^cursor\.previous$/, theirs: /^null$/ },
  {
    rows: [
      '`/extended/v3`: transactions of one place (boot block and block 1)',
      '`/extended/v3/staking`: allowlists and registrations',
    ],
    below: '/extended/v3/',
    at: /^cursor\.(next|previous|current)$/,
    ours: /^"\d+:\d+:\d+:\d+"$/,
  },
  { rows: ['bonds: `rewards.accrued`'], below: '/extended/v3/staking/bonds', at: /rewards\.(btc\.)?accrued$/ },
  {
    rows: ['bonds: `registered_count`, getBondRegistrationsV3'],
    below: '/extended/v3/staking/bonds',
    at: /(^|\.)registered_count$/,
  },
  {
    rows: ['bonds: `registered_count`, getBondRegistrationsV3'],
    routes: ['getBondRegistrationsV3'],
    at: PAGE,
  },
  {
    rows: ['getPrincipalBondPositionsV3, getBondRegistrationV3'],
    routes: ['getPrincipalBondPositionsV3', 'getBondRegistrationV3'],
    at: /enrollment\.btc_lockup\.amount$/,
    theirs: /^"0"$/,
  },
  { rows: ['getBondEventsV3'], routes: ['getBondEventsV3'], status: [[200], [500]] },
  {
    rows: [['getPrincipalMiningRewardsV3', 'source block is not known']],
    routes: ['getPrincipalMiningRewardsV3'],
    ourBody: /"source_block":null/,
    at: /^results/,
  },
  {
    rows: ['`/extended/v3`: hashes without `0x`'],
    below: '/extended/v3/',
    request: /\/[0-9a-fA-F]{64}([/?]|$)/,
    status: [[200, 404], [302]],
  },
  { rows: ['getBondV3'], routes: ['getBondV3'], at: /^transaction\.bitcoin_block\./ },
  {
    rows: ['getPrincipalBondPositionsV3'],
    routes: ['getPrincipalBondPositionsV3'],
    at: /^results\[\d+\]\.(status|active|transaction|enrolled|rewards)/,
  },
  {
    rows: ['getPrincipalStakingSummaryV3, rewards'],
    below: '/extended/v3/principals/',
    routes: ['getPrincipalStakingSummaryV3', 'getPrincipalBondPositionsV3'],
    at: /rewards/,
  },
  { rows: ['getStakingSignerStakersV3'], routes: ['getStakingSignerStakersV3'], at: /\.btc(\.|$)/ },
  {
    rows: ['getStakingCycleSignersV3'],
    routes: ['getStakingCycleSignersV3', 'getStakingCycleV3'],
    request: /\/cycles\/\d+/,
    status: [[200], [400]],
  },
  {
    rows: [['searchV3', 'names are found in the address']],
    routes: ['searchV3'],
    request: /[?&]q=[a-z][^.&]*(&|$)/i,
    at: /^results(\[|\.|$)/,
  },
  {
    rows: [['searchV3', 'pending transactions, names and namespaces of BNS']],
    routes: ['searchV3'],
    request: /[?&]type=[^&]*(pending_transaction|name|namespace|bitcoin_address|function)/,
    status: [[200], [400]],
  },
  {
    rows: ['getStakingCycleV3'],
    routes: ['getStakingCycleV3'],
    at: /^(locked|participants\.stakers)\./,
  },
  {
    rows: ['getStakingCycleV3, getStakingCycleSignersV3'],
    routes: ['getStakingCycleV3', 'getStakingCycleSignersV3'],
    at: /(^|\.)(schedule|status)(\.|$)/,
    ours: /^null$/,
  },
  {
    rows: ['getTransactionV3'],
    below: '/extended/v3/transactions/',
    ourBody: /"status":"dropped/,
    status: [[200], [404]],
  },
  { rows: ['getTransactionV3'], below: '/extended/v3/', at: /(^|\.)post_condition_mode$/, theirs: NOTHING },
  { rows: ['getTransactionEventsV3'], routes: ['getTransactionEventsV3'], status: [[404], [400]] },
  {
    rows: ['`/extended/v3`: the boot block'],
    routes: ['getTransactionsV3', 'getBlockTransactionsV3', 'getPrincipalTransactionsV3'],
    at: /^total$/,
  },
  {
    rows: ['`/extended/v3`: the boot block'],
    routes: ['getPrincipalTransactionsV3'],
    at: /^(results\[\d+\]|cursor\..*)$/,
    ours: /^"\d|"height":1[,}]/,
  },
  {
    rows: ['`/extended/v3`: the boot block'],
    below: '/extended/v3/',
    at: /(^|\.)block\.time(_iso)?$/,
    theirs: /^(0|"")$/,
  },
  { rows: ['`/extended/v3`: the boot block'], below: '/extended/v3/', at: /parent_block\./, theirs: /^"0xf{64}"$/ },
  {
    rows: ['getPrincipalTransactionsV3'],
    routes: ['getPrincipalTransactionsV3'],
    ourBody: /"involvement":"affected"/,
    at: PAGE,
  },
  {
    rows: ['getPrincipalInboundStxTransfersV3, getPrincipalOutboundStxTransfersV3'],
    routes: ['getPrincipalInboundStxTransfersV3', 'getPrincipalOutboundStxTransfersV3'],
    at: /\.memo(\.|$)/,
  },
  { rows: ['getPrincipalBalancesFtV3'], routes: ['getPrincipalBalancesFtV3'], at: /^(results|cursor)/ },
  {
    rows: ['getTransactionV3 without `0x`, bonds above 2^31 − 1'],
    routes: ['getTransactionV3'],
    request: /\/transactions\/[0-9a-fA-F]{64}(\?|$)/,
    status: [[200], [500]],
  },
  {
    rows: ['rows of equal rank: holders with one balance, transfers of one send-many, blocks of one time'],
    routes: ['getFtHoldersV1', 'getFtHoldersByBalanceV3', 'getStxHoldersV3', 'getAccountInboundV1'],
    at: /^results\[\d+\]\./,
  },
  {
    rows: ['rows of equal rank: holders with one balance, transfers of one send-many, blocks of one time'],
    routes: ['getBlockByBlockTimeV2'],
    at: /./,
  },
  {
    rows: ['getPrincipalBalanceChangesV3, getPrincipalTransactionBalanceChangesV3'],
    routes: ['getPrincipalBalanceChangesV3', 'getPrincipalTransactionBalanceChangesV3'],
    theirBody: /"sent":"0","received":"0"|"net":"0"/,
    at: PAGE,
  },
  {
    rows: ['getPrincipalBalancesStxV3'],
    routes: ['getPrincipalBalancesStxV3'],
    at: /^(available|locked|mempool)(\.|$)/,
  },
  { rows: ['headers'], header: 'access-control-expose-headers' },
  {
    rows: ['transactions of unanchored microblocks (epochs 2.0 to 2.4)'],
    ourBody: /"(microblock_hash":"0x[0-9a-f]|is_unanchored":true)/,
    at: /(^|\.)(parent_)?block_time(_iso)?$/,
  },
  {
    rows: [
      ['getPoxCycleSignersV2, getPoxCycleSignerV2', 'misspelled name'],
      ['getPoxCycleSignersV2, getPoxCycleSignerV2', 'in cycles of PoX 5'],
    ],
    routes: SIGNERS,
    at: /stacker_count$/,
  },
  { rows: ['getPoxCycleSignersV2'], routes: ['getPoxCycleSignersV2'], status: [[404], [200]] },
  {
    rows: ['getPoxCycleSignerV2, getPoxCycleSignerStackersV2'],
    routes: ['getPoxCycleSignerV2', 'getPoxCycleSignerStackersV2'],
    request: /\/signers\/[0-9a-fA-F]{66}/,
    status: [[200], [500]],
  },
  { rows: ['getPoxEventsByStackerV1'], routes: ['getPoxEventsByStackerV1'], at: /^(limit|offset|total)$/ },
  {
    rows: ['getPoolDelegationsV1'],
    routes: ['getPoolDelegationsV1'],
    request: /[?&]unanchored=true/,
    status: [[200], [404]],
  },
  {
    rows: ['getPoolDelegationsV1, searchByIdV1'],
    routes: ['getPoolDelegationsV1', 'searchByIdV1'],
    at: /./,
    ours: /^9007199254740991$/,
  },
  {
    rows: ['getBurnchainRewardListV1, getBurnchainRewardListByAddressV1, getBurnchainRewardsTotalByAddressV1'],
    routes: REWARDS,
    at: /^(results|reward_amount)/,
  },
  {
    rows: [['getBurnBlockPoxTransactionsV2, getBurnchainAddressPoxTransactionsV2', 'burn blocks that lost']],
    routes: POX_TRANSACTIONS,
    at: /^(total|results)/,
  },
  {
    rows: ['getTransactionListV1, getPoolDelegationsV1, getContractsByTraitV1'],
    routes: ['getTransactionListV1', 'getPoolDelegationsV1', 'getContractsByTraitV1'],
    status: [[503], [200]],
  },
  {
    rows: [['getContractsByTraitV1', 'offset past the end']],
    routes: ['getContractsByTraitV1'],
    on: 'empty page',
    status: [[200], [404]],
  },
  { rows: ['every `*_iso`'], at: /_iso$/, ours: /^"1970-/, theirs: /^""$/ },
  { rows: [['getContractsByTraitV1', 'compared as JSON']], routes: ['getContractsByTraitV1'], at: /^results/ },
  { rows: [['getContractsByTraitV1', 'compared as JSON']], routes: ['getContractsByTraitV1'], status: [[200], [404]] },
  {
    rows: [
      'getMempoolTransactionListV1 and all that show pending transactions',
      'getTransactionByIdV1, getTxListDetailsV1, getDroppedMempoolTransactionListV1, getMempoolTransactionStatsV1',
    ],
    at: /(^|\.)(tx_status|status|replaced_by_tx_id)$/,
    ours: /^("pending"|"dropped_|nothing|null|"0x)/,
    theirs: /^("pending"|"dropped_|nothing|null|"0x)/,
  },
  {
    rows: [
      'getTransactionByIdV1, getTxListDetailsV1, getDroppedMempoolTransactionListV1, getMempoolTransactionStatsV1',
    ],
    routes: ['getTransactionByIdV1'],
    theirBody: /"tx_type":"(coinbase|tenure_change)"/,
    status: [[404], [200]],
  },
  {
    rows: [
      'getTransactionByIdV1, getTxListDetailsV1, getDroppedMempoolTransactionListV1, getMempoolTransactionStatsV1',
    ],
    routes: ['getTxListDetailsV1'],
    theirBody: /"tx_type":"(coinbase|tenure_change)"/,
    at: /\.(found|result|error)$/,
  },
  {
    rows: ['the order of boot transactions among those of block 1 with the same number'],
    routes: [
      ...LISTS_OF_BLOCK,
      ...OLDER_BLOCKS,
      'getTransactionListV1',
      'getBlockListV1',
      'getAccountTransactionsWithTransfersV1',
    ],
    ourBody: /"(block_)?height":1[,}]/,
    at: /^(results\[\d+\]\.|txs\[)/,
  },
  {
    rows: ['getContractByIdV1, getContractEventsByIdV1'],
    routes: ['getContractByIdV1', 'getContractEventsByIdV1'],
    request: /\.[a-zA-Z][\w-]{57,}/,
    status: [[200], [400, 404]],
  },
  {
    rows: [
      ['searchByIdV1', '`include_metadata` changes what is found'],
      ['searchByIdV1', 'which row of a transaction'],
    ],
    routes: ['searchByIdV1'],
    ourBody: /"entity_type":"(tx_id|mempool_tx_id)"/,
    at: /^result(\.|$)/,
  },
  {
    rows: [
      ['searchByIdV1', '`include_metadata` changes what is found'],
      ['searchByIdV1', 'index block hashes and heights'],
      ['searchByIdV1', 'a contract id that is not deployed'],
    ],
    routes: ['searchByIdV1'],
    status: [[200], [404]],
  },
  {
    rows: ['searchByIdV1, getBlockByBurnBlockHashV1 and all that show a block in the older form'],
    routes: [...OLDER_BLOCKS, 'searchByIdV1'],
    ourBody: /"canonical":false/,
    at: /(^|\.)(txs|microblock_tx_count)(\[|\.|$)/,
  },
  {
    rows: [['searchByIdV1', 'address metadata also has']],
    routes: ['searchByIdV1'],
    at: /^result\.metadata\.(estimated_balance|pending_balance_\w+)$/,
    theirs: NOTHING,
  },
  {
    rows: [
      ['searchByIdV1', 'a delegation, its revocation'],
      ['searchByIdV1', 'the forced unlock height'],
      ['searchByIdV1', 'a lock event of any PoX contract'],
    ],
    routes: ['searchByIdV1'],
    at: /^result\.metadata\.(lock_tx_id|locked|lock_height|burnchain_\w+)$/,
  },
  {
    rows: ['getBurnchainRewardSlotHoldersByAddressV1 and all that take a Bitcoin address'],
    request: /\/(bc|tb|bcrt)1p/i,
    status: [[200], [400]],
  },
  { rows: ['getNftHistoryV1'], routes: ['getNftHistoryV1'], status: [[200], [500]] },
  {
    rows: [
      ['getPrincipalStxBalanceV2', 'PoX 5 is not known'],
      ['getPrincipalStxBalanceV2', 'locks of PoX 1 to 3'],
    ],
    routes: ['getPrincipalStxBalanceV2'],
    at: /^(lock_tx_id|locked|lock_height|burnchain_\w+)$/,
  },
  {
    rows: ['getFtHoldersV1, getPrincipalFtBalancesV2, getNftHoldingsV1, getNftHistoryV1'],
    routes: ['getFtHoldersV1', 'getPrincipalFtBalancesV2', 'getNftHoldingsV1', 'getNftHistoryV1'],
    on: 'empty page',
    at: /^(total|total_supply)$/,
    theirs: /^"?0"?$/,
  },
  {
    rows: [['getAddressTransactionsV2', 'the boot block']],
    routes: ['getAddressTransactionsV2'],
    request: /\/addresses\/S[PT]0{12,}/,
    at: PAGE,
  },
  ...versionedOnlyHere({
    rows: ['ETag of getTransactionsByBlockV2, getBlockV2, getSignerSignaturesForBlockV2'],
    routes: ['getTransactionsByBlockV2', 'getBlockV2', 'getSignerSignaturesForBlockV2'],
    theirs: /^(nothing|"no-store")$/,
  }),
  ...versionedOnlyHere({
    rows: ['getAddressTransactionsV2, getAddressTransactionEventsV2, all of `/extended/v1/address`'],
    request: /^\/extended\/(v1\/address|v2\/addresses)\//,
    theirs: /^(nothing|"no-store")$/,
  }),
  {
    rows: ['getAddressTransactionEventsV2'],
    routes: ['getAddressTransactionEventsV2'],
    request: /\/transactions\/[0-9a-fA-F]{64}\//,
    status: [[200], [500]],
  },
  { rows: ['getRawTransactionByIdV1'], routes: ['getRawTransactionByIdV1'], status: [[200], [404]] },
  {
    rows: [
      'getNameInfoV1, fetchZoneFileV1, lists of names',
      [OWNED_NAMES, 'names of BNS version 1 alone'],
      [OWNED_NAMES, 'former owners of a subdomain'],
      [OWNED_NAMES, 'an NFT of any contract'],
      [OWNED_NAMES, 'a zone file of a block'],
      [OWNED_NAMES, 'of unanchored microblocks'],
      [OWNED_NAMES, 'labels over 250 characters'],
      'getNamespaceNamesV1',
    ],
    routes: [...NAME_LISTS, 'getNameInfoV1'],
    at: /./,
  },
  {
    rows: ['fetchZoneFileV1'],
    routes: ['fetchZoneFileV1'],
    ourBody: /^\{"zonefile":""\}$/,
    status: [[200], [404]],
  },
  {
    rows: ['getNameInfoV1, fetchZoneFileV1, lists of names'],
    routes: ['getNameInfoV1', 'fetchZoneFileV1', ...NAME_LISTS],
    status: [[200], [400, 404]],
  },
  { rows: [NAMES], routes: ['getNameInfoV1', 'fetchZoneFileV1'], status: [[404], [302]] },
  {
    rows: ['getTxListDetailsV1, getTransactionsByBlockHashV1'],
    routes: ['getTxListDetailsV1', 'getTransactionsByBlockHashV1'],
    request: /[/=][0-9a-fA-F]{64}(&|\?|$)/,
    status: [[200], [400]],
  },
  { rows: ['getSmartContractLogsV2'], routes: ['getSmartContractLogsV2'], at: /^total$/, theirs: ZERO },
  { rows: ['`unanchored`'], request: /[?&]unanchored=true/, at: /./ },
  {
    rows: [['getAddressTransactionsV2', '8.13 lacks them']],
    routes: ['getAddressTransactionsV2'],
    at: /^(cursor|next_cursor|prev_cursor)$/,
    theirs: NOTHING,
  },
  { rows: ['getAccountTransactionsV1'], routes: ['getAccountTransactionsV1'], at: /^(total|results)/ },
  {
    rows: ['`Warning` of routes that are deprecated since 9.1 ([which](spec/http.md#deprecation))'],
    header: 'warning',
    ours: /Deprecated: /,
  },
  { rows: ['version 3, `time_iso`'], below: '/extended/v3/', at: /(^|\.)time_iso$/, theirs: NOTHING },
  {
    rows: ['`include=auth` of `/extended/v3/transactions/{tx_id}`'],
    routes: ['getTransactionV3'],
    at: /^auth(\.|$)/,
    theirs: NOTHING,
  },
  {
    rows: ['`include=auth` of `/extended/v3/transactions/{tx_id}`'],
    request: /[?&]include=auth/,
    status: [[200], [400]],
  },
  { rows: ['searchByIdV1, metadata of an address'], at: /token_offering_locked$/, ours: NOTHING },
  {
    rows: ['every lock has the amount 1 and the unlock height 1 (getAccountAssetsV1)'],
    routes: ['getAccountAssetsV1'],
    at: /stx_lock_event/,
  },
];
