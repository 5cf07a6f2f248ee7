import { BlockList, isIP } from 'node:net';

/**
 * IPv4 addresses that are not public unicast (the IANA special-purpose address registries, RFC 6890), and public ones at which a cloud
 * serves only its own machines.
 */
const NOT_PUBLIC_4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['161.26.0.0', 16], // services of IBM Cloud to its machines
  ['166.8.0.0', 14], // services of IBM Cloud to its machines
  ['168.63.129.16', 32], // metadata and keys of Azure to its machines
  ['169.254.0.0', 16], // link-local, and the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['199.36.153.0', 24], // services of Google Cloud to its machines
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Ranges within 2000::/3, the public unicast space of IPv6, that are not public. */
const NOT_PUBLIC_6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in disguise
  ['2620:4f:8000::', 48], // AS112
  ['3ffe::', 16], // 6bone, returned to IANA
  ['3fff::', 20], // documentation
];

const notPublic = new BlockList();
for (const [address, prefix] of NOT_PUBLIC_4) notPublic.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of NOT_PUBLIC_6) notPublic.addSubnet(address, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an IP address, as text without brackets, belongs to the public internet and to one host. An IPv4 address
 * mapped into IPv6 (`::ffff:8.8.8.8`) counts as that IPv4 address; every other way to write one address in another
 * (NAT64, 6to4, Teredo, `::1.2.3.4`) is not public. False for any other text.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false; // a zone: link-local by nature
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4');
    case 6: {
      const mapped = mappedAddress(address);
      if (mapped !== undefined) return isPublicAddress(mapped);
      return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
    }
    default:
      return false;
  }
}

/** The IPv4 address in `::ffff:0:0/96`; undefined for all others. */
function mappedAddress(address: string): string | undefined {
  // The URL parser writes every address in one way: `[::ffff:102:304]`.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]/`)?.hostname ?? '') ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
}
