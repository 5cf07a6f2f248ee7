import type { Entities } from '../entities.ts';
import { deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const historyOf = (principal: string): string => `/extended/v2/addresses/${principal}/transactions`;
const firstPageOf = (principal: string): string => `${historyOf(principal)}?limit=20`;
const searchFor = (id: string): string => `/extended/v1/search/${id}`;
const withMetadata = (path: string): string => withQuery(path, 'include_metadata=true');

/** Addresses, their names, and the search: E11, E14, E21, E23. */
export function accountScenarios(entities: Entities): Scenario[] {
  const { principals, contractsWithHistory, transactions, blocks, pending, contracts, nameOwners } = entities;
  const quiet = namesOf(principals.quiet);
  const busy = namesOf(principals.busy);
  return [
    scenario('E14 quiet address', quiet.map(firstPageOf), 272),
    scenario('E14 busy address', busy.map(firstPageOf), 31),
    scenario('E14 busy address, deep page', deepPages(principals.busy, firstPageOf), 12),
    scenario('E14 busy contract', namesOf(contractsWithHistory.busy).map(firstPageOf)),
    scenario('E14 busy contract, deep page', deepPages(contractsWithHistory.busy, firstPageOf)),
    scenario(
      'E23 events of a transaction',
      transactions.map(({ id, sender }) => `${historyOf(sender)}/${id}/events?limit=20`),
      2500,
    ),
    scenario(
      'E11 search transaction',
      transactions.map(({ id }) => searchFor(id)),
      2890,
    ),
    scenario(
      'E11 search transaction, metadata',
      transactions.map(({ id }) => withMetadata(searchFor(id))),
    ),
    scenario(
      'E11 search pending transaction',
      pending.map(({ id }) => searchFor(id)),
    ),
    scenario(
      'E11 search block',
      blocks.map(({ hash }) => searchFor(hash)),
    ),
    scenario('E11 search contract', contracts.map(searchFor)),
    scenario('E11 search address', quiet.map(searchFor)),
    scenario('E11 search address, metadata', quiet.map(searchFor).map(withMetadata), 708),
    scenario('E11 search busy address, metadata', busy.map(searchFor).map(withMetadata), 708),
    scenario(
      'E21 names of an owner',
      nameOwners.map(owner => `/v1/addresses/stacks/${owner}`),
    ),
    scenario(
      'E21 of an address without names',
      quiet.map(address => `/v1/addresses/stacks/${address}`),
    ),
  ];
}
