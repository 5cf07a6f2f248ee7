import { isBitcoinAddress, stacksToBitcoin } from '../../../base/codec/index.ts';
import { badRequest } from '../../http/errors.ts';

/**
 * The Bitcoin address of a text, in the spelling of nodes. The text is a Bitcoin address of any network, or a standard Stacks
 * address in any letter case (docs/spec/burnchain.md#addresses-of-reward-slots). Undefined for any other text.
 * It does not check that the 32 bytes of a taproot address are a point of the curve: nodes list such holders of slots.
 */
export function resolveBitcoinAddress(text: string): string | undefined {
  return isBitcoinAddress(text) ? nodeSpelling(text) : stacksToBitcoin(text);
}

/** The same for a parameter, without surrounding white space. Throws the ApiError of an invalid one. */
export function bitcoinAddress(given: string): string {
  const address = resolveBitcoinAddress(given.trim());
  if (address === undefined) throw badRequest(`Address ${given.trim()} is not a valid Bitcoin or STX address.`);
  return address;
}

/** Bech32 may be in capitals; base58 is unchanged. */
const nodeSpelling = (address: string): string => (/^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address);
