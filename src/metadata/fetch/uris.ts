import { base16 } from 'multiformats/bases/base16';
import { base32 } from 'multiformats/bases/base32';
import { base36 } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { type MetadataError, metadataError, type Purpose } from '../errors.ts';
import { parseDataUrl } from './data-url.ts';
import { type FetchSource, type Gateways, gatewaySources } from './gateways.ts';

/** What a URI refers to: bytes within it, or the same content at one or more places, to be tried in this order. */
type FetchTarget =
  | { readonly kind: 'data'; readonly bytes: Uint8Array; readonly mime: string }
  | { readonly kind: 'http'; readonly sources: readonly FetchSource[] };

interface ResolveOptions extends Placeholders {
  readonly gateways: Gateways;
  readonly purpose?: Purpose;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** Read from the text: a URL parser would put the CID in lower case. */
const CID_HOST = /^https?:\/\/([a-z0-9]+)\.ipfs\.([^/?#]+)([^?#]*)/i;

/**
 * Resolves a token URI to the places of its content. Placeholders are filled in; `ipfs:`, `ipns:`, `ar:` and URLs on a
 * known public gateway go to the configured gateways. `http:` and `https:` stay as they are, but for credentials, which
 * are dropped. Whether a request to the host is allowed is not decided here. Errors: 105, or 106 for an image.
 */
export function resolveUri(template: string, options: ResolveOptions): Result<FetchTarget, MetadataError> {
  const { gateways, purpose = 'document' } = options;
  const uri = fillPlaceholders(template, options).trim();
  const target = targetOf(uri, gateways);
  return typeof target === 'string' ? fail(metadataError(purpose, 'unparsable', 'permanent', target)) : ok(target);
}

/** A target, or an error text about the URI. */
function targetOf(uri: string, gateways: Gateways): FetchTarget | string {
  switch (SCHEME.exec(uri)?.[1]?.toLowerCase()) {
    case 'http':
    case 'https':
      return webTarget(uri, gateways);
    case 'ipfs':
      return ipfsTarget(withoutScheme(uri).replace(/^ipfs\//i, ''), gateways);
    case 'ipns':
      return ipnsTarget(withoutScheme(uri).replace(/^ipns\//i, ''), gateways);
    case 'ar':
      return sourcesTarget(gatewaySources(gateways.arweave, '', withoutScheme(uri)));
    case 'data': {
      const data = parseDataUrl(uri);
      return data ? { kind: 'data', ...data } : 'malformed data: URI';
    }
    case undefined:
      return 'not an absolute URI';
    default:
      return 'unsupported kind of URI';
  }
}

/** The part after the scheme and its slashes, without query and fragment, which gateways do not support. */
const withoutScheme = (uri: string): string => uri.replace(/^[^:]*:\/*/, '').replace(/[?#].*$/s, '');

function webTarget(uri: string, gateways: Gateways): FetchTarget | string {
  const url = URL.parse(uri);
  if (!url?.hostname) return 'malformed URL';
  const [, cid, cidHost = '', path] = CID_HOST.exec(uri) ?? [];
  if (cid && isKnownHost(cidHost, gateways)) return ipfsTarget(`${cid}${path}`, gateways);
  const [, space, rest] = /^\/(ip[fn]s)\/(.+)$/.exec(url.pathname) ?? [];
  if (rest && isKnownHost(url.host, gateways))
    return space === 'ipfs' ? ipfsTarget(rest, gateways) : ipnsTarget(rest, gateways);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { kind: 'http', sources: [{ url: url.href }] };
}

const isKnownHost = (host: string, { knownHosts }: Gateways): boolean =>
  knownHosts.includes(host.toLowerCase().replace(/:(80|443)$/, ''));

function ipfsTarget(path: string, gateways: Gateways): FetchTarget | string {
  const [cid = ''] = path.split('/', 1);
  if (gateways.checkCids && !isCid(cid)) return 'not an IPFS content identifier';
  return sourcesTarget(gatewaySources(gateways.ipfs, 'ipfs/', path));
}

const ipnsTarget = (path: string, gateways: Gateways): FetchTarget | string =>
  sourcesTarget(gatewaySources(gateways.ipfs, 'ipns/', path));

const sourcesTarget = (sources: readonly FetchSource[] | string): FetchTarget | string =>
  typeof sources === 'string' ? sources : { kind: 'http', sources };

/** The bases in which content identifiers are written. */
const CID_BASES = base32.decoder.or(base36.decoder).or(base58btc.decoder).or(base16.decoder);
/** An identity CID would hold its content, of any length; those of digests are shorter than this. */
const LONGEST_CID = 200;

/** Whether a text is an IPFS content identifier, version 0 or 1, in lower or upper case where its base has one case only. */
export function isCid(text: string): boolean {
  if (text.length > LONGEST_CID) return false;
  try {
    CID.parse(/^[BKF]/.test(text) ? text.toLowerCase() : text, CID_BASES);
    return true;
  } catch {
    return false;
  }
}

export interface Placeholders {
  /** Decimal token number. */
  readonly id: string;
  readonly locale?: string;
}

const PLACEHOLDER = /\{id\}|\$TOKEN_ID|\{locale\}/gi;

/**
 * `{id}` and `$TOKEN_ID` become the token number, `{locale}` the locale or the empty text; all of them, in any case.
 * The rest is untouched.
 */
export function fillPlaceholders(template: string, { id, locale = '' }: Placeholders): string {
  return template.replace(PLACEHOLDER, found => (found.toLowerCase() === '{locale}' ? locale : id));
}
