import { ECDH } from 'node:crypto';
import { bitcoinToPoxAddress, isBitcoinAddress, stacksToBitcoin } from '../../../base/codec/index.ts';
import { badRequest } from '../../http/errors.ts';

const TAPROOT = 6;

/**
 * The Bitcoin address, as nodes spell it, of a text: a Bitcoin address of any network, or a standard Stacks address in
 * any letter case (docs/spec/burnchain.md#addresses-of-reward-slots). Undefined for any other text.
 */
export function resolveBitcoinAddress(text: string): string | undefined {
  return isBitcoinAddress(text) && isOwnable(text) ? nodeSpelling(text) : stacksToBitcoin(text);
}

/** The same for a parameter, without surrounding white space. Throws the ApiError of an invalid one. */
export function bitcoinAddress(given: string): string {
  const address = resolveBitcoinAddress(given.trim());
  if (address === undefined) throw badRequest(`Address ${given.trim()} is not a valid Bitcoin or STX address.`);
  return address;
}

/** Bech32 may be written in capitals; base58 is as it is. */
const nodeSpelling = (address: string): string => (/^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address);

/** A taproot address is a public key. One that is not a point of the curve has no private key. */
function isOwnable(address: string): boolean {
  const decoded = bitcoinToPoxAddress(address);
  return decoded?.version !== TAPROOT || isCurvePoint(decoded.hashbytes);
}

/** True when these 32 bytes are the x coordinate of a point of secp256k1 (BIP-340, lift_x). */
function isCurvePoint(x: Uint8Array): boolean {
  try {
    ECDH.convertKey(Buffer.from([0x02, ...x]), 'secp256k1');
    return true;
  } catch {
    return false;
  }
}
