import { bech32, bech32m, createBase58check } from '@scure/base';
import { fromHex } from '../lib/hex.ts';
import { encodeClarityBuffer, encodeClarityTuple } from './clarity/encode.ts';
import { hash160, sha256 } from './hash.ts';
import { decodeAddress, encodeAddress } from './principal.ts';

export type BitcoinNetwork = 'mainnet' | 'testnet';

/** The `pox-addr` tuple of the PoX contracts. */
interface PoxAddress {
  readonly version: number;
  readonly hashbytes: Uint8Array;
}

const base58check = createBase58check(sha256);

/** Version bytes of base58 addresses that have a well-known c32 counterpart (docs/spec/codec.md#stacks-addresses). */
const BITCOIN_VERSION = new Map([
  [22, 0x00],
  [20, 0x05],
  [26, 0x6f],
  [21, 0xc4],
]);
const STACKS_VERSION = new Map([...BITCOIN_VERSION].map(([stacks, bitcoin]) => [bitcoin, stacks]));

const SEGWIT_PREFIXES = ['bc', 'tb', 'bcrt'];
const LONGEST_BITCOIN_ADDRESS = 90;

/** The base58check address of the same hash as a standard Stacks address; undefined when the text is not one. */
export function stacksToBitcoin(address: string): string | undefined {
  const decoded = decodeAddress(address);
  if (decoded === undefined) return undefined;
  return base58Address(BITCOIN_VERSION.get(decoded.version) ?? decoded.version, decoded.hash160);
}

/**
 * The Stacks address of the same hash as a base58check address; undefined when the text is not one, or its version
 * byte has no Stacks form. Segwit addresses have none.
 */
export function bitcoinToStacks(address: string): string | undefined {
  const decoded = decodeBase58Address(address);
  if (decoded === undefined) return undefined;
  const version = STACKS_VERSION.get(decoded.version) ?? decoded.version;
  return version < 32 ? encodeAddress(version, decoded.hash160) : undefined;
}

/**
 * True for a Bitcoin address of mainnet, testnet or regtest: base58check P2PKH and P2SH, bech32 v0 with a program of
 * 20 or 32 bytes, bech32m of version 1-16 (docs/spec/burnchain.md#addresses-of-reward-slots).
 */
export function isBitcoinAddress(text: string): boolean {
  const decoded = decodeBase58Address(text);
  return decoded === undefined ? isSegwitAddress(text) : STACKS_VERSION.has(decoded.version);
}

/**
 * The Bitcoin address of a PoX address tuple (docs/spec/codec.md#pox-addresses); undefined when the version is unknown or the length
 * wrong. Every network but mainnet uses the testnet forms.
 */
export function poxAddressToBitcoin(address: PoxAddress, network: BitcoinNetwork): string | undefined {
  const { version, hashbytes } = address;
  const mainnet = network === 'mainnet';
  const hrp = mainnet ? 'bc' : 'tb';
  const expectedLength = version === 5 || version === 6 ? 32 : 20;
  if (hashbytes.length !== expectedLength) return undefined;
  switch (version) {
    case 0:
      return base58Address(mainnet ? 0x00 : 0x6f, hashbytes);
    case 1:
    case 2:
    case 3:
      return base58Address(mainnet ? 0x05 : 0xc4, hashbytes);
    case 4:
    case 5:
      return bech32.encode(hrp, [0, ...bech32.toWords(hashbytes)]);
    case 6:
      return bech32m.encode(hrp, [1, ...bech32m.toWords(hashbytes)]);
    default:
      return undefined;
  }
}

/**
 * The Stacks address of a signer from its 33-byte public key in hex (docs/spec/codec.md#signer-addresses); undefined when it is
 * not one.
 */
export function signerKeyToAddress(key: string, network: BitcoinNetwork): string | undefined {
  const bytes = fromHex(key);
  return bytes?.length === 33 ? encodeAddress(network === 'mainnet' ? 22 : 26, hash160(bytes)) : undefined;
}

function base58Address(version: number, hash: Uint8Array): string {
  return base58check.encode(Uint8Array.of(version, ...hash));
}

function decodeBase58Address(text: string): { version: number; hash160: Uint8Array } | undefined {
  if (text.length > LONGEST_BITCOIN_ADDRESS) return undefined; // base58 costs the square of the length
  try {
    const bytes = base58check.decode(text);
    const version = bytes[0];
    return version === undefined || bytes.length !== 21 ? undefined : { version, hash160: bytes.slice(1) };
  } catch {
    return undefined; // not base58, or a wrong checksum
  }
}

function isSegwitAddress(text: string): boolean {
  const v0 = bech32.decodeUnsafe(text, LONGEST_BITCOIN_ADDRESS);
  const decoded = v0 ?? bech32m.decodeUnsafe(text, LONGEST_BITCOIN_ADDRESS);
  if (!decoded || !SEGWIT_PREFIXES.includes(decoded.prefix)) return false;
  const [version, ...words] = decoded.words;
  const program = bech32.fromWordsUnsafe(words);
  if (version === undefined || !program) return false;
  if (v0) return version === 0 && (program.length === 20 || program.length === 32);
  return version >= 1 && version <= 16 && program.length >= 2 && program.length <= 40;
}

const PAY_TO_SCRIPT_HASH_VERSIONS = new Set([20, 21]);
const LONGEST_ADDRESS = 90;

/** The PoX address of a Bitcoin address, whatever its network (docs/spec/codec.md#pox-addresses); undefined when it has none. */
export function bitcoinToPoxAddress(address: string): PoxAddress | undefined {
  const stacks = bitcoinToStacks(address);
  return stacks === undefined ? segwitToPoxAddress(address) : stacksToPoxAddress(stacks);
}

/** The PoX address that pays to the same hash as a standard Stacks address. */
export function stacksToPoxAddress(address: string): PoxAddress | undefined {
  const decoded = decodeAddress(address);
  if (decoded === undefined) return undefined;
  return { version: PAY_TO_SCRIPT_HASH_VERSIONS.has(decoded.version) ? 1 : 0, hashbytes: decoded.hash160 };
}

/** The Clarity value `{hashbytes, version}` that PoX contracts take. */
export function encodePoxAddress({ version, hashbytes }: PoxAddress): Uint8Array {
  return encodeClarityTuple({
    hashbytes: encodeClarityBuffer(hashbytes),
    version: encodeClarityBuffer(Uint8Array.of(version)),
  });
}

function segwitToPoxAddress(address: string): PoxAddress | undefined {
  if (address.length > LONGEST_ADDRESS) return undefined;
  const lower = address.toLowerCase();
  const decoded = bech32.decodeUnsafe(lower) ?? bech32m.decodeUnsafe(lower);
  const witness = decoded?.words[0];
  const program = decoded && bech32.fromWordsUnsafe(decoded.words.slice(1));
  if (witness === 0 && program?.length === 20) return { version: 4, hashbytes: program };
  if (witness === 0 && program?.length === 32) return { version: 5, hashbytes: program };
  if (witness === 1 && program?.length === 32) return { version: 6, hashbytes: program };
  return undefined;
}
