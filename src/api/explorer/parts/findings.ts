/** Hits of the API's search in the form for pages. */
import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { pathTo, query, shortHash, shortPrincipal } from '../format/links.ts';

/** A hit of a search. */
export interface SearchFinding {
  readonly kind: string;
  readonly name: string;
  /** Below `/explorer/`. */
  readonly path: string;
}

export interface Findings {
  readonly found: readonly SearchFinding[];
  /** The interpretation of the text: why there is no hit, or why the hits are only offered. */
  readonly understood: string;
  /** True for hits that differ from the text: a page never follows one by itself. */
  readonly isOffer?: boolean;
}

/** Most hits that a page shows. */
export const MOST_SHOWN = 12;

export const one = (found: SearchFinding): Findings => ({ found: [found], understood: '' });
export const nothing = (understood: string): Findings => ({ found: [], understood });

/** Types with pages, except names, functions and Bitcoin addresses, which have searches of their own. */
export const TYPES = 'block,bitcoin_block,transaction,pending_transaction,address,smart_contract,token';

/** Entities that begin with a text, or have it in their name. */
export async function byBeginning(api: ApiClient, q: string, understood: string, type = TYPES): Promise<Findings> {
  const hits = await api.get<Api.SearchHits>(`/extended/v3/search${query({ q, type })}`).catch(absent);
  return { found: hits?.results.slice(0, MOST_SHOWN).flatMap(foundOf) ?? [], understood };
}

function foundOf(hit: Api.SearchHits['results'][number]): SearchFinding[] {
  switch (hit.type) {
    case 'block':
      return [{ kind: 'Stacks block', name: String(hit.result.height), path: pathTo('block', hit.result.height) }];
    case 'bitcoin_block':
      return [bitcoinBlock(hit.result.height)];
    case 'transaction':
    case 'pending_transaction': {
      const { tx_id, status }: { readonly tx_id: string; readonly status: string } = hit.result;
      const kind = `Transaction, ${status.replaceAll('_', ' ')}`;
      return [{ kind, name: shortHash(tx_id), path: pathTo('tx', tx_id) }];
    }
    case 'address':
      return [{ kind: 'Address', name: hit.result.principal, path: pathTo('address', hit.result.principal) }];
    case 'smart_contract': {
      const { contract_id } = hit.result;
      return [{ kind: 'Contract', name: shortPrincipal(contract_id), path: pathTo('contract', contract_id) }];
    }
    case 'token': {
      const { asset_identifier, asset_type, contract_id, asset_name } = hit.result;
      const name = `${asset_name} of ${shortPrincipal(contract_id)}`;
      return asset_type === 'ft'
        ? [{ kind: 'Token', name, path: pathTo('token', asset_identifier) }]
        : [{ kind: 'NFT collection', name, path: pathTo('nft', asset_identifier) }];
    }
    case 'name':
      return [{ kind: 'Name', name: hit.result.name, path: pathTo('name', hit.result.name) }];
    case 'namespace': {
      const { namespace } = hit.result;
      return [{ kind: 'Namespace', name: `.${namespace}`, path: `names${query({ space: namespace })}` }];
    }
    case 'bitcoin_address':
      return [{ kind: 'Bitcoin address', name: hit.result.address, path: pathTo('bitcoin', hit.result.address) }];
    case 'function': {
      const { function_name, contracts } = hit.result;
      const name = `${function_name}, in ${counted(contracts, 'contract')}`;
      return [{ kind: 'Function', name, path: pathTo('function', function_name) }];
    }
    default:
      return hit satisfies never;
  }
}

export const bitcoinBlock = (height: number): SearchFinding => ({
  kind: 'Bitcoin block',
  name: String(height),
  path: pathTo('btc', height),
});

export function principalFound(principal: string, where?: string): SearchFinding {
  const isContract = principal.includes('.');
  const kind = isContract ? 'Contract' : 'Address';
  return {
    kind: where === undefined ? kind : `${kind} ${where}`,
    name: principal,
    path: pathTo(isContract ? 'contract' : 'address', principal),
  };
}

/** Treats a text that the API refuses as no hit. */
export function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 400) return undefined;
  throw error;
}
