import { base16 } from 'multiformats/bases/base16';
import { base32 } from 'multiformats/bases/base32';
import { base36 } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { type MetadataError, metadataError, type Purpose } from '../errors.ts';
import { type FetchSource, type Gateways, gatewaySources } from './gateways.ts';

/** The target of a URI: bytes within it, or the same content at one or more places, to be tried in this order. */
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
 * Resolves a token URI to the places of its content. Fills in placeholders; sends `ipfs:`, `ipns:`, `ar:` and URLs on a known
 * public gateway to the configured gateways. Keeps `http:` and `https:`, without credentials. It does not decide whether a
 * request to the host is allowed. Errors: 105, or 106 for an image.
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
 * Replaces all `{id}` and `$TOKEN_ID` by the token number, and `{locale}` by the locale or the empty text, in any letter
 * case. The rest is unchanged.
 */
export function fillPlaceholders(template: string, { id, locale = '' }: Placeholders): string {
  return template.replace(PLACEHOLDER, found => (found.toLowerCase() === '{locale}' ? locale : id));
}

interface DataUrl {
  readonly bytes: Uint8Array;
  /** As it was written, such as `application/json`; `text/plain` if the URI has no type. */
  readonly mime: string;
}

const BASE64 = /; *base64$/i;
const ASCII_WHITESPACE = /[\t\n\f\r ]/g;

/** Content of a `data:` URL by the rules of the Fetch standard ("data: URL processor"); undefined when it breaks them. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const text = URL.parse(url)?.href.split('#', 1)[0] ?? '';
  const comma = text.indexOf(',');
  if (!text.startsWith('data:') || comma < 0) return undefined;
  const head = text.slice('data:'.length, comma).trim();
  const body = percentDecode(text.slice(comma + 1));
  const bytes = BASE64.test(head) ? forgivingBase64(Buffer.from(body).toString('latin1')) : body;
  const mime = head.replace(BASE64, '');
  return bytes && { bytes, mime: mime === '' || mime.startsWith(';') ? `text/plain${mime}` : mime };
}

/** `%41` becomes the byte 0x41; an invalid triple stays as it is, characters as UTF-8. */
function percentDecode(text: string): Uint8Array {
  const input = Buffer.from(text);
  const output = Buffer.allocUnsafe(input.length);
  let length = 0;
  for (let at = 0; at < input.length; at++) {
    const digits = input[at] === 0x25 ? input.toString('latin1', at + 1, at + 3) : '';
    const escaped = /^[0-9a-f]{2}$/i.test(digits);
    output[length++] = escaped ? Number.parseInt(digits, 16) : (input[at] ?? 0);
    if (escaped) at += 2;
  }
  return output.subarray(0, length);
}

/** Base64 with white space and without padding allowed; undefined for anything else that is not base64. */
function forgivingBase64(text: string): Uint8Array | undefined {
  let digits = text.replace(ASCII_WHITESPACE, '');
  if (digits.length % 4 === 0) digits = digits.replace(/={1,2}$/, '');
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits)) return undefined;
  return Buffer.from(digits, 'base64');
}
