import { bech32, bech32m } from '@scure/base';
import { bitcoinToStacks, type PoxAddress } from './bitcoin-address.ts';
import { encodeClarityBuffer, encodeClarityTuple } from './clarity/encode.ts';
import { decodeAddress } from './principal.ts';

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
