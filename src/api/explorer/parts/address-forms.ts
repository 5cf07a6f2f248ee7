import { encodeAddress, parsePrincipal } from '../../../base/codec/index.ts';

/** Addresses that a typed text can mean: with a typing error, or of another network. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Version characters of the two networks, in pairs: single keys, then scripts. */
const VERSIONS: readonly (readonly [mainnet: number, testnet: number])[] = [
  [22, 26],
  [20, 21],
];

/** The network of an address by its version: `mainnet`, `testnet`, or undefined for other versions. */
export function addressNetwork(address: string): 'mainnet' | 'testnet' | undefined {
  const version = parsePrincipal(address)?.version;
  if (VERSIONS.some(([mainnet]) => mainnet === version)) return 'mainnet';
  return VERSIONS.some(([, testnet]) => testnet === version) ? 'testnet' : undefined;
}

/** Every network but mainnet has the addresses of test networks. @param network the name of the network of a server */
export const networkKind = (network: string): 'mainnet' | 'testnet' => (network === 'mainnet' ? 'mainnet' : 'testnet');

/** The address of the same key or script on the other network; undefined for versions that have none. */
export function addressElsewhere(address: string): string | undefined {
  const parsed = parsePrincipal(address);
  const pair = VERSIONS.find(versions => parsed !== undefined && versions.includes(parsed.version));
  if (!parsed || !pair) return undefined;
  return encodeAddress(pair[0] === parsed.version ? pair[1] : pair[0], parsed.hash160);
}

/** Lengths of addresses; leading zeros of the hash shorten them. */
const ADDRESS_TEXT = /^S[0-9A-Z]{37,40}$/;

/**
 * The one address with a valid checksum that differs from the text in one character, or in two neighbours that are swapped; undefined
 * if no address does, or more than one. The text itself has no valid checksum.
 */
export function correctedAddress(typed: string): string | undefined {
  const text = typed.toUpperCase();
  if (!ADDRESS_TEXT.test(text)) return undefined;
  const valid = new Set<string>();
  for (const candidate of neighboursOf(text)) {
    const address = parsePrincipal(candidate)?.address;
    if (address !== undefined && addressNetwork(address) !== undefined) valid.add(address);
    if (valid.size > 1) return undefined;
  }
  return [...valid][0];
}

/** About 1,300 texts. */
function* neighboursOf(text: string): Iterable<string> {
  for (let i = 1; i < text.length; i++) {
    const [before, after] = [text.slice(0, i), text.slice(i + 1)];
    for (const character of ALPHABET) if (character !== text[i]) yield before + character + after;
    if (i + 1 < text.length && text[i] !== text[i + 1])
      yield `${before}${text.charAt(i + 1)}${text.charAt(i)}${text.slice(i + 2)}`;
  }
}
