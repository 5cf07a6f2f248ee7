import { hexBytes, toHex } from '../../base/lib/hex.ts';

/** The sum of two numbers of 128 bits fits. */
const BYTES = 17;
const MOST = (1n << BigInt(8 * BYTES)) - 1n;

/** Bytes that sort before those of every lower amount: an index in their order needs no direction. */
export const rankOf = (amount: bigint): Uint8Array => hexBytes((MOST - amount).toString(16).padStart(2 * BYTES, '0'));

/** The amount of a rank. */
export const amountOf = (rank: Uint8Array): bigint => MOST - BigInt(toHex(rank));
