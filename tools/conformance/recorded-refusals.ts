import { isValidPrincipal } from '../../src/base/codec/index.ts';
import type { Recorded } from '../../test/support/recording.ts';

/**
 * Recorded responses to requests that are refused now, because what they ask for was ignored or cannot be: a filter of transactions as
 * `type[]=` or `function_name=`, which listed everything; the names, the events, the transactions or the contract of what is no principal, and the mints
 * of what is no asset, which had none (docs/compatibility.md). They are compared with a 400.
 */
function isRefused(path: string): boolean {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const [, , , kind, ...rest] = pathname.split('/');
  if (/^\/extended\/v1\/tx\/?$/.test(pathname))
    return searchParams.get('function_name') === '' || [...searchParams.keys()].some(name => name.startsWith('type['));
  const isOfPrincipal =
    pathname.startsWith('/v1/addresses/stacks/') ||
    pathname.startsWith('/extended/v2/addresses/') ||
    (kind === 'contract' && rest[0] !== 'by_trait');
  if (isOfPrincipal) return !isValidPrincipal(decodeURIComponent(rest[0] ?? ''));
  if (pathname === '/extended/v1/tokens/nft/mints') return !/::./.test(searchParams.get('asset_identifier') ?? '');
  return false;
}

/** The responses, with a 400 for each request that is refused. */
export function withRefusals<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  let changed = 0;
  const corrected = responses.map(response => {
    if (response.status === 400 || !isRefused(response.path)) return response;
    changed++;
    return { ...response, status: 400, body: { error: 'Bad Request' } };
  });
  return { responses: corrected, changed };
}
