import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { AppError } from '../lib/app-error.ts';
import { isWithin } from './paths.ts';
import { isPublicAddress } from './public-addresses.ts';

export interface DestinationRules {
  /**
   * URLs that may be private and have any port: an origin with a path below which everything is allowed,
   * `http://host:8080/ipfs/`. Without a protocol both count, without a port the usual one of the protocol, without a
   * path all of the origin.
   */
  readonly allowHosts: readonly string[];
  /** Ports of all other hosts. */
  readonly allowPorts: readonly number[];
}

/** Names that never belong to the public internet. */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|arpa|onion|test|invalid)$/;

/** Decides which URLs the fetcher may request at all. */
export class Destinations {
  /** Absolute URLs: everything below them is allowed. */
  readonly #allowed: readonly string[];
  readonly #ports: ReadonlySet<number>;

  constructor({ allowHosts, allowPorts }: DestinationRules) {
    this.#allowed = allowHosts.flatMap(allowedRoots);
    this.#ports = new Set(allowPorts);
  }

  /** Whether the operator has allowed this URL: then its addresses are not checked. */
  isAllowed(url: URL): boolean {
    return this.#allowed.some(root => isWithin(url, root));
  }

  /**
   * Why a URL must not be requested, judged by its spelling; undefined when only the addresses of its name are left to
   * check. The URL parser has brought every way to write an IPv4 address (`0x7f.1`, `2130706433`, fullwidth digits)
   * into the one that is checked here.
   */
  refusal(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      return `only http: and https: are allowed, not ${url.protocol}`;
    if (this.isAllowed(url)) return undefined;
    if (!this.#ports.has(portOf(url))) return `port ${portOf(url)} is not allowed`;
    const address = literalAddress(url);
    if (address !== undefined) return isPublicAddress(address) ? undefined : `${address} is not a public address`;
    const name = url.hostname.replace(/\.$/, '');
    if (!name.includes('.')) return `${name} is not a public name`;
    return PRIVATE_NAME.test(name) ? `${name} is not a public name` : undefined;
  }
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** The address that the host of a URL is, without brackets; undefined when it is a name. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? host : undefined;
}

/** The URLs that an entry of `allowHosts` allows, as the URL parser writes them. */
export function allowedRoots(entry: string): readonly string[] {
  const [, protocol, rest = ''] = /^(?:(https?:)\/\/)?(.*)$/is.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  const protocols = protocol === undefined ? ['http:', 'https:'] : [protocol];
  const roots = protocols.map(each => URL.parse(`${each}//${rest}`)).filter(url => url !== null);
  return roots.filter(url => url.hostname !== '').map(url => `${url.origin}${url.pathname}`);
}

/** All addresses of a name. */
export type Resolver = (name: string) => Promise<readonly LookupAddress[]>;

export const systemResolver: Resolver = name => lookup(name, { all: true });

/** A host name has an address to which no request may go. */
export class BlockedAddressError extends AppError {
  override readonly name = 'BlockedAddressError';
  override readonly kind = 'caller';
}

/**
 * The lookup of a socket that connects to public addresses only. The name is resolved once, here, and the socket
 * connects to the checked address, so a name that resolves to another address the next time gains nothing. One address
 * that is not public condemns all of them. Sockets do not call this for literal addresses: those are judged with the
 * URL.
 */
export function vettedLookup(resolve: Resolver): LookupFunction {
  return lookupOf(async name => {
    const addresses = await resolve(name);
    const refused = addresses.find(({ address }) => !isPublicAddress(address));
    if (refused) throw new BlockedAddressError(`${name} is at ${refused.address}, which is not public`);
    return addresses;
  });
}

/** The lookup of a socket for a host that the operator has named: any address will do. */
export const trustingLookup = (resolve: Resolver): LookupFunction => lookupOf(resolve);

/** A resolver in the form that sockets want. */
function lookupOf(resolve: Resolver): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      addresses => {
        const [first] = addresses;
        if (!first) done(Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' }), '');
        else if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      error => done(error, ''),
    );
  };
}
