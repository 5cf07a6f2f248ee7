import { PLACE, placeIn, tokenOf } from '../../src/live/token.ts';
import { keyText } from '../support/pox-prints.ts';
import type { BuiltTx } from '../support/transaction-builder.ts';
import {
  BUSY,
  BUSY_BOND,
  BUSY_CONTRACT,
  BUSY_CYCLE,
  BUSY_HOLDER,
  BUSY_MANAGER,
  BUSY_POOL,
  BUSY_TENURE,
  CYCLE,
  type GrowingChain,
  QUIET,
  QUIET_BLOCKS,
  QUIET_COIN,
  QUIET_CONTRACT,
  QUIET_HOLDER,
  QUIET_NFTS,
  QUIET_POOL,
  QUIET_SFTS,
  QUIET_TENURE,
} from './growing-chain.ts';

export const LIMIT = 10;
/** Nothing has it. */
export const UNKNOWN_HASH = `0x${'12'.repeat(32)}`;

/** A request that is measured. */
export interface Request {
  readonly name: string;
  readonly path: string;
  /** A page whose list goes on: its last page is asked for too. A function gives the length of a list that does not tell it. */
  readonly pages?: true | ((blocks: number) => number);
  /** Made from the document: it need not have a page in each chain. */
  readonly isCombination?: true;
}

const encode = encodeURIComponent;

/** Every endpoint with lists that grow with the chain ("busy") and with lists that do not ("quiet"). */
export function requestsOf(chain: GrowingChain): Request[] {
  const { quietBlock: block, quietCall: call, top } = chain;
  return [
    ...blocks(chain),
    ...transactions(chain),
    ...ofVersion3(chain),
    page('getMempoolFeePriorities', '/extended/v2/mempool/fees'),
    page('getPoxEvents', `/extended/v1/pox4/events?limit=${LIMIT}`, blocks => 5 * blocks),
    page('getPoxEventsByTransaction', `/extended/v1/pox4/tx/${call.txId}`),
    page(
      'getPoxEventsByStacker busy pool',
      `/extended/v1/pox4/stacker/${BUSY_POOL}?limit=${LIMIT}`,
      length => length - QUIET_BLOCKS,
    ),
    page('getPoxEventsByStacker quiet pool', `/extended/v1/pox4/stacker/${QUIET_POOL}`),
    list('getPoxCycles', '/extended/v2/pox/cycles'),
    page('getPoxCycle', `/extended/v2/pox/cycles/${CYCLE}`),
    list('getPoxCycleSignerStackers quiet cycle', `/extended/v2/pox/cycles/${CYCLE}/signers/${keyText(2)}/stackers`),
    list(
      'getPoxCycleSignerStackers busy cycle',
      `/extended/v2/pox/cycles/${BUSY_CYCLE}/signers/${keyText(2)}/stackers`,
    ),
    page('getPoxCycleSigners', `/extended/v2/pox/cycles/${CYCLE}/signers?limit=${LIMIT}`, true),
    page('getPoxCycleSigner', `/extended/v2/pox/cycles/${CYCLE}/signers/${keyText(5)}`),
    list('getPoolDelegations quiet pool', `/extended/v1/pox4/${QUIET_POOL}/delegations`),
    list('getPoolDelegations busy pool', `/extended/v1/pox4/${BUSY_POOL}/delegations`),
    list(
      'getPoolDelegations busy pool at a height',
      `/extended/v1/pox4/${BUSY_POOL}/delegations?height=${block.height + 30}`,
    ),
    list(
      'getBurnchainRewardSlotHoldersByAddress quiet holder',
      `/extended/v1/burnchain/reward_slot_holders/${QUIET_HOLDER}`,
    ),
    list(
      'getBurnchainRewardSlotHoldersByAddress busy holder',
      `/extended/v1/burnchain/reward_slot_holders/${BUSY_HOLDER}`,
    ),
    page('getBurnchainRewardList', `/extended/v1/burnchain/rewards?limit=${LIMIT}`, length => length - QUIET_BLOCKS),
    page(
      'getBurnchainRewardListByAddress quiet holder',
      `/extended/v1/burnchain/rewards/${QUIET_HOLDER}?limit=${LIMIT}`,
    ),
    page(
      'getBurnchainRewardListByAddress busy holder',
      `/extended/v1/burnchain/rewards/${BUSY_HOLDER}?limit=${LIMIT}`,
      length => length - QUIET_BLOCKS,
    ),
    page('getBurnchainRewardsTotalByAddress', `/extended/v1/burnchain/rewards/${BUSY_HOLDER}/total`),
    list('getBurnBlockPoxTransactions newest', '/extended/v2/burn-blocks/latest/pox-transactions'),
    page('getBurnBlockPoxTransactions by height', `/extended/v2/burn-blocks/${block.burn.height}/pox-transactions`),
    page('getBurnBlockPoxTransactions by hash', `/extended/v2/burn-blocks/${block.burn.hash}/pox-transactions`),
    list('getBurnchainAddressPoxTransactions', `/extended/v2/addresses/${BUSY_HOLDER}/pox-transactions`),
    ...staking(),
    page('getStxSupply', '/extended/v1/stx_supply'),
    page('getStxSupply at a height', `/extended/v1/stx_supply?height=${block.height}`),
    page('getTotalStxSupplyLegacyFormat', '/extended/v1/stx_supply/legacy_format'),
    page('getStxSupplyTotalSupplyPlain', '/extended/v1/stx_supply/total/plain'),
    page('getStxSupplyCirculatingPlain', '/extended/v1/stx_supply/circulating/plain'),
    page('getNetworkBlockTimes', '/extended/v1/info/network_block_times'),
    page('getNetworkBlockTimeByNetwork', '/extended/v1/info/network_block_time/mainnet'),
    list('getBurnchainRewardSlotHolders', '/extended/v1/burnchain/reward_slot_holders'),
    list('getNftMints quiet asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${QUIET_NFTS}::cat`)}`),
    list('getNftMints busy asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${BUSY_CONTRACT}::cat`)}`),
    ...searches(chain),
    page('getContractsByTrait rare trait', byTrait('trade')),
    page('getContractsByTrait common trait', byTrait('go'), length => length / 2),
    page('getContractsByTrait trait without functions', byTrait(), length => length / 2),
    list('getAddressTransactions quiet address', `/extended/v2/addresses/${QUIET}/transactions`),
    list('getAddressTransactions busy address', `/extended/v2/addresses/${BUSY}/transactions`),
    page('getAccountNonces quiet address', `/extended/v1/address/${QUIET}/nonces`),
    page('getAccountNonces busy address', `/extended/v1/address/${BUSY}/nonces`),
    page(
      'getAccountNonces busy address, at a block',
      `/extended/v1/address/${BUSY}/nonces?block_height=${block.height}`,
    ),
    ...histories(chain),
    list('getAddressMempoolTransactions', `/extended/v1/address/${QUIET}/mempool`),
    ...[QUIET, BUSY].flatMap(principal => balances(principal, block.height + 30)),
    ...tokens(),
    page('getSmartContract', `/extended/v3/smart-contracts/${QUIET_CONTRACT}?include=source_code,abi`),
    page('getContractById', `/extended/v1/contract/${QUIET_CONTRACT}`),
    list('getMempoolTransactionList', '/extended/v1/tx/mempool'),
    list('getDroppedMempoolTransactionList', '/extended/v1/tx/mempool/dropped'),
    page('getUnanchoredTxs', '/extended/v1/microblock/unanchored/txs'),
    list('getMicroblockList', '/extended/v1/microblock'),
    page('getMicroblockByHash', `/extended/v1/microblock/${UNKNOWN_HASH}`),
    page('getMempoolTransactionStats', '/extended/v1/tx/mempool/stats'),
    list('getMempoolTransactionList by fee', '/extended/v1/tx/mempool?order_by=fee'),
    list('getMempoolTransactionList of an address', `/extended/v1/tx/mempool?address=${QUIET}`),
    page('getFilteredEvents of a transaction', `/extended/v1/tx/events?tx_id=${call.txId}`),
    page('getFilteredEvents of a quiet address', `/extended/v1/tx/events?address=${QUIET}&limit=${LIMIT}`),
    page('getFilteredEvents of a busy address', `/extended/v1/tx/events?address=${BUSY}&limit=${LIMIT}`, () => 300),
    page('getFilteredEvents of a busy contract', `/extended/v1/tx/events?address=${BUSY_CONTRACT}&limit=${LIMIT}`),
    page('getRawTransactionById', `/extended/v1/tx/${call.txId}/raw`),
    page('getTransactionById', `/extended/v1/tx/${call.txId}`),
    page('getTxListDetails', `/extended/v1/tx/multiple?tx_id=${call.txId},${top.txs[3]?.txId},0x${'34'.repeat(32)}`),
    page('getAllNames', '/v1/names'),
    page('getNameInfo quiet name', '/v1/names/q3.id'),
    page('getNameInfo quiet subdomain', '/v1/names/sub.q3.id'),
    page('fetchZoneFile quiet name', '/v1/names/q3.id/zonefile'),
    page('fetchZoneFile quiet subdomain', '/v1/names/sub.q3.id/zonefile'),
    page('getHistoricalZoneFile quiet name', `/v1/names/q3.id/zonefile/${'01'.repeat(20)}`),
    page('fetchSubdomainsListForName quiet name', '/v1/names/q3.id/subdomains'),
    page('getAllNamespaces', '/v1/namespaces'),
    page('getNamespaceNames', '/v1/namespaces/id/names'),
    page('getNamespacePrice of a namespace', '/v2/prices/namespaces/id'),
    page('getNamePrice of a name', '/v2/prices/names/muneeb.id'),
    page('getNamesOfPrincipals', `/extended/v3/names?principal=${QUIET},${BUSY},${BUSY_CONTRACT}`),
    page('getNamesOwnedByAddress of an address', `/v1/addresses/stacks/${QUIET}`),
    page(
      'getSmartContractsStatus',
      `/extended/v2/smart-contracts/status?contract_id=${QUIET_CONTRACT},${BUSY_CONTRACT}`,
    ),
    page('getSmartContractLogs quiet contract', `/extended/v2/smart-contracts/${QUIET_CONTRACT}/logs?limit=${LIMIT}`),
    page(
      'getSmartContractLogs busy contract',
      `/extended/v2/smart-contracts/${BUSY_CONTRACT}/logs?limit=${LIMIT}`,
      // Offsets end at 1000; further down there are cursors.
      length => Math.min(1000, length - QUIET_BLOCKS),
    ),
    page(
      'getSmartContractLogs busy contract, from a cursor',
      `/extended/v2/smart-contracts/${BUSY_CONTRACT}/logs?limit=${LIMIT}&cursor=${block.height + 40}:2147483647:9:9`,
    ),
    page('getContractEventsById quiet contract', `/extended/v1/contract/${QUIET_CONTRACT}/events?limit=${LIMIT}`),
    page(
      'getContractEventsById busy contract',
      `/extended/v1/contract/${BUSY_CONTRACT}/events?limit=${LIMIT}`,
      length => length - QUIET_BLOCKS,
    ),
    page(
      'getAddressTransactionEvents quiet transaction',
      `/extended/v2/addresses/${QUIET}/transactions/${call.txId}/events`,
    ),
    page(
      'getAddressTransactionEvents busy address',
      `/extended/v2/addresses/${BUSY}/transactions/${top.txs[3]?.txId}/events`,
    ),
    page('getNftMetadata', `/metadata/v1/nft/${QUIET_NFTS}/3`),
    page('getSftMetadata', `/metadata/v1/sft/${QUIET_SFTS}/3`),
    page('FT token', `/metadata/v1/ft/${QUIET_COIN}`),
    list('FT list', '/metadata/v1/ft'),
    page('several tokens', `/metadata/v1/search?contract=${QUIET_COIN},${QUIET_NFTS}:3,${QUIET_SFTS}:3`),
    page('metadata status', '/metadata/v1'),
    page('status', '/extended'),
  ];
}

/** Staking of version 3: a bond that everybody takes part in, with a manager that everybody stakes with. */
function staking(): Request[] {
  const bonds = '/extended/v3/staking/bonds';
  const managers = '/extended/v3/staking/signers';
  return [
    page('getStxTotalSupply', '/extended/v3/tokens/stx/supply'),
    page('getStxHolders', `/extended/v3/tokens/stx/holders?limit=${LIMIT}`),
    page('getFtTotalSupply', `/extended/v3/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/supply`),
    page('getFtHoldersByBalance', `/extended/v3/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/holders?limit=${LIMIT}`),
    page('getNftInstanceHistory', `/extended/v3/tokens/nft/${encode(`${QUIET_NFTS}::cat`)}/1/history?limit=${LIMIT}`),
    page('getStakingOverview', '/extended/v3/staking'),
    page('getStakingRewards', '/extended/v3/staking/rewards'),
    page('getBonds', `${bonds}?limit=${LIMIT}`),
    page('getBond', `${bonds}/${BUSY_BOND}`),
    page('getBondAllowlistEntries', `${bonds}/${BUSY_BOND}/allowlist?limit=${LIMIT}`),
    page('getBondAllowlistEntry', `${bonds}/${BUSY_BOND}/allowlist/${QUIET}`),
    page('getBondRegistrations', `${bonds}/${BUSY_BOND}/registrations?limit=${LIMIT}`),
    page('getBondRegistrations from a cursor', `${bonds}/${BUSY_BOND}/registrations?limit=${LIMIT}&cursor=40:0:0`),
    page('getBondRegistration', `${bonds}/${BUSY_BOND}/registrations/${QUIET}`),
    page('getPrincipalStakingSummary', `/extended/v3/principals/${BUSY}/staking`),
    page('getPrincipalBondPositions', `/extended/v3/principals/${BUSY}/staking/bonds?limit=${LIMIT}`),
    page('getStakingSigners', `${managers}?limit=${LIMIT}`),
    page('getStakingSigner', `${managers}/${BUSY_MANAGER}`),
    page('getStakingSignerStakers', `${managers}/${BUSY_MANAGER}/stakers?limit=${LIMIT}`),
    page('getStakingCycleSigners', `/extended/v3/staking/cycles/${CYCLE}/signers?limit=${LIMIT}`),
  ];
}

/** Pages that cursors lead to: the first one, and one far down. */
function ofVersion3({ quietBlock: block, quietCall: call, top }: GrowingChain): Request[] {
  const from = (height: number): string => `limit=${LIMIT}&cursor=${height}:0:0`;
  const events = `/extended/v3/stream/events?limit=${LIMIT}`;
  const after = tokenOf(placeIn(block.height, block.indexHash, PLACE.end, false));
  return [
    page('getTransactions', `/extended/v3/transactions?limit=${LIMIT}`),
    page('getTransactions from a cursor', `/extended/v3/transactions?${from(block.height + 40)}`),
    page('getTransactions after a fork', `/extended/v3/transactions?limit=${LIMIT}&seen_tip=0x${'57'.repeat(32)}`),
    page('getBlockTransactions', `/extended/v3/blocks/${block.height}/transactions?limit=${LIMIT}`),
    page('getTransaction', `/extended/v3/transactions/${call.txId}`),
    page('getTransactionEvents', `/extended/v3/transactions/${call.txId}/events?limit=${LIMIT}`),
    page('getMempoolTransactions', `/extended/v3/mempool/transactions?limit=${LIMIT}`),
    page('getStreamEvents at the tip', `${events}&topics=block`),
    page('getStreamEvents of a principal', `${events}&topics=principal:${BUSY}&after=${after}`),
    page('getStreamEvents of what is rare', `${events}&topics=principal:${QUIET}&after=${after}`),
    ...[call.txId, block.hash.slice(0, 12), String(block.height), QUIET.slice(0, 9), BUSY_CONTRACT].map(beginning =>
      page(`search ${beginning}`, `/extended/v3/search?q=${beginning}&limit=${LIMIT}`),
    ),
    ...[QUIET, BUSY].flatMap(principal => {
      const path = `/extended/v3/principals/${principal}`;
      return [
        page('getPrincipalTransactions', `${path}/transactions?limit=${LIMIT}`),
        page('getPrincipalTransactions from a cursor', `${path}/transactions?${from(block.height + 40)}`),
        page(
          'getPrincipalTransactionBalanceChanges',
          `${path}/transactions/${call.txId}/balance-changes?limit=${LIMIT}`,
        ),
        page(
          'getPrincipalBalanceChanges',
          `${path}/balance-changes?tx_id=${call.txId},${top.txs[3]?.txId}&limit=${LIMIT}`,
        ),
        page('getPrincipalBalancesStx', `${path}/balances/stx`),
        page('getPrincipalBalancesFt', `${path}/balances/ft?limit=${LIMIT}`),
        page('getPrincipalBalanceFt', `${path}/balances/ft/${encode(`${BUSY_CONTRACT}::coin`)}`),
        page('getPrincipalBalancesNft', `${path}/balances/nft?limit=${LIMIT}`),
        page('getPrincipalNonces', `${path}/nonces`),
        page('getPrincipalMempoolTransactions', `${path}/mempool/transactions?limit=${LIMIT}`),
        page('getPrincipalInboundStxTransfers', `${path}/transfers/stx/inbound?limit=${LIMIT}`),
        page(
          'getPrincipalOutboundStxTransfers from a cursor',
          `${path}/transfers/stx/outbound?${from(block.height + 40)}:0`,
        ),
      ];
    }),
  ];
}

function blocks({ quietBlock: block }: GrowingChain): Request[] {
  return [
    page('getTransactionsByBlock', `/extended/v2/blocks/${block.height}/transactions`),
    page('getTransactionsByBlockHash', `/extended/v1/tx/block/${block.hash}`),
    page('getTransactionsByBlockHeight', `/extended/v1/tx/block_height/${block.height}`),
    page('getTransactionsByBlock of the newest block', '/extended/v2/blocks/latest/transactions'),
    page('getBlockByBurnBlockHash', `/extended/v1/block/by_burn_block_hash/${block.burn.hash}`),
    list('getBlockList', '/extended/v1/block'),
    page('getBlockByHash', `/extended/v1/block/${block.hash}`),
    page('getBlockByHeight', `/extended/v1/block/by_height/${block.height}`),
    page('getBlockByBurnBlockHeight', `/extended/v1/block/by_burn_block_height/${block.burn.height}`),
    page('getBlock by height', `/extended/v2/blocks/${block.height}`),
    page('getBlock by hash', `/extended/v2/blocks/${block.hash}`),
    page('getBlock by index hash', `/extended/v2/blocks/${block.indexHash}`),
    page('getBlock newest', '/extended/v2/blocks/latest'),
    // Offsets end at 300; further down there are cursors.
    page('getBlocks', `/extended/v2/blocks?limit=${LIMIT}`, () => 300),
    page('getBlocks from a cursor', `/extended/v2/blocks?limit=${LIMIT}&cursor=${block.indexHash}`),
    page('getSignerSignaturesForBlock', `/extended/v2/blocks/${block.height}/signer-signatures`),
    page('getSignerSignaturesForBlock newest', '/extended/v2/blocks/latest/signer-signatures'),
    page('getAverageBlockTimes', '/extended/v2/blocks/average-times'),
    page('getBlockByBlockTime', `/extended/v2/blocks/by-block-time/${block.burn.time}`),
    page('getTenureBlocks quiet tenure', `/extended/v2/block-tenures/${QUIET_TENURE}/blocks?limit=${LIMIT}`),
    page('getTenureBlocks busy tenure', `/extended/v2/block-tenures/${BUSY_TENURE}/blocks?limit=${LIMIT}`, () => 300),
    list('getBurnBlocks', '/extended/v2/burn-blocks'),
    page('getBlocksByBurnBlock by height', `/extended/v2/burn-blocks/${block.burn.height}/blocks`),
    page('getBlocksByBurnBlock by hash', `/extended/v2/burn-blocks/${block.burn.hash}/blocks`),
    page('getBlocksByBurnBlock newest', '/extended/v2/burn-blocks/latest/blocks'),
    page('getBurnBlock by height', `/extended/v2/burn-blocks/${block.burn.height}`),
    page('getBurnBlock by hash', `/extended/v2/burn-blocks/${block.burn.hash}`),
    page('getBurnBlock newest', '/extended/v2/burn-blocks/latest'),
  ];
}

/** getTransactionList by each filter, several, every order. */
function transactions({ quietBlock, quietCall }: GrowingChain): Request[] {
  const { time } = quietBlock.burn;
  const transactionList = (name: string, query: string) =>
    list(`getTransactionList ${name}`, `/extended/v1/tx${query}`);
  return [
    transactionList('all', ''),
    transactionList('oldest first', '?order=asc'),
    transactionList('by type', '?type=token_transfer'),
    transactionList('by types', '?type=token_transfer,contract_call'),
    transactionList('by quiet sender', `?from_address=${QUIET}`),
    transactionList('by busy sender', `?from_address=${BUSY}`),
    transactionList('by busy recipient', `?to_address=${BUSY}`),
    transactionList('by busy contract', `?contract_id=${BUSY_CONTRACT}`),
    transactionList('by function', '?function_name=go'),
    transactionList('with events', '?include_events=true'),
    transactionList('by nonce', `?nonce=${nonceOf(quietCall)}`),
    transactionList('by quiet sender and type', `?from_address=${QUIET}&type=contract_call`),
    transactionList('by quiet contract and busy function', `?contract_id=${QUIET_CONTRACT}&function_name=trade`),
    transactionList('by busy sender and contract', `?from_address=${BUSY}&contract_id=${BUSY_CONTRACT}`),
    transactionList('by busy sender and types', `?from_address=${BUSY}&type=token_transfer,contract_call`),
    transactionList('in quiet time', `?start_time=${time}&end_time=${time + 3000}`),
    transactionList('in long time', `?start_time=${time}`),
    transactionList('until quiet time', `?end_time=${time + 3000}`),
    transactionList('by quiet sender, in long time', `?from_address=${QUIET}&start_time=${time}`),
    transactionList('by busy sender, in quiet time', `?from_address=${BUSY}&end_time=${time + 3000}`),
    transactionList('by type, in long time', `?type=token_transfer&start_time=${time}`),
    transactionList('by types, in long time', `?type=token_transfer,contract_call&start_time=${time}`),
    transactionList(
      'by quiet sender and type, in long time',
      `?from_address=${QUIET}&type=contract_call&start_time=${time}`,
    ),
    transactionList('by three types, oldest first', '?order=asc&type=token_transfer,contract_call,smart_contract'),
    transactionList('by fee', '?sort_by=fee'),
    transactionList('by fee, of quiet sender', `?sort_by=fee&from_address=${QUIET}`),
    transactionList('by fee, of busy sender', `?sort_by=fee&from_address=${BUSY}`),
    transactionList('by fee, of a type', '?sort_by=fee&type=token_transfer'),
    transactionList('by fee, of three types', '?sort_by=fee&type=token_transfer,contract_call,smart_contract'),
    transactionList('by fee, in quiet time', `?sort_by=fee&end_time=${time + 3000}`),
    transactionList('by time', '?sort_by=burn_block_time'),
    transactionList('by time, of a type', '?sort_by=burn_block_time&type=token_transfer'),
    transactionList('by time, of two types', '?sort_by=burn_block_time&type=contract_call,token_transfer'),
    transactionList('by time, of busy sender', `?sort_by=burn_block_time&from_address=${BUSY}`),
  ];
}

/** The older lists of a principal. */
function histories({ quietBlock: block, quietCall: call }: GrowingChain): Request[] {
  const of = (principal: string) => `/extended/v1/address/${principal}`;
  return [
    list('getAccountTransactions quiet address', `${of(QUIET)}/transactions`),
    list('getAccountTransactions busy address', `${of(BUSY)}/transactions`),
    list('getAccountTransactions at a block', `${of(BUSY)}/transactions?until_block=${block.height + 20}`),
    list('getAccountTransactions of a block', `${of(QUIET)}/transactions?height=${block.height}`),
    list('getAccountTransactionsWithTransfers quiet address', `${of(QUIET)}/transactions_with_transfers`),
    list('getAccountTransactionsWithTransfers busy address', `${of(BUSY)}/transactions_with_transfers`),
    list(
      'getAccountTransactionsWithTransfers at a block',
      `${of(BUSY)}/transactions_with_transfers?until_block=${block.height + 20}`,
    ),
    list('getAccountAssets quiet address', `${of(QUIET)}/assets`),
    list('getAccountAssets busy address', `${of(BUSY)}/assets`),
    list('getAccountAssets at a block', `${of(BUSY)}/assets?until_block=${block.height + 20}`),
    list('getAccountInbound busy address', `${of(BUSY)}/stx_inbound`),
    list('getAccountInbound at a block', `${of(BUSY)}/stx_inbound?until_block=${block.height + 20}`),
    page('getSingleTransactionWithTransfers', `${of(QUIET)}/${call.txId}/with_transfers`),
  ];
}

function searches({ quietBlock: block, quietCall: call }: GrowingChain): Request[] {
  const search = (name: string, id: string) => [
    page(`searchById ${name}`, `/extended/v1/search/${id}`),
    page(`searchById ${name}, metadata`, `/extended/v1/search/${id}?include_metadata=true`),
  ];
  return [
    ...search('transaction', call.txId),
    ...search('block', block.hash),
    ...search('quiet address', QUIET),
    ...search('busy address', BUSY),
    ...search('contract', QUIET_CONTRACT),
    ...search('unknown hash', UNKNOWN_HASH),
  ];
}

const page = (name: string, path: string, pages?: Request['pages']): Request => ({
  name,
  path,
  ...(pages !== undefined && { pages }),
});

/** A page of a list that tells its length. */
const list = (name: string, path: string): Request =>
  page(name, `${path}${path.includes('?') ? '&' : '?'}limit=${LIMIT}`, true);

function byTrait(...names: string[]): string {
  const functions = names.map(name => ({ name, access: 'public', args: [{ name: 'a0', type: 'uint128' }] }));
  return `/extended/v1/contract/by_trait?limit=${LIMIT}&trait_abi=${encode(JSON.stringify({ functions }))}`;
}

/** It follows version, chain id, kinds of authorisation and signer's hash. */
const nonceOf = (tx: BuiltTx): bigint => Buffer.from(String(tx.body.raw_tx).slice(2), 'hex').readBigUInt64BE(27);

function balances(principal: string, height: number): Request[] {
  const who = principal === QUIET ? 'quiet' : 'busy';
  return [
    page(`getAccountStxBalance ${who} address`, `/extended/v1/address/${principal}/stx`),
    page(`getAccountBalance ${who} address`, `/extended/v1/address/${principal}/balances`),
    page(`getPrincipalStxBalance ${who} address`, `/extended/v2/addresses/${principal}/balances/stx`),
    page(`getPrincipalFtBalances ${who} address`, `/extended/v2/addresses/${principal}/balances/ft`),
    page(
      `getPrincipalFtBalance ${who} address`,
      `/extended/v2/addresses/${principal}/balances/ft/${encode(`${QUIET_COIN}::gold`)}`,
    ),
    page(
      `getAccountBalance ${who} address at a height`,
      `/extended/v1/address/${principal}/balances?until_block=${height}`,
    ),
  ];
}

function tokens(): Request[] {
  const cats = (contract: string) => encode(`${contract}::cat`);
  return [
    list('getFtHolders STX', '/extended/v1/tokens/ft/stx/holders'),
    list('getFtHolders quiet token', `/extended/v1/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/holders`),
    list('getNftHoldings quiet address', `/extended/v1/tokens/nft/holdings?principal=${QUIET}`),
    list('getNftHoldings busy address', `/extended/v1/tokens/nft/holdings?principal=${BUSY}`),
    list(
      'getNftHoldings busy address, an asset',
      `/extended/v1/tokens/nft/holdings?principal=${BUSY}&asset_identifiers=${cats(BUSY_CONTRACT)}`,
    ),
    page(
      'getNftHistory',
      `/extended/v1/tokens/nft/history?asset_identifier=${cats(QUIET_NFTS)}&value=0x0100000000000000000000000000000001`,
    ),
  ];
}
