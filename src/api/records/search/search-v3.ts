/** The search of version 3 (docs/spec/search.md#version-3). */
import type { Queries } from '../../../base/store/database.ts';
import { findAddressesV3, findBitcoinBlocksV3, findBlocksV3, findTransactionsV3 } from './chain-v3.ts';
import {
  type FurtherSources,
  findBitcoinAddressesV3,
  findFunctionsV3,
  findNamespacesV3,
  findNamesV3,
  findPendingV3,
} from './further-v3.ts';
import { bestOfType, byRank, type Hit, MOST_HITS } from './hits.ts';
import { findContractsV3, findTokensV3 } from './names-v3.ts';
import { isSearchable, readSearchTerm, type SearchTerm, type SearchType } from './terms-v3.ts';

/**
 * The entities that a text can name; undefined for a text that cannot name any.
 * @param types each once
 */
export async function searchV3(
  queries: Queries,
  text: string,
  types: readonly SearchType[],
  sources: FurtherSources,
): Promise<readonly Pick<Hit, 'type' | 'result'>[] | undefined> {
  const term = readSearchTerm(text.trim());
  if (!isSearchable(term, types)) return undefined;
  const hits: Hit[] = [];
  for (const type of types) hits.push(...bestOfType(await find(queries, type, term, sources)));
  return byRank(hits)
    .slice(0, MOST_HITS)
    .map(({ type, result }) => ({ type, result }));
}

function find(queries: Queries, type: SearchType, term: SearchTerm, sources: FurtherSources): Promise<Hit[]> {
  switch (type) {
    case 'block':
      return findBlocksV3(queries, term);
    case 'bitcoin_block':
      return findBitcoinBlocksV3(queries, term);
    case 'transaction':
      return findTransactionsV3(queries, term);
    case 'address':
      return findAddressesV3(queries, term);
    case 'smart_contract':
      return findContractsV3(queries, term);
    case 'token':
      return findTokensV3(queries, term);
    case 'pending_transaction':
      return findPendingV3(queries, term);
    case 'name':
      return findNamesV3(term, sources);
    case 'namespace':
      return findNamespacesV3(term, sources);
    case 'bitcoin_address':
      return findBitcoinAddressesV3(term, sources);
    case 'function':
      return findFunctionsV3(queries, term);
    default:
      return type satisfies never;
  }
}
