import { sha256 } from './hash.ts';

/** The address of a Stacks account or contract deployer: a version below 32 and the 20-byte hash of its key or script. */
export interface StacksAddress {
  readonly version: number;
  readonly hash160: Uint8Array;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const HASH_LENGTH = 20;
const CHECKSUM_LENGTH = 4;
const BODY_LENGTH = HASH_LENGTH + CHECKSUM_LENGTH;

/**
 * Value of each character by its code, -1 for others. Lower case is accepted, O reads as 0, I and L as 1
 * (docs/spec/codec.md#stacks-addresses).
 */
const VALUES = characterValues();

/**
 * c32check text of an address: `S`, the version character, then hash and checksum (docs/spec/codec.md#stacks-addresses).
 * Throws RangeError when the version is not 0-31 or the hash not 20 bytes.
 */
export function c32checkEncode(version: number, hash160: Uint8Array): string {
  if (!Number.isInteger(version) || version < 0 || version > 31) throw new RangeError(`address version ${version}`);
  if (hash160.length !== HASH_LENGTH) throw new RangeError(`address hash of ${hash160.length} bytes`);
  const body = new Uint8Array(BODY_LENGTH);
  body.set(hash160);
  body.set(checksum(version, hash160), HASH_LENGTH);
  return `S${ALPHABET.charAt(version)}${encodeBody(body)}`;
}

/** Decodes a c32check text to its address; undefined when characters, length or checksum are wrong. */
export function c32checkDecode(text: string): StacksAddress | undefined {
  if (text.length < 3 || text.length > 41) return undefined;
  const lead = text.charCodeAt(0);
  if (lead !== 0x53 && lead !== 0x73) return undefined; // S, s
  const version = digitValue(text, 1);
  const body = decodeBody(text, 2);
  if (version < 0 || body === undefined) return undefined;
  const hash160 = body.slice(0, HASH_LENGTH);
  const expected = checksum(version, hash160);
  for (let i = 0; i < CHECKSUM_LENGTH; i++) if (body[HASH_LENGTH + i] !== expected[i]) return undefined;
  return { version, hash160 };
}

function checksum(version: number, hash160: Uint8Array): Uint8Array {
  const message = new Uint8Array(1 + HASH_LENGTH);
  message[0] = version;
  message.set(hash160, 1);
  return sha256(sha256(message)).subarray(0, CHECKSUM_LENGTH);
}

/** A number in base 32 without leading zeros, preceded by one `0` for each leading zero byte. */
function encodeBody(body: Uint8Array): string {
  let digits = '';
  let carry = 0;
  let bits = 0;
  for (let i = body.length - 1; i >= 0; i--) {
    carry |= (body[i] as number) << bits;
    for (bits += 8; bits >= 5; bits -= 5) {
      digits = ALPHABET.charAt(carry & 31) + digits;
      carry >>= 5;
    }
  }
  if (bits > 0) digits = ALPHABET.charAt(carry) + digits;
  return '0'.repeat(leadingZeros(body)) + digits.replace(/^0+/, '');
}

/** Inverse of encodeBody, from `start` on; only the one canonical spelling of 24 bytes is accepted. */
function decodeBody(text: string, start: number): Uint8Array | undefined {
  const body = new Uint8Array(BODY_LENGTH);
  let at = BODY_LENGTH - 1;
  let carry = 0;
  let bits = 0;
  for (let i = text.length - 1; i >= start; i--) {
    const value = digitValue(text, i);
    if (value < 0) return undefined;
    carry |= value << bits;
    bits += 5;
    if (bits >= 8) {
      if (at >= 0) body[at--] = carry & 255;
      else if ((carry & 255) !== 0) return undefined;
      carry >>= 8;
      bits -= 8;
    }
  }
  if (at >= 0) body[at] = carry;
  else if (carry !== 0) return undefined;
  let zeroCharacters = 0;
  while (start + zeroCharacters < text.length && digitValue(text, start + zeroCharacters) === 0) zeroCharacters++;
  return zeroCharacters === leadingZeros(body) ? body : undefined;
}

function leadingZeros(bytes: Uint8Array): number {
  const first = bytes.findIndex(byte => byte !== 0);
  return first < 0 ? bytes.length : first;
}

function digitValue(text: string, index: number): number {
  return VALUES[text.charCodeAt(index)] ?? -1;
}

function characterValues(): Int8Array {
  const values = new Int8Array(128).fill(-1);
  const define = (character: string, value: number) => {
    values[character.charCodeAt(0)] = value;
    values[character.toLowerCase().charCodeAt(0)] = value;
  };
  [...ALPHABET].forEach(define);
  define('O', 0);
  define('I', 1);
  define('L', 1);
  return values;
}
