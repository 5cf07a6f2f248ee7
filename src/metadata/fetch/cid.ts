import { base58 } from '@scure/base';

const BASE32 = /^b[a-z2-7]{50,110}$/i;
const BASE36 = /^k[a-z0-9]{45,110}$/i;
const BASE58 = /^z[1-9A-HJ-NP-Za-km-z]{45,110}$/;
const BASE16 = /^f[0-9a-f]{68,144}$/i;
const SHA256_MULTIHASH = [0x12, 0x20];

/**
 * Whether a text can be an IPFS content identifier: version 0 (a SHA-256 multihash in base58), or version 1 in the bases that are in
 * use. Version 1 is checked by its alphabet and length only: it saves requests, the gateway has the last word.
 */
export function isCid(text: string): boolean {
  if (text.startsWith('Qm')) return text.length === 46 && isMultihash(text);
  return BASE32.test(text) || BASE36.test(text) || BASE58.test(text) || BASE16.test(text);
}

function isMultihash(text: string): boolean {
  try {
    const bytes = base58.decode(text);
    return bytes.length === 34 && SHA256_MULTIHASH.every((byte, at) => bytes[at] === byte);
  } catch {
    return false;
  }
}
