import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** A network in CIDR notation, such as `10.0.0.0/8`; one address without a prefix length. */
export interface Subnet {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** The other end of a connection. */
interface Peer {
  readonly address: string;
  /** The text by which it counts as a client. */
  readonly client: string;
  readonly isTrusted: boolean;
}

/** Most entries of X-Forwarded-For that are read, from the right: no deployment has more proxies in a row. */
const MOST_HOPS = 16;
const GROUPS_OF_IPV6 = 8;
/** Groups of 16 bits that name an IPv6 network of a customer (a /64). */
const GROUPS_OF_CUSTOMER = 4;

/** The network that a text in CIDR notation names; undefined if it names none. */
export function parseSubnet(text: string): Subnet | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : bits + 1;
  return prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/**
 * Determines which client a connection or request belongs to, for limits that count per client address.
 *
 * A peer of a trusted network is a proxy. The client of its request is the rightmost entry of X-Forwarded-For that is no
 * trusted proxy itself: entries further left come from the client, and may be forged. All addresses of one IPv6 /64
 * count as one client, since one customer has all of them. An IPv4 address in IPv6 notation counts as the IPv4 address.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList();
  /** Peers by socket: a connection has one for all its requests. */
  readonly #peers = new WeakMap<object, Peer>();

  /** @param trusted networks of proxies in front of this server; empty: X-Forwarded-For is ignored */
  constructor(trusted: readonly Subnet[] = []) {
    for (const { address, prefix, family } of trusted) this.#trusted.addSubnet(address, prefix, family);
  }

  /** The client of a request, as a text that is equal for requests of the same client. */
  ofRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const peer = this.#peerOf(socket);
    if (!peer.isTrusted) return peer.client;
    let client = peer.address;
    const hops = forwardedFor(headers['x-forwarded-for']);
    for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
      const address = withoutPort(hop);
      if (isIP(address) === 0) break;
      client = address;
      if (!this.#isTrusted(client)) break;
    }
    return countedAs(client);
  }

  /** The client of a connection; undefined if it is a trusted proxy, whose connections carry requests of many clients. */
  ofConnection(socket: { readonly remoteAddress?: string | undefined }): string | undefined {
    const peer = this.#peerOf(socket);
    return peer.isTrusted ? undefined : peer.client;
  }

  #peerOf(socket: { readonly remoteAddress?: string | undefined }): Peer {
    const known = this.#peers.get(socket);
    if (known) return known;
    const address = plain(socket.remoteAddress ?? '');
    const peer = { address, client: countedAs(address), isTrusted: this.#isTrusted(address) };
    this.#peers.set(socket, peer);
    return peer;
  }

  #isTrusted(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }
}

function forwardedFor(header: string | readonly string[] | undefined): string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  return text.split(',').slice(-MOST_HOPS);
}

/** Proxies may append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  const inBrackets = /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1];
  return plain(inBrackets ?? (/^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text));
}

/** Without the zone of an IPv6 address, and an IPv4 address in IPv6 notation as IPv4. */
function plain(address: string): string {
  const text = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  return mapped ?? text;
}

const countedAs = (address: string): string => (isIP(address) === 6 ? prefixOf64(address) : address);

/** The /64 of an IPv6 address. */
function prefixOf64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS_OF_IPV6 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups.slice(0, GROUPS_OF_CUSTOMER).join(':')}::/64`;
}

/** Groups without leading zeros; an IPv4 address at the end takes two. */
const groupsOf = (text: string): string[] =>
  text === ''
    ? []
    : text.split(':').flatMap(group => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
