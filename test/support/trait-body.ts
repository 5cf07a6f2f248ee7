import type { Asked } from './test-index.ts';

/** The search of a request to getContractsByTraitV1 with its trait in the body: findContractsByTraitV1. Undefined for any other request. */
export function withTraitInBody(path: string): (Asked & { readonly body: string }) | undefined {
  const url = new URL(path, 'http://localhost');
  const body = url.searchParams.get('trait_abi');
  if (url.pathname !== '/extended/v1/contract/by_trait' || body === null) return undefined;
  url.searchParams.delete('trait_abi');
  return { method: 'post', url: url.pathname + url.search, body };
}
