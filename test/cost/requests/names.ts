import { BUSY, BUSY_CONTRACT, QUIET } from '../growing-chain.ts';
import { page, type Request } from './request.ts';

/** Names, their zone files and prices. */
export function ofNames(): Request[] {
  return [
    page('getAllNames', '/v1/names'),
    page('getNameInfo quiet name', '/v1/names/q3.id'),
    page('getNameInfo quiet subdomain', '/v1/names/sub.q3.id'),
    page('fetchZoneFile quiet name', '/v1/names/q3.id/zonefile'),
    page('fetchZoneFile quiet subdomain', '/v1/names/sub.q3.id/zonefile'),
    page('getHistoricalZoneFile quiet name', `/v1/names/q3.id/zonefile/${'01'.repeat(20)}`),
    page('fetchSubdomainsListForName quiet name', '/v1/names/q3.id/subdomains'),
    page('getAllNamespaces', '/v1/namespaces'),
    page('getNamespaceNames', '/v1/namespaces/id/names'),
    page('getNamespacePrice of a namespace', '/v2/prices/namespaces/id'),
    page('getNamePrice of a name', '/v2/prices/names/muneeb.id'),
    page('getNamesOfPrincipals', `/extended/v3/names?principal=${QUIET},${BUSY},${BUSY_CONTRACT}`),
    page('getNamesOwnedByAddress of an address', `/v1/addresses/stacks/${QUIET}`),
  ];
}
