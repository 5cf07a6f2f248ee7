import { BUSY_CONTRACT, type GrowingChain, QUIET_BLOCKS, QUIET_CONTRACT } from '../growing-chain.ts';
import { LIMIT, page, type Request } from './request.ts';

const encode = encodeURIComponent;

/** Contracts, by id and by trait, and what they log. */
export function ofContracts({ quietBlock: block }: GrowingChain): Request[] {
  return [
    page('getContractsByTrait rare trait', byTrait('trade')),
    page('getContractsByTrait common trait', byTrait('go'), length => length / 2),
    page('getContractsByTrait trait without functions', byTrait(), length => length / 2),
    page('getSmartContractTwins', `/extended/v3/smart-contracts/${QUIET_CONTRACT}/twins?limit=${LIMIT}`),
    page('getSmartContractTwins of many', `/extended/v3/smart-contracts/${BUSY_CONTRACT}/twins?limit=${LIMIT}`),
    page('getSmartContractActivity', `/extended/v3/smart-contracts/${QUIET_CONTRACT}/activity`),
    page('getSmartContractActivity of many', `/extended/v3/smart-contracts/${BUSY_CONTRACT}/activity?limit=50`),
    page('getSmartContract', `/extended/v3/smart-contracts/${QUIET_CONTRACT}?include=source_code,abi`),
    page('getContractById', `/extended/v1/contract/${QUIET_CONTRACT}`),
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
  ];
}

function byTrait(...names: string[]): string {
  const functions = names.map(name => ({ name, access: 'public', args: [{ name: 'a0', type: 'uint128' }] }));
  return `/extended/v1/contract/by_trait?limit=${LIMIT}&trait_abi=${encode(JSON.stringify({ functions }))}`;
}
