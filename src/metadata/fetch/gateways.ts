/** Where content that is addressed by what it is, not by where it is, is fetched. */
export interface Gateways {
  /** Base URLs, asked in this order: `<base>/ipfs/<cid>/<path>`. */
  readonly ipfs: readonly Gateway[];
  /** Base URLs, asked in this order: `<base>/<transaction>/<path>`. */
  readonly arweave: readonly Gateway[];
  /** Public IPFS gateways in token URIs: what is on them is asked of `ipfs` instead. */
  readonly knownHosts: readonly string[];
  /** Refuse what is no CID without asking. False for gateways of an operator that take any name. */
  readonly checkCids: boolean;
}

export interface Gateway {
  /** `http:` or `https:`, may have a path; one in a private network must be in `allowHosts` too. */
  readonly url: string;
  /** Sent to the origin of `url` only, such as an access token. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const DEFAULT_GATEWAYS: Gateways = {
  ipfs: [{ url: 'https://ipfs.io' }, { url: 'https://dweb.link' }, { url: 'https://gateway.pinata.cloud' }],
  arweave: [{ url: 'https://arweave.net' }],
  knownHosts: ['ipfs.io', 'dweb.link', 'gateway.pinata.cloud', 'cloudflare-ipfs.com', 'infura-ipfs.io'],
  checkCids: true,
};
