import { hexBytes, toHex } from './hex.ts';

/**
 * Numbers as bytes: short ones for rows that only hold them, and ones that a database sorts as numbers. Amounts are those of tokens
 * and STX, of any size.
 */

/** Packs amounts that are not negative into few bytes: seven bits in each, the least significant first. */
export function packAmounts(amounts: readonly bigint[]): Uint8Array {
  const bytes: number[] = [];
  for (const amount of amounts) {
    let rest = amount;
    for (; rest > MAX_EXACT; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    let left = Number(rest);
    for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
    bytes.push(left);
  }
  return Uint8Array.from(bytes);
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** The amounts that packAmounts packed, in their order. */
export function unpackAmounts(bytes: Uint8Array): bigint[] {
  const amounts: bigint[] = [];
  let [high, shift] = [0n, 0n];
  // Collects parts as numbers: a step with bigints takes several times as long.
  let [low, factor] = [0, 1];
  for (const byte of bytes) {
    low += (byte & 0x7f) * factor;
    factor *= 0x80;
    const isLast = byte <= 0x7f;
    if (!isLast && factor < PART_OF_PACKED) continue;
    high = shift === 0n ? BigInt(low) : high | (BigInt(low) << shift);
    shift += BITS_OF_PART;
    [low, factor] = [0, 1];
    if (!isLast) continue;
    amounts.push(high);
    [high, shift] = [0n, 0n];
  }
  return amounts;
}

/** Most bits that a number can hold, in whole bytes of packAmounts. */
const BITS_OF_PART = 49n;
const PART_OF_PACKED = 2 ** 49;

/** First byte of zero. Greater amounts have a lower one, amounts below zero a higher one; the distance is the number of digits. */
const MIDDLE = 0x80;

/**
 * Bytes that sort from the greatest amount to the least, so that an index on them begins with the richest account. At most 127 bytes of
 * digits.
 */
export function bytesGreatestFirst(amount: bigint): Uint8Array {
  const digits = digitsOf(amount < 0n ? -amount : amount);
  // More digits sort earlier, but later for amounts below zero; among equal lengths the greater amount sorts earlier.
  if (amount >= 0n) return Uint8Array.of(MIDDLE - digits.length, ...digits.map(digit => 0xff - digit));
  return Uint8Array.of(MIDDLE + digits.length, ...digits);
}

/** The amount of bytesGreatestFirst. */
export function amountOfBytes(bytes: Uint8Array): bigint {
  const isNegative = (bytes[0] ?? MIDDLE) > MIDDLE;
  let [high, low] = [0n, 0];
  for (let i = 1; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    low = low * 0x100 + (isNegative ? byte : 0xff - byte);
    if (i % DIGITS_OF_NUMBER !== 0 && i < bytes.length - 1) continue;
    const digits = i % DIGITS_OF_NUMBER || DIGITS_OF_NUMBER;
    high = i <= DIGITS_OF_NUMBER ? BigInt(low) : (high << BigInt(8 * digits)) | BigInt(low);
    low = 0;
  }
  return isNegative ? -high : high;
}

/** The most digits to the base of 256 that a number holds. */
const DIGITS_OF_NUMBER = 6;

/**
 * The size of an amount on a logarithmic scale, with eight steps to each doubling; 0 for amounts up to zero. A greater amount never has a lower step.
 *
 *     8 is 32     9 is 33     15 is 39     16 and 17 are 40     18 and 19 are 41
 */
export function stepOf(amount: bigint): number {
  if (amount <= 0n) return 0;
  const hex = amount.toString(16);
  const top = Number.parseInt(hex.slice(0, 2).padEnd(2, '0'), 16);
  const bits = 32 - Math.clz32(top);
  return 8 * (4 * hex.length + bits - 8) + ((top >>> (bits - 4)) & 7);
}

/** Digits in base 256, the highest first; empty for zero. */
function digitsOf(amount: bigint): number[] {
  if (amount === 0n) return [];
  const hex = amount.toString(16);
  return [...Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')];
}

/** Bytes of a rank: the sum of two numbers of 128 bits fits. */
const RANK_SIZE = 17;
const HIGHEST_RANKED = (1n << BigInt(8 * RANK_SIZE)) - 1n;

/** As bytesGreatestFirst, for the amounts of PoX, which are not below zero: all ranks have one length. */
export const rankOf = (amount: bigint): Uint8Array =>
  hexBytes((HIGHEST_RANKED - amount).toString(16).padStart(2 * RANK_SIZE, '0'));

/** The amount of a rank. */
export const amountOfRank = (rank: Uint8Array): bigint => HIGHEST_RANKED - BigInt(toHex(rank));

/** 4 bytes, the most significant first: as transactions have them, and in an order that bytes sort in. */
export function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** As u32, in 8 bytes. */
export function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
