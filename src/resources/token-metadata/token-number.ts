import { invalidParameter } from '../../http/errors.ts';

const LARGEST = 2n ** 128n - 1n;

/**
 * The number of a token in a path: a decimal integer without sign, fraction, exponent or leading zeros, so that every token has
 * one spelling; up to 2^128 - 1, without loss of digits.
 * @throws ApiError 400
 */
export function tokenNumber(text: string): string {
  if (!/^(0|[1-9][0-9]*)$/.test(text)) throw invalidParameter('params/token_id must be integer');
  if (text.length > 39 || BigInt(text) > LARGEST) throw invalidParameter(`params/token_id must be <= ${LARGEST}`);
  return text;
}
