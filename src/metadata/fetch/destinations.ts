import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';

export interface DestinationRules {
  /** `host` or `host:port`, exactly: these may be private and have any port. */
  readonly allowHosts: readonly string[];
  /** Ports of all other hosts. */
  readonly allowPorts: readonly number[];
}

/** Names that never belong to the public internet. */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|arpa|onion|test|invalid)$/;

/** Says which URLs may be asked at all. */
export class Destinations {
  readonly #allowed: ReadonlySet<string>;
  readonly #ports: ReadonlySet<number>;

  constructor({ allowHosts, allowPorts }: DestinationRules) {
    this.#allowed = new Set(allowHosts.map(canonicalHost));
    this.#ports = new Set(allowPorts);
  }

  /** The operator has named this host: its addresses are not looked at. */
  isAllowed(url: URL): boolean {
    return this.#allowed.has(url.hostname) || this.#allowed.has(`${url.hostname}:${portOf(url)}`);
  }

  /**
   * Why a URL must not be asked, judged by its spelling; undefined when only the addresses of its name are left to check. The URL parser
   * has brought every way to write an IPv4 address (`0x7f.1`, `2130706433`, fullwidth digits) into the one that is checked here.
   */
  refusal(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return `no requests by ${url.protocol}`;
    if (this.isAllowed(url)) return undefined;
    if (!this.#ports.has(portOf(url))) return `port ${portOf(url)} is not allowed`;
    const address = literalAddress(url);
    if (address !== undefined) return isPublicAddress(address) ? undefined : `${address} is not a public address`;
    const name = url.hostname.replace(/\.$/, '');
    if (!name.includes('.')) return `${name} is not a public name`;
    return PRIVATE_NAME.test(name) ? `${name} is not a public name` : undefined;
  }
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** The address that the host of a URL is, without brackets; undefined when it is a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? host : undefined;
}

/** As a URL has it: lower case, an IPv6 address in brackets. The port stays. */
function canonicalHost(entry: string): string {
  const [, host = entry, port = ''] = /^(.+?)(:\d+)?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  return `${URL.parse(`http://${host}`)?.hostname ?? host.toLowerCase()}${port}`;
}
