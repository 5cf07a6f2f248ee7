import type { Entities } from '../entities.ts';
import { type Scenario, scenario } from './scenario.ts';

/** Names, subdomains, zone files, and lists of names. */
export function nameScenarios({ names, zoneFiles, subdomains }: Entities): Scenario[] {
  const last = Math.max(0, Math.ceil(names.length / 100) - 1);
  const namespaces = [...new Set(names.map(name => name.slice(name.lastIndexOf('.') + 1)))];
  return [
    scenario('getAllNames', ['/v1/names']),
    scenario('getAllNames, deep page', [`/v1/names?page=${last}`]),
    scenario(
      'getNameInfo',
      names.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'getNameInfo of a subdomain',
      subdomains.map(name => `/v1/names/${name}`),
    ),
    scenario(
      'fetchZoneFile',
      names.map(name => `/v1/names/${name}/zonefile`),
    ),
    scenario(
      'getHistoricalZoneFile',
      zoneFiles.map(path => `/v1/names/${path}`),
    ),
    scenario(
      'fetchSubdomainsListForName',
      names.map(name => `/v1/names/${name}/subdomains`),
    ),
    scenario('getAllNamespaces', ['/v1/namespaces']),
    scenario(
      'getNamespaceNames',
      namespaces.map(namespace => `/v1/namespaces/${namespace}/names`),
    ),
  ];
}
