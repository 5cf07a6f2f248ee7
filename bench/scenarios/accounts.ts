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
    scenario('getAddressTransactions quiet address', quiet.map(firstPageOf), 272),
    scenario('getAddressTransactions busy address', busy.map(firstPageOf), 31),
    scenario('getAddressTransactions busy address, deep page', deepPages(principals.busy, firstPageOf), 12),
    scenario('getAddressTransactions busy contract', namesOf(contractsWithHistory.busy).map(firstPageOf)),
    scenario('getAddressTransactions busy contract, deep page', deepPages(contractsWithHistory.busy, firstPageOf)),
    scenario('getAccountTransactions quiet address', quiet.map(olderHistoryOf)),
    scenario('getAccountTransactions busy address, deep page', deepPages(principals.busy, olderHistoryOf)),
    scenario('getAccountTransactionsWithTransfers quiet address', quiet.map(transfersOf)),
    scenario('getAccountTransactionsWithTransfers busy address, deep page', deepPages(principals.busy, transfersOf)),
    scenario('getAccountAssets quiet address', quiet.map(assetsOf)),
    scenario('getAccountAssets busy address', busy.map(assetsOf)),
    scenario('getAccountInbound busy address', busy.map(inboundOf)),
    scenario('getAccountNonces quiet address', quiet.map(noncesOf)),
    scenario('getAccountNonces busy address', busy.map(noncesOf)),
    scenario(
      'getAccountNonces at a block',
      busy.map(address => `${noncesOf(address)}?block_height=${Math.ceil(height / 2)}`),
    ),
    scenario(
      'searchById transaction',
      transactions.map(({ id }) => searchFor(id)),
      2890,
    ),
    scenario(
      'searchById transaction, metadata',
      transactions.map(({ id }) => withMetadata(searchFor(id))),
    ),
    scenario(
      'searchById pending transaction',
      pending.map(({ id }) => searchFor(id)),
    ),
    scenario(
      'searchById block',
      blocks.map(({ hash }) => searchFor(hash)),
    ),
    scenario('searchById contract', contracts.map(searchFor)),
    scenario('searchById address', quiet.map(searchFor)),
    scenario('searchById address, metadata', quiet.map(searchFor).map(withMetadata), 708),
    scenario('searchById busy address, metadata', busy.map(searchFor).map(withMetadata), 708),
    scenario('getAccountBalance quiet address', quiet.map(balancesOf('balances'))),
    scenario('getAccountBalance busy address', busy.map(balancesOf('balances'))),
    scenario('getFtHolders STX', ['/extended/v1/tokens/ft/stx/holders?limit=100']),
    scenario('getAccountBalance busy address, at a height', busy.map(balancesOf('balances?until_block=100'))),
    scenario('getAllNames', ['/v1/names']),
    scenario('getAllNames, deep page', [`/v1/names?page=${Math.max(0, Math.ceil(names.length / 100) - 1)}`]),
    scenario(
      'getNameInfo',
      names.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'getNameInfo of a subdomain',
      subdomains.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'getNamesOfPrincipals',
      nameOwners.map(owner => `/extended/v3/names?principal=${owner},${quiet.slice(0, 20).join(',')}`),
    ),
    scenario(
      'getNamesOwnedByAddress of an owner',
      nameOwners.map(owner => `/v1/addresses/stacks/${owner}`),
    ),
    scenario(
      'getNamesOwnedByAddress of an address without names',
      quiet.map(address => `/v1/addresses/stacks/${address}`),
    ),
  ];
}
