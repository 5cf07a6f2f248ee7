import type { BuiltTx } from '../../support/transaction-builder.ts';
import {
  BUSY,
  BUSY_CONTRACT,
  BUSY_TENURE,
  type GrowingChain,
  QUIET,
  QUIET_CONTRACT,
  QUIET_TENURE,
} from '../growing-chain.ts';
import { LIMIT, list, page, type Request, UNKNOWN_HASH } from './request.ts';

/** Blocks, transactions and what finds them. */
export function ofChain(chain: GrowingChain): Request[] {
  const { quietCall: call, top } = chain;
  return [
    ...blocks(chain),
    ...transactions(chain),
    ...searches(chain),
    page('getNetworkBlockTimes', '/extended/v1/info/network_block_times'),
    page('getNetworkBlockTimeByNetwork', '/extended/v1/info/network_block_time/mainnet'),
    list('getMicroblockList', '/extended/v1/microblock'),
    page('getMicroblockByHash', `/extended/v1/microblock/${UNKNOWN_HASH}`),
    page('getFilteredEvents of a transaction', `/extended/v1/tx/events?tx_id=${call.txId}`),
    page('getRawTransactionById', `/extended/v1/tx/${call.txId}/raw`),
    page('getTransactionById', `/extended/v1/tx/${call.txId}`),
    page('getTxListDetails', `/extended/v1/tx/multiple?tx_id=${call.txId},${top.txs[3]?.txId},0x${'34'.repeat(32)}`),
    page('status', '/extended'),
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

/** It follows version, chain id, kinds of authorisation and signer's hash. */
const nonceOf = (tx: BuiltTx): bigint => Buffer.from(String(tx.body.raw_tx).slice(2), 'hex').readBigUInt64BE(27);
