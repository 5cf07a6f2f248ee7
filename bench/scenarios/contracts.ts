import type { Entities } from '../entities.ts';
import { deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const mintsOf = (asset: string): string =>
  `/extended/v1/tokens/nft/mints?limit=20&asset_identifier=${encodeURIComponent(asset)}`;
const logsOf = (contract: string): string => `/extended/v1/contract/${contract}/events?limit=20`;

/**
 * Contracts, what they print and mint, and metadata of tokens: getNftMetadata, getNftMints, getContractsByTrait,
 * getContractById, getContractEventsById.
 */
export function contractScenarios(entities: Entities): Scenario[] {
  const { contracts, logs, mints, interfaces, functionNames, nfts } = entities;
  const tokens = nfts.map(({ contract_id, token }) => `/metadata/v1/nft/${contract_id}/${token}`);
  return [
    scenario('getNftMetadata', tokens),
    scenario(
      'getNftMetadata, locale',
      tokens.map(path => withQuery(path, 'locale=en')),
    ),
    scenario('getNftMints', namesOf(mints.quiet).map(mintsOf), 2461),
    scenario('getNftMints, busy', namesOf(mints.busy).map(mintsOf), 2461),
    scenario('getNftMints, deep page', deepPages(mints.busy, mintsOf)),
    scenario(
      'getNftMints, transactions included',
      namesOf(mints.busy)
        .map(mintsOf)
        .map(path => withQuery(path, 'tx_metadata=true')),
    ),
    scenario(
      'getContractsByTrait trait of one function',
      interfaces.flatMap(text => byInterface(text, 1)),
    ),
    scenario(
      'getContractsByTrait trait of three functions',
      interfaces.flatMap(text => byInterface(text, 3)),
    ),
    scenario(
      'getContractsByTrait common function, deep page',
      deepPages(functionNames.busy, name => byTraits([{ name, args: [] }])),
    ),
    scenario(
      'getContractById',
      contracts.map(id => `/extended/v1/contract/${id}`),
      5009,
    ),
    scenario('getContractEventsById', namesOf(logs.quiet).map(logsOf), 4740),
    scenario('getContractEventsById, busy', namesOf(logs.busy).map(logsOf), 4740),
    scenario('getContractEventsById, deep page', deepPages(logs.busy, logsOf)),
  ];
}

const byTraits = (functions: readonly unknown[]): string =>
  `/extended/v1/contract/by_trait?limit=20&trait_abi=${encodeURIComponent(JSON.stringify({ functions }))}`;

/** Asks for the contracts that have the first functions of this interface. None when it has fewer. */
function byInterface(text: string, count: number): string[] {
  const { functions } = JSON.parse(text) as { functions: readonly unknown[] };
  return functions.length < count ? [] : [byTraits(functions.slice(0, count))];
}
