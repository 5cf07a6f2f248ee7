import { keyText } from '../support/pox-prints.ts';
import type { BuiltTx } from '../support/transaction-builder.ts';
import {
  BUSY,
  BUSY_CONTRACT,
  BUSY_HOLDER,
  BUSY_POOL,
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
}

const encode = encodeURIComponent;

/** Every endpoint with lists that grow with the chain ("busy") and with lists that do not ("quiet"). */
export function requestsOf(chain: GrowingChain): Request[] {
  const { quietBlock: block, quietCall: call, top } = chain;
  return [
    ...blocks(chain),
    ...transactions(chain),
    page('getMempoolFeePriorities', '/extended/v2/mempool/fees'),
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
    list('getBurnchainRewardSlotHolders', '/extended/v1/burnchain/reward_slot_holders'),
    list('getNftMints quiet asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${QUIET_NFTS}::cat`)}`),
    list('getNftMints busy asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${BUSY_CONTRACT}::cat`)}`),
    ...searches(chain),
    page('getContractsByTrait rare trait', byTrait('trade')),
    page('getContractsByTrait common trait', byTrait('go'), length => length / 2),
    page('getContractsByTrait trait without functions', byTrait(), length => length / 2),
    list('getAddressTransactions quiet address', `/extended/v2/addresses/${QUIET}/transactions`),
    list('getAddressTransactions busy address', `/extended/v2/addresses/${BUSY}/transactions`),
    page('getContractById', `/extended/v1/contract/${QUIET_CONTRACT}`),
    list('getMempoolTransactionList', '/extended/v1/tx/mempool'),
    list('getMempoolTransactionList by fee', '/extended/v1/tx/mempool?order_by=fee'),
    list('getMempoolTransactionList of an address', `/extended/v1/tx/mempool?address=${QUIET}`),
    page('getRawTransactionById', `/extended/v1/tx/${call.txId}/raw`),
    page('getNamesOwnedByAddress of an address', `/v1/addresses/stacks/${QUIET}`),
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
    page('metadata status', '/metadata/v1'),
    page('status', '/extended'),
  ];
}

function blocks({ quietBlock: block }: GrowingChain): Request[] {
  return [
    page('getTransactionsByBlock', `/extended/v2/blocks/${block.height}/transactions`),
    page('getTransactionsByBlock of the newest block', '/extended/v2/blocks/latest/transactions'),
    page('getBlockByBurnBlockHash', `/extended/v1/block/by_burn_block_hash/${block.burn.hash}`),
    page('getBlock by height', `/extended/v2/blocks/${block.height}`),
    page('getBlock by hash', `/extended/v2/blocks/${block.hash}`),
    page('getBlock by index hash', `/extended/v2/blocks/${block.indexHash}`),
    page('getBlock newest', '/extended/v2/blocks/latest'),
    // Offsets end at 300; further down there are cursors.
    page('getBlocks', `/extended/v2/blocks?limit=${LIMIT}`, () => 300),
    page('getBlocks from a cursor', `/extended/v2/blocks?limit=${LIMIT}&cursor=${block.indexHash}`),
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
