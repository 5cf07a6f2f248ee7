import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/** All addresses of a name. */
export type Resolver = (name: string) => Promise<readonly LookupAddress[]>;

export const systemResolver: Resolver = name => lookup(name, { all: true });

/** A name led to an address that must not be asked. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/**
 * The lookup of a socket that connects to public addresses only. The name is resolved once, here, and the socket connects to what was
 * checked: a name that gives another address the next time gains nothing. One address that is not public condemns all of them.
 * Sockets do not call this for literal addresses: those are judged with the URL.
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
