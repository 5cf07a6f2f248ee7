import type { Entities } from '../entities.ts';
import { deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const historyOf = (principal: string): string => `/extended/v2/addresses/${principal}/transactions`;
const firstPageOf = (principal: string): string => `${historyOf(principal)}?limit=20`;
const olderHistoryOf = (principal: string): string => `/extended/v1/address/${principal}/transactions?limit=20`;
const transfersOf = (principal: string): string =>
  `/extended/v1/address/${principal}/transactions_with_transfers?limit=20`;
const assetsOf = (principal: string): string => `/extended/v1/address/${principal}/assets?limit=20`;
const inboundOf = (principal: string): string => `/extended/v1/address/${principal}/stx_inbound?limit=20`;
const noncesOf = (principal: string): string => `/extended/v1/address/${principal}/nonces`;
const searchFor = (id: string): string => `/extended/v1/search/${id}`;
const withMetadata = (path: string): string => withQuery(path, 'include_metadata=true');

const balancesOf =
  (what: string) =>
  (principal: string): string =>
    `/extended/v1/address/${principal}/${what}`;

/** Addresses, what they have and did, their names, and the search. */
export function accountScenarios(entities: Entities): Scenario[] {
  const { principals, contractsWithHistory, transactions, blocks, pending, contracts, height } = entities;
  const { names, nameOwners, subdomains } = entities;
  const quiet = namesOf(principals.quiet);
  const busy = namesOf(principals.busy);
  return [
    scenario('getAddressTransactionsV2 quiet address', quiet.map(firstPageOf), 272),
    scenario('getAddressTransactionsV2 busy address', busy.map(firstPageOf), 31),
    scenario('getAddressTransactionsV2 busy address, deep page', deepPages(principals.busy, firstPageOf), 12),
    scenario('getAddressTransactionsV2 busy contract', namesOf(contractsWithHistory.busy).map(firstPageOf)),
    scenario('getAddressTransactionsV2 busy contract, deep page', deepPages(contractsWithHistory.busy, firstPageOf)),
    scenario('getAccountTransactionsV1 quiet address', quiet.map(olderHistoryOf)),
    scenario('getAccountTransactionsV1 busy address, deep page', deepPages(principals.busy, olderHistoryOf)),
    scenario('getAccountTransactionsWithTransfersV1 quiet address', quiet.map(transfersOf)),
    scenario('getAccountTransactionsWithTransfersV1 busy address, deep page', deepPages(principals.busy, transfersOf)),
    scenario('getAccountAssetsV1 quiet address', quiet.map(assetsOf)),
    scenario('getAccountAssetsV1 busy address', busy.map(assetsOf)),
    scenario('getAccountInboundV1 busy address', busy.map(inboundOf)),
    scenario('getAccountNoncesV1 quiet address', quiet.map(noncesOf)),
    scenario('getAccountNoncesV1 busy address', busy.map(noncesOf)),
    scenario(
      'getAccountNoncesV1 at a block',
      busy.map(address => `${noncesOf(address)}?block_height=${Math.ceil(height / 2)}`),
    ),
    scenario(
      'searchByIdV1 transaction',
      transactions.map(({ id }) => searchFor(id)),
      2890,
    ),
    scenario(
      'searchByIdV1 transaction, metadata',
      transactions.map(({ id }) => withMetadata(searchFor(id))),
    ),
    scenario(
      'searchByIdV1 pending transaction',
      pending.map(({ id }) => searchFor(id)),
    ),
    scenario(
      'searchByIdV1 block',
      blocks.map(({ hash }) => searchFor(hash)),
    ),
    scenario('searchByIdV1 contract', contracts.map(searchFor)),
    scenario('searchByIdV1 address', quiet.map(searchFor)),
    scenario('searchByIdV1 address, metadata', quiet.map(searchFor).map(withMetadata), 708),
    scenario('searchByIdV1 busy address, metadata', busy.map(searchFor).map(withMetadata), 708),
    scenario('getAccountBalanceV1 quiet address', quiet.map(balancesOf('balances'))),
    scenario('getAccountBalanceV1 busy address', busy.map(balancesOf('balances'))),
    scenario('getFtHoldersV1 STX', ['/extended/v1/tokens/ft/stx/holders?limit=100']),
    scenario('getAccountBalanceV1 busy address, at a height', busy.map(balancesOf('balances?until_block=100'))),
    scenario('getAllNamesV1', ['/v1/names']),
    scenario('getAllNamesV1, deep page', [`/v1/names?page=${Math.max(0, Math.ceil(names.length / 100) - 1)}`]),
    scenario(
      'getNameInfoV1',
      names.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'getNameInfoV1 of a subdomain',
      subdomains.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'getNamesOfPrincipalsV3',
      nameOwners.map(owner => `/extended/v3/names?principal=${owner},${quiet.slice(0, 20).join(',')}`),
    ),
    scenario(
      'getNamesOwnedByAddressV1 of an owner',
      nameOwners.map(owner => `/v1/addresses/stacks/${owner}`),
    ),
    scenario(
      'getNamesOwnedByAddressV1 of an address without names',
      quiet.map(address => `/v1/addresses/stacks/${address}`),
    ),
  ];
}
