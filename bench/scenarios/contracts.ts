import type { Entities } from '../entities.ts';
import { deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const mintsOf = (asset: string): string =>
  `/extended/v1/tokens/nft/mints?limit=20&asset_identifier=${encodeURIComponent(asset)}`;
const smartContractLogsOf = (contract: string): string => `/extended/v2/smart-contracts/${contract}/logs?limit=20`;
const logsOf = (contract: string): string => `/extended/v1/contract/${contract}/events?limit=20`;

/** Contracts, what they print and mint, and metadata of tokens. */
export function contractScenarios(entities: Entities): Scenario[] {
  const { logs, mints, interfaces, functionNames, nfts, fts, blocks } = entities;
  const tokens = nfts.map(({ contract_id, token }) => `/metadata/v1/nft/${contract_id}/${token}`);
  return [
    scenario('getNftMetadataV1', tokens),
    scenario(
      'getNftMetadataV1, locale',
      tokens.map(path => withQuery(path, 'locale=en')),
    ),
    scenario(
      'searchTokensV1',
      nfts.map(
        ({ contract_id, token }) =>
          `/metadata/v1/search?contract=${contract_id}:${token},${fts[0]?.contract_id ?? contract_id}`,
      ),
    ),
    scenario('getNftMintsV1', namesOf(mints.quiet).map(mintsOf), 2461),
    scenario('getNftMintsV1, busy', namesOf(mints.busy).map(mintsOf), 2461),
    scenario('getNftMintsV1, deep page', deepPages(mints.busy, mintsOf)),
    scenario(
      'getNftMintsV1, transactions included',
      namesOf(mints.busy)
        .map(mintsOf)
        .map(path => withQuery(path, 'tx_metadata=true')),
    ),
    scenario(
      'getContractsByTraitV1 trait of one function',
      interfaces.flatMap(text => byInterface(text, 1)),
    ),
    scenario(
      'getContractsByTraitV1 trait of three functions',
      interfaces.flatMap(text => byInterface(text, 3)),
    ),
    scenario(
      'getContractsByTraitV1 common function',
      functionsNamed(
        functionNames.busy.map(({ name }) => name),
        interfaces,
      ).map(found => byTraits([found])),
    ),
    scenario('getSmartContractLogsV2', namesOf(logs.quiet).map(smartContractLogsOf)),
    scenario('getSmartContractLogsV2, busy', namesOf(logs.busy).map(smartContractLogsOf)),
    scenario(
      'getSmartContractLogsV2, from a cursor',
      namesOf(logs.busy).flatMap(name =>
        blocks
          .slice(-50)
          .map(({ height }) => withQuery(smartContractLogsOf(name), `cursor=${height}:2147483647:99:99`)),
      ),
    ),
    scenario('getContractEventsByIdV1', namesOf(logs.quiet).map(logsOf), 4740),
    scenario('getContractEventsByIdV1, busy', namesOf(logs.busy).map(logsOf), 4740),
    scenario('getContractEventsByIdV1, deep page', deepPages(logs.busy, logsOf)),
  ];
}

const byTraits = (functions: readonly unknown[]): string =>
  `/extended/v1/contract/by_trait?limit=20&trait_abi=${encodeURIComponent(JSON.stringify({ functions }))}`;

/** The functions with these names, as the first of the interfaces has them. */
const functionsNamed = (names: readonly string[], interfaces: readonly string[]): unknown[] =>
  names.flatMap(name => {
    const functions = interfaces.flatMap(text => (JSON.parse(text) as { functions: { name: string }[] }).functions);
    return functions.find(found => found.name === name) ?? [];
  });

/** Requests the contracts that have the first functions of this interface. No path when it has fewer. */
function byInterface(text: string, count: number): string[] {
  const { functions } = JSON.parse(text) as { functions: readonly unknown[] };
  return functions.length < count ? [] : [byTraits(functions.slice(0, count))];
}
