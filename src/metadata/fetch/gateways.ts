import { isWithin, withoutDisguise } from '../../base/net/paths.ts';

/** Gateways for content that is addressed by its hash, not by a host. */
export interface Gateways {
  /** Base URLs, tried in this order: `<base>/ipfs/<cid>/<path>`. */
  readonly ipfs: readonly Gateway[];
  /** Base URLs, tried in this order: `<base>/<transaction>/<path>`. */
  readonly arweave: readonly Gateway[];
  /** Public IPFS gateways in token URIs: their content is requested from `ipfs` instead. */
  readonly knownHosts: readonly string[];
  /** Refuses an invalid CID without a request. False for an operator's own gateways that take any name. */
  readonly checkCids: boolean;
}

export interface Gateway {
  /** `http:` or `https:`, may have a path; one in a private network must be in `allowHosts` too. */
  readonly url: string;
  /** Such as an access token. Sent with requests for content below `url` only, not to other paths of its host. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const DEFAULT_GATEWAYS: Gateways = {
  ipfs: [{ url: 'https://ipfs.io' }, { url: 'https://dweb.link' }, { url: 'https://gateway.pinata.cloud' }],
  arweave: [{ url: 'https://arweave.net' }],
  knownHosts: ['ipfs.io', 'dweb.link', 'gateway.pinata.cloud', 'cloudflare-ipfs.com', 'infura-ipfs.io'],
  checkCids: true,
};

/** A request for content, at one of the places that have it. */
export interface FetchSource {
  readonly url: string;
  /** Headers for URLs below `root` only: a redirect to another place is followed without them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly root?: string;
}

const NAME = /^[A-Za-z0-9._-]+$/;

/**
 * The URLs of `<name>/<path>` at the gateways, or an error text. @param space such as `ipfs/`, below the base of each
 * gateway
 */
export function gatewaySources(
  gateways: readonly Gateway[],
  space: string,
  path: string,
): readonly FetchSource[] | string {
  const [name = ''] = path.split('/', 1);
  // Refuses `.` and `..`, which would leave the gateway's folder.
  if (!NAME.test(name) || /^\.+$/.test(name)) return 'malformed name of content';
  if (gateways.length === 0) return 'no gateway for this kind of URI';
  const rest = withoutDisguise(path.slice(name.length));
  const sources: FetchSource[] = [];
  for (const { url: base, headers } of gateways) {
    const root = `${base.replace(/\/+$/, '')}/${space}${name}`;
    const url = rest === undefined ? null : URL.parse(`${root}${rest}`);
    if (!url || !isWithin(url, new URL(root).href)) return 'malformed path of content';
    sources.push({ url: url.href, ...(headers && { headers, root: new URL(root).href }) });
  }
  return sources;
}
