import type { Entities } from '../entities.ts';
import { deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const historyOf = (principal: string): string => `/extended/v2/addresses/${principal}/transactions`;
const firstPageOf = (principal: string): string => `${historyOf(principal)}?limit=20`;
const searchFor = (id: string): string => `/extended/v1/search/${id}`;
const withMetadata = (path: string): string => withQuery(path, 'include_metadata=true');

/** Addresses, their names, and the search: searchById, getAddressTransactions, getNamesOwnedByAddress, getAddressTransactionEvents. */
export function accountScenarios(entities: Entities): Scenario[] {
  const { principals, contractsWithHistory, transactions, blocks, pending, contracts, nameOwners } = entities;
  const quiet = namesOf(principals.quiet);
  const busy = namesOf(principals.busy);
  return [
    scenario('getAddressTransactions quiet address', quiet.map(firstPageOf), 272),
    scenario('getAddressTransactions busy address', busy.map(firstPageOf), 31),
    scenario('getAddressTransactions busy address, deep page', deepPages(principals.busy, firstPageOf), 12),
    scenario('getAddressTransactions busy contract', namesOf(contractsWithHistory.busy).map(firstPageOf)),
    scenario('getAddressTransactions busy contract, deep page', deepPages(contractsWithHistory.busy, firstPageOf)),
    scenario(
      'getAddressTransactionEvents',
      transactions.map(({ id, sender }) => `${historyOf(sender)}/${id}/events?limit=20`),
      2500,
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
