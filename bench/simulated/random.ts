import { createHash } from 'node:crypto';

/** Numbers and bytes that look random and follow from a seed. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** From `low` to `high`, both possible. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  /** From 0 to below `size`; number k as often as 1 / (k + 1), as Zipf's law has it. */
  zipf(size: number): number {
    return Math.min(size, Math.floor((size + 1) ** this.fraction())) - 1;
  }

  /** Bytes that nothing compresses, such as those of a signature. */
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() & 0xff);
  }
}
