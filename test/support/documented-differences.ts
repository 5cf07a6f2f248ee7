/**
 * Responses of this index beside those of the software of the hosted API, each written by hand, by the row of docs/compatibility.md that lists the
 * difference. They do not come from the list that `compare` reads: that list is tested with them.
 */
import type { JsonValue } from '../../src/base/lib/json.ts';
import type { ComparedResponse } from '../../src/operate/compare/server.ts';
import type { ComparedExchange } from '../../src/operate/compare/tolerances.ts';

const HASH = 'ab'.repeat(32);
const [ID, FOUR, THREE] = [`0x${HASH}`, '9:2147483647:1:3', '9:2147483647:1'];
const V3 = '/extended/v3';
const page = (total: number, ...results: readonly JsonValue[]): JsonValue => ({ total, results });
const cursors = (cursor: JsonValue): JsonValue => ({ total: 1, cursor, results: [] });

type Side = JsonValue | Partial<ComparedResponse>;
interface Pair {
  readonly route: string;
  readonly path: string;
  readonly ours: Side;
  readonly theirs: Side;
}
export const pair = (route: string, path: string, ours: Side, theirs: Side): Pair => ({ route, path, ours, theirs });
const status = (code: number, body: JsonValue = {}) => ({ status: code, body });
/** A response with a body that does not matter, and headers. */
const head = (headers: Readonly<Record<string, string>>, code = 200) => ({ status: code, headers, body: {} });
const TAGGED = { etag: 'present', 'cache-control': 'public, no-cache, must-revalidate' };
const UNTAGGED = { 'cache-control': 'no-store' };

/** By the row of the page: what this index responds, and what the software of the hosted API does, each written by hand. */
export const PAIRS: readonly (readonly [row: string, pair: Pair])[] = [
  ['bad input everywhere', pair('getBlockV2', '/extended/v2/blocks/-1', status(400), status(500))],
  ['totals past the end of a list', pair('getPoxCyclesV2', '/extended/v2/pox/cycles?offset=40', page(3), page(0))],
  [
    'getTransactionsByBlockV2',
    pair('getTransactionsByBlockV2', '/extended/v2/blocks/7/transactions?limit=0', status(200, page(3)), status(404)),
  ],
  [
    'getTransactionsByBlockV2, getTransactionListV1',
    pair('getTransactionListV1', '/extended/v1/tx', page(1299, ID), page(1292, ID)),
  ],
  [
    'getTransactionsByBlockV2, getAddressTransactionsV2',
    pair(
      'getTransactionsByBlockV2',
      '/extended/v2/blocks/7/transactions',
      page(1, {
        contract_call: { function_signature: '(define-public (a))', function_args: [{ hex: '0x00', name: 'a' }] },
      }),
      page(1, { contract_call: { function_signature: '', function_args: [{ hex: '0x00', name: '' }] } }),
    ),
  ],
  [
    'getTransactionListV1, getRawTransactionByIdV1 and all that show tenure changes and post conditions',
    pair(
      'getTransactionListV1',
      '/extended/v1/tx',
      status(200, page(1, { tenure_change_payload: { cause: 'extended_runtime' } })),
      status(500),
    ),
  ],
  [
    'getRawTransactionByIdV1, getBlockByBurnBlockHashV1, getBlockByHashV1, getMicroblockByHashV1 without `0x`',
    pair('getBlockByHashV1', `/extended/v1/block/${HASH}`, status(200), status(302)),
  ],
  [
    'getBurnBlockV2 by height, getBurnBlocksV2',
    pair('getBurnBlockV2', '/extended/v2/burn-blocks/121', { stacks_blocks: [ID] }, { stacks_blocks: [ID, ID] }),
  ],
  [
    'getBurnBlockV2, by hash',
    pair('getBurnBlockV2', `/extended/v2/burn-blocks/${ID}`, status(200, { canonical: false }), status(404)),
  ],
  [
    'getBlocksV2, getTenureBlocksV2, getSmartContractLogsV2, getAddressTransactionsV2',
    pair('getBlocksV2', '/extended/v2/blocks?offset=3', { next_cursor: ID }, { next_cursor: null }),
  ],
  [
    'getBlocksV2, getTenureBlocksV2, getSmartContractLogsV2, getAddressTransactionsV2',
    pair('getBlocksV2', `/extended/v2/blocks?cursor=${ID}&offset=300`, status(200, page(9)), status(404)),
  ],
  [
    'searchV3',
    pair(
      'searchV3',
      `${V3}/search?q=pool`,
      { results: [{ type: 'smart_contract', result: { contract_id: 'ST1.pool' } }] },
      { results: [{ type: 'smart_contract', result: { contract_id: 'ST1P00L.a' } }] },
    ),
  ],
  ['searchV3', pair('searchV3', `${V3}/search?q=alice&type=name`, status(200, { results: [] }), status(400))],
  [
    'getStakingCycleV3',
    pair(
      'getStakingCycleV3',
      `${V3}/staking/cycles/7`,
      { locked: { stx: { bonds: '3' } } },
      { locked: { stx: { bonds: '9' } } },
    ),
  ],
  [
    'getStakingCycleV3, getStakingCycleSignersV3',
    pair('getStakingCycleV3', `${V3}/staking/cycles/7`, { schedule: null }, { schedule: { start: { height: 1 } } }),
  ],
  [
    'getContractsByTraitV1',
    pair('getContractsByTraitV1', '/extended/v1/contract/by_trait?offset=40', status(200, page(1)), status(404)),
  ],
  [
    'every `*_iso`',
    pair('getBlockV2', '/extended/v2/blocks/1', { time_iso: '1970-01-01T00:00:00.000Z' }, { time_iso: '' }),
  ],
  ['getBurnBlocksV2', pair('getBurnBlocksV2', '/extended/v2/burn-blocks', page(9, 1), page(99, 1))],
  [
    'getBurnBlocksV2, getBlocksByBurnBlockV2, getBurnBlockPoxTransactionsV2, getBurnchainAddressPoxTransactionsV2',
    pair(
      'getBlocksByBurnBlockV2',
      '/extended/v2/burn-blocks/121/blocks?limit=0',
      { limit: 0, total: 4, results: [1] },
      { limit: 0, total: 0, results: [1] },
    ),
  ],
  ['getTenureBlocksV2', pair('getTenureBlocksV2', '/extended/v2/block-tenures/3/blocks', page(4, 1), page(6))],
  ['getTenureBlocksV2', pair('getTenureBlocksV2', '/extended/v2/block-tenures/3/blocks', head(TAGGED), head(UNTAGGED))],
  [
    'getAverageBlockTimesV2',
    pair('getAverageBlockTimesV2', '/extended/v2/blocks/average-times', { last_1h: 5 }, { last_1h: 0 }),
  ],
  [
    'getBlockListV1',
    pair(
      'getBlockListV1',
      '/extended/v1/block',
      page(1, { microblocks_streamed: [ID] }),
      page(1, { microblocks_streamed: [] }),
    ),
  ],
  ['getMicroblockListV1', pair('getMicroblockListV1', '/extended/v1/microblock', page(27, 1, 2), page(3, 1))],
  [
    'lists of confirmed transactions',
    pair(
      'getTransactionListV1',
      '/extended/v1/tx?include_events=true',
      page(1, { events: [{ event_index: 0 }] }),
      page(1, { events: [] }),
    ),
  ],
  ['getTransactionListV1', pair('getTransactionListV1', '/extended/v1/tx?nonce=0', page(2, 1), page(9, 2))],
  ['ETag of errors', pair('getBlockV2', `/extended/v2/blocks/${ID}`, head(UNTAGGED, 404), head(TAGGED, 404))],
  [
    'ETag of rewards, reward slots and names',
    pair('getBurnchainRewardListV1', '/extended/v1/burnchain/rewards', head(TAGGED), head(UNTAGGED)),
  ],
  [
    'validation errors',
    pair('getBlocksV2', '/extended/v2/blocks?limit=99', head({ 'x-api-version': 'present' }, 400), head({}, 400)),
  ],
  ['`/extended/v3`: `total`', pair('getStxHoldersV3', `${V3}/tokens/stx/holders?cursor=9`, page(5), page(0))],
  [
    '`/extended/v3`: `previous`',
    pair('getBondsV3', `${V3}/staking/bonds`, cursors({ previous: '4' }), cursors({ previous: null })),
  ],
  [
    '`/extended/v3`: transactions of one place (boot block and block 1)',
    pair('getTransactionsV3', `${V3}/transactions`, cursors({ next: FOUR }), cursors({ next: THREE })),
  ],
  [
    'getBondV3',
    pair(
      'getBondV3',
      `${V3}/staking/bonds/1`,
      { transaction: { bitcoin_block: { height: 5 } } },
      { transaction: { bitcoin_block: { height: 9 } } },
    ),
  ],
  [
    'bonds: `rewards.accrued`',
    pair(
      'getBondsV3',
      `${V3}/staking/bonds`,
      page(1, { balances: { rewards: { btc: { accrued: '7' } } } }),
      page(1, { balances: { rewards: { btc: { accrued: '6' } } } }),
    ),
  ],
  [
    'bonds: `registered_count`, getBondRegistrationsV3',
    pair('getBondV3', `${V3}/staking/bonds/1`, { registered_count: 1 }, { registered_count: 2 }),
  ],
  [
    'bonds: `registered_count`, getBondRegistrationsV3',
    pair('getBondRegistrationsV3', `${V3}/staking/bonds/1/registrations`, page(1, 1), page(2, 1, 1)),
  ],
  [
    'getPrincipalBondPositionsV3, getBondRegistrationV3',
    pair(
      'getBondRegistrationV3',
      `${V3}/staking/bonds/1/registrations/ST1`,
      { enrollment: { btc_lockup: { amount: '5' } } },
      { enrollment: { btc_lockup: { amount: '0' } } },
    ),
  ],
  ['getBondEventsV3', pair('getBondEventsV3', `${V3}/staking/bonds/1/events`, status(200, page(1, 1)), status(500))],
  [
    'getPrincipalMiningRewardsV3',
    pair(
      'getPrincipalMiningRewardsV3',
      `${V3}/principals/ST1/mining/rewards`,
      page(1, { source_block: null }),
      page(1),
    ),
  ],
  [
    '`/extended/v3`: hashes without `0x`',
    pair('getBlockTransactionsV3', `${V3}/blocks/${HASH}/transactions`, status(200), status(302)),
  ],
  [
    'getPrincipalBondPositionsV3',
    pair(
      'getPrincipalBondPositionsV3',
      `${V3}/principals/ST1/staking/bonds`,
      page(1, { status: 'unlocked' }),
      page(1, { status: 'active' }),
    ),
  ],
  [
    'getPrincipalStakingSummaryV3, rewards',
    pair(
      'getPrincipalStakingSummaryV3',
      `${V3}/principals/ST1/staking`,
      { rewards: { btc: '2000' } },
      { rewards: { btc: '1999' } },
    ),
  ],
  [
    'getStakingSignerStakersV3',
    pair('getStakingSignerStakersV3', `${V3}/staking/signers/a/stakers`, page(1, { btc: '0' }), page(1, { btc: '5' })),
  ],
  [
    'getStakingCycleSignersV3',
    pair('getStakingCycleSignersV3', `${V3}/staking/cycles/8/signers`, status(200), status(400)),
  ],
  [
    'getTransactionV3',
    pair(
      'getTransactionV3',
      `${V3}/transactions/${ID}`,
      status(200, { status: 'dropped_replace_by_fee' }),
      status(404),
    ),
  ],
  ['getTransactionV3', pair('getTransactionV3', `${V3}/transactions/${ID}`, { post_condition_mode: 'deny' }, {})],
  [
    'getTransactionEventsV3',
    pair('getTransactionEventsV3', `${V3}/transactions/${ID}/events`, status(404), status(400)),
  ],
  ['`/extended/v3`: the boot block', pair('getTransactionsV3', `${V3}/transactions`, page(1299, 1), page(1292, 1))],
  [
    '`/extended/v3`: the boot block',
    pair(
      'getPrincipalTransactionsV3',
      `${V3}/principals/ST1/transactions`,
      page(2, 1, { transaction: { block: { height: 1 } } }),
      page(1, 1),
    ),
  ],
  [
    '`/extended/v3`: the boot block',
    pair('getTransactionV3', `${V3}/transactions/${ID}`, { block: { time: 1700000000 } }, { block: { time: 0 } }),
  ],
  [
    '`/extended/v3`: the boot block',
    pair(
      'getTransactionV3',
      `${V3}/transactions/${ID}`,
      { parent_block: { index_hash: ID } },
      { parent_block: { index_hash: `0x${'f'.repeat(64)}` } },
    ),
  ],
  [
    'getPrincipalTransactionsV3',
    pair(
      'getPrincipalTransactionsV3',
      `${V3}/principals/ST1/transactions`,
      page(3, { involvement: 'affected' }, { involvement: 'sender' }),
      page(1, { involvement: 'sender' }),
    ),
  ],
  [
    'getPrincipalInboundStxTransfersV3, getPrincipalOutboundStxTransfersV3',
    pair(
      'getPrincipalInboundStxTransfersV3',
      `${V3}/principals/ST1/transfers/stx/inbound`,
      page(1, { memo: null }),
      page(1, { memo: { hex: '0x00', repr: '' } }),
    ),
  ],
  [
    'getPrincipalBalancesFtV3',
    pair(
      'getPrincipalBalancesFtV3',
      `${V3}/principals/ST1/balances/ft`,
      page(2, { balance: '10' }),
      page(2, { balance: '9' }),
    ),
  ],
  [
    'getTransactionV3 without `0x`, bonds above 2^31 − 1',
    pair('getTransactionV3', `${V3}/transactions/${HASH}`, status(200), status(500)),
  ],
  [
    'rows of equal rank: holders with one balance, transfers of one send-many, blocks of one time',
    pair(
      'getFtHoldersV1',
      '/extended/v1/tokens/ft/a/holders',
      page(2, { address: 'ST1' }),
      page(2, { address: 'ST2' }),
    ),
  ],
  [
    'getPrincipalBalanceChangesV3, getPrincipalTransactionBalanceChangesV3',
    pair('getPrincipalBalanceChangesV3', `${V3}/principals/ST1/balance-changes`, page(0), page(1, { net: '0' })),
  ],
  [
    'getPrincipalBalancesStxV3',
    pair('getPrincipalBalancesStxV3', `${V3}/principals/ST1/balances/stx`, { available: '5' }, { available: '7' }),
  ],
  [
    'headers',
    pair(
      'getBlockV2',
      '/extended/v2/blocks/7',
      head({ 'access-control-expose-headers': 'x-api-version, etag' }),
      head({ 'access-control-expose-headers': 'x-api-version' }),
    ),
  ],
  [
    'transactions of unanchored microblocks (epochs 2.0 to 2.4)',
    pair(
      'getTransactionByIdV1',
      `/extended/v1/tx/${ID}`,
      { is_unanchored: true, block_time: 1 },
      { is_unanchored: true, block_time: 9 },
    ),
  ],
  [
    'getPoxCycleSignersV2, getPoxCycleSignerV2',
    pair(
      'getPoxCycleSignersV2',
      '/extended/v2/pox/cycles/8/signers',
      page(1, { solo_stacker_count: 2 }),
      page(1, { solo_stacker_count: 1 }),
    ),
  ],
  [
    'getPoxCycleSignersV2',
    pair('getPoxCycleSignersV2', '/extended/v2/pox/cycles/8/signers', status(404), status(200, page(0))),
  ],
  [
    'getPoxCycleSignerV2, getPoxCycleSignerStackersV2',
    pair(
      'getPoxCycleSignerStackersV2',
      `/extended/v2/pox/cycles/8/signers/${HASH}02/stackers`,
      status(200),
      status(500),
    ),
  ],
  [
    'getPoxEventsByStackerV1',
    pair('getPoxEventsByStackerV1', '/extended/v1/pox4/stacker/ST1', { limit: 1000, results: [1] }, { results: [1] }),
  ],
  [
    'getPoolDelegationsV1',
    pair('getPoolDelegationsV1', '/extended/v1/pox4/ST1.a/delegations?unanchored=true', status(200), status(404)),
  ],
  [
    'getPoolDelegationsV1, searchByIdV1',
    pair(
      'getPoolDelegationsV1',
      '/extended/v1/pox4/ST1.a/delegations',
      page(1, { burn_block_unlock_height: 9007199254740991 }),
      page(1, { burn_block_unlock_height: 1e20 }),
    ),
  ],
  [
    'getBurnchainRewardListV1, getBurnchainRewardListByAddressV1, getBurnchainRewardsTotalByAddressV1',
    pair(
      'getBurnchainRewardsTotalByAddressV1',
      '/extended/v1/burnchain/rewards/a/total',
      { reward_amount: '9' },
      { reward_amount: '7' },
    ),
  ],
  [
    'getBurnBlockPoxTransactionsV2, getBurnchainAddressPoxTransactionsV2',
    pair('getBurnchainAddressPoxTransactionsV2', '/extended/v2/addresses/a/pox-transactions', page(46, 1), page(52, 2)),
  ],
  [
    'getTransactionListV1, getPoolDelegationsV1, getContractsByTraitV1',
    pair('getContractsByTraitV1', '/extended/v1/contract/by_trait', status(503), status(200)),
  ],
  [
    'getContractsByTraitV1',
    pair('getContractsByTraitV1', '/extended/v1/contract/by_trait', { results: [1] }, { results: [] }),
  ],
  [
    'getMempoolTransactionListV1 and all that show pending transactions',
    pair(
      'getTransactionByIdV1',
      `/extended/v1/tx/${ID}`,
      { tx_status: 'pending' },
      { tx_status: 'dropped_replace_by_fee' },
    ),
  ],
  [
    'getTransactionByIdV1, getTxListDetailsV1, getDroppedMempoolTransactionListV1, getMempoolTransactionStatsV1',
    pair(
      'getTransactionByIdV1',
      `/extended/v1/tx/${ID}`,
      status(404),
      status(200, { tx_type: 'coinbase', tx_status: 'pending' }),
    ),
  ],
  [
    'getTransactionByIdV1, getTxListDetailsV1, getDroppedMempoolTransactionListV1, getMempoolTransactionStatsV1',
    pair(
      'getTxListDetailsV1',
      `/extended/v1/tx/multiple?tx_id=${ID}`,
      { [ID]: { found: false, error: 'not found' } },
      { [ID]: { found: true, result: { tx_type: 'coinbase' } } },
    ),
  ],
  [
    'the order of boot transactions among those of block 1 with the same number',
    pair('getBlockByHeightV1', '/extended/v1/block/by_height/1', { height: 1, txs: [ID] }, { height: 1, txs: [HASH] }),
  ],
  [
    'ETag of getTransactionsByBlockV2, getBlockV2, getSignerSignaturesForBlockV2',
    pair('getBlockV2', `/extended/v2/blocks/${ID}`, head(TAGGED), head(UNTAGGED)),
  ],
  [
    'getContractsByTraitV1',
    pair('getContractsByTraitV1', '/extended/v1/contract/by_trait', status(200, page(1, 1)), status(404)),
  ],
  [
    'getBurnBlockV2 by height, getBurnBlocksV2',
    pair('getBurnBlocksV2', '/extended/v2/burn-blocks', page(1, { total_tx_count: 2 }), page(1, { total_tx_count: 4 })),
  ],
  [
    'getContractByIdV1, getContractEventsByIdV1',
    pair('getContractByIdV1', `/extended/v1/contract/ST1.${'a'.repeat(60)}`, status(200), status(404)),
  ],
  [
    'getBurnchainRewardSlotHoldersByAddressV1 and all that take a Bitcoin address',
    pair(
      'getBurnchainRewardSlotHoldersByAddressV1',
      '/extended/v1/burnchain/reward_slot_holders/tb1pxyz',
      status(200),
      status(400),
    ),
  ],
  [
    'searchByIdV1',
    pair(
      'searchByIdV1',
      `/extended/v1/search/${ID}`,
      { result: { entity_type: 'tx_id', tx_data: { canonical: true } } },
      { result: { entity_type: 'tx_id', tx_data: { canonical: false } } },
    ),
  ],
  ['searchByIdV1', pair('searchByIdV1', `/extended/v1/search/${ID}`, status(200), status(404))],
  [
    'searchByIdV1',
    pair(
      'searchByIdV1',
      '/extended/v1/search/ST1',
      { result: { metadata: { estimated_balance_: 1, lock_height: 5 } } },
      { result: { metadata: { estimated_balance_: 1, lock_height: 6 } } },
    ),
  ],
  [
    'searchByIdV1, getBlockByBurnBlockHashV1 and all that show a block in the older form',
    pair(
      'getBlockByHashV1',
      `/extended/v1/block/${ID}`,
      { canonical: false, txs: [ID] },
      { canonical: false, txs: [] },
    ),
  ],
  ['getNftHistoryV1', pair('getNftHistoryV1', '/extended/v1/tokens/nft/history', status(200), status(500))],
  [
    'getPrincipalStxBalanceV2',
    pair(
      'getPrincipalStxBalanceV2',
      '/extended/v2/addresses/ST1/balances/stx',
      { burnchain_lock_height: 149 },
      { burnchain_lock_height: 190 },
    ),
  ],
  [
    'getFtHoldersV1, getPrincipalFtBalancesV2, getNftHoldingsV1, getNftHistoryV1',
    pair(
      'getFtHoldersV1',
      '/extended/v1/tokens/ft/a/holders?offset=40',
      { total_supply: '9', total: 3, results: [] },
      { total_supply: '0', total: 0, results: [] },
    ),
  ],
  [
    'getAddressTransactionsV2',
    pair(
      'getAddressTransactionsV2',
      '/extended/v2/addresses/ST000000000000000000002AMW42H/transactions',
      page(7, 1),
      page(1),
    ),
  ],
  [
    'getAddressTransactionsV2, getAddressTransactionEventsV2, all of `/extended/v1/address`',
    pair('getAddressTransactionsV2', '/extended/v2/addresses/ST1/transactions', head(TAGGED), head(UNTAGGED)),
  ],
  [
    'getAddressTransactionsV2',
    pair('getAddressTransactionsV2', '/extended/v2/addresses/ST1/transactions', { cursor: THREE }, {}),
  ],
  [
    'getAddressTransactionEventsV2',
    pair(
      'getAddressTransactionEventsV2',
      `/extended/v2/addresses/ST1/transactions/${HASH}/events`,
      status(200),
      status(500),
    ),
  ],
  ['getRawTransactionByIdV1', pair('getRawTransactionByIdV1', `/extended/v1/tx/${ID}/raw`, status(200), status(404))],
  [
    'getNameInfoV1, fetchZoneFileV1, lists of names',
    pair('getNameInfoV1', '/v1/names/alice.btc', status(200), status(404)),
  ],
  ['getNameInfoV1, fetchZoneFileV1, lists of names', pair('getAllNamesV1', '/v1/names', ['alice.btc'], [])],
  [
    'fetchZoneFileV1',
    pair('fetchZoneFileV1', '/v1/names/alice.btc/zonefile', status(200, { zonefile: '' }), status(404)),
  ],
  ['getNameInfoV1, fetchZoneFileV1', pair('getNameInfoV1', '/v1/names/a.alice.btc', status(404), status(302))],
  [
    'getTxListDetailsV1, getTransactionsByBlockHashV1',
    pair('getTxListDetailsV1', `/extended/v1/tx/multiple?tx_id=${HASH}`, status(200), status(400)),
  ],
  [
    'getSmartContractLogsV2',
    pair('getSmartContractLogsV2', '/extended/v2/smart-contracts/ST1.a/logs', page(2, 1), page(0, 1)),
  ],
  [
    '`unanchored`',
    pair('getAccountStxBalanceV1', '/extended/v1/address/ST1/stx?unanchored=true', { balance: '5' }, { balance: '4' }),
  ],
  [
    'getAccountTransactionsV1',
    pair('getAccountTransactionsV1', '/extended/v1/address/ST1/transactions', page(81, 1), page(100, 2)),
  ],
  [
    '`Warning` of routes that are deprecated since 9.1 ([which](spec/http.md#deprecation))',
    pair(
      'searchByIdV1',
      '/extended/v1/search/1',
      head({ warning: '299 - "Deprecated: Use /extended/v3/search instead"' }),
      head({}),
    ),
  ],
  [
    'version 3, `time_iso`',
    pair(
      'getBlockTransactionsV3',
      `${V3}/blocks/7/transactions`,
      page(1, { block: { time_iso: '2026' } }),
      page(1, { block: {} }),
    ),
  ],
  [
    '`include=auth` of `/extended/v3/transactions/{tx_id}`',
    pair('getTransactionV3', `${V3}/transactions/${ID}?include=auth`, { auth: { size: 180 } }, {}),
  ],
  [
    '`include=auth` of `/extended/v3/transactions/{tx_id}`',
    pair('getTransactionV3', `${V3}/transactions/${ID}?include=auth`, status(200), status(400)),
  ],
  [
    'searchByIdV1, metadata of an address',
    pair(
      'searchByIdV1',
      '/extended/v1/search/ST1',
      { result: { metadata: {} } },
      { result: { metadata: { token_offering_locked: '0' } } },
    ),
  ],
  [
    'every lock has the amount 1 and the unlock height 1 (getAccountAssetsV1)',
    pair(
      'getAccountAssetsV1',
      '/extended/v1/address/ST1/assets',
      page(1, { stx_lock_event: { locked_amount: '5' } }),
      page(1, { stx_lock_event: { locked_amount: '1' } }),
    ),
  ],
];

const isResponse = (side: Side): side is Partial<ComparedResponse> =>
  typeof side === 'object' && side !== null && 'body' in side;
const responseOf = (side: Side): ComparedResponse =>
  ({
    status: 200,
    headers: {},
    ...(isResponse(side) ? side : { body: side }),
  }) as ComparedResponse;
export const exchangeOf = ({ route, path, ours, theirs }: Pair): ComparedExchange => ({
  operationId: route,
  path,
  ours: responseOf(ours),
  theirs: responseOf(theirs),
});
