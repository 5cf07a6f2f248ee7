import { fail, ok, type Result } from '../lib/result.ts';

type DecodeErrorCode =
  | 'truncated' // the bytes end before the value does
  | 'too_large' // more than MAX_INPUT_BYTES
  | 'too_deep' // nested deeper than MAX_DEPTH
  | 'invalid_prefix' // an unknown type byte
  | 'invalid_name' // a name that is empty, too long or of other characters
  | 'invalid_address' // an address version of 32 or more
  | 'invalid_field'; // a field whose value the format does not allow

/** Why bytes do not decode as a value of the requested format, and the byte at which decoding failed. */
export interface DecodeError {
  readonly code: DecodeErrorCode;
  readonly message: string;
  readonly offset: number;
}

/** Far above anything a node relays (a transaction is at most about 2 MiB); bounds the time and memory of one decode. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Levels of nesting, the leaf included. Nodes allow 16 (docs/spec/codec.md#clarity-values); more is harmless as long as it is bounded. */
export const MAX_DEPTH = 64;

/** Carries a DecodeError from the point of failure up to `decodeWith`, which never lets it out. */
class DecodeFailure {
  readonly error: DecodeError;
  constructor(error: DecodeError) {
    this.error = error;
  }
}

/** Runs a reader over bytes. Malformed bytes give an error value; nothing is thrown. */
export function decodeWith<T>(bytes: Uint8Array, read: (cursor: Cursor) => T): Result<T, DecodeError> {
  if (bytes.length > MAX_INPUT_BYTES) {
    return fail({ code: 'too_large', message: `more than ${MAX_INPUT_BYTES} bytes`, offset: MAX_INPUT_BYTES });
  }
  try {
    return ok(read(new Cursor(bytes)));
  } catch (failure) {
    if (failure instanceof DecodeFailure) return fail(failure.error);
    throw failure;
  }
}

/** Bytes allowed in a name, as a table: 1 = allowed. */
function nameAlphabet(punctuation: string): Uint8Array {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(`${letters}0123456789${punctuation}`, 'latin1')) table[byte] = 1;
  return table;
}
const CONTRACT_NAME_BYTES = nameAlphabet('-_');
const CLARITY_NAME_BYTES = nameAlphabet('-_!?+<>=/*');
const MAX_NAME_LENGTH = 128;

/** Reads big-endian wire data from front to back; every read checks that the bytes are there. */
export class Cursor {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Stops the decoding with an error value; `offset` defaults to the current position. */
  fail(code: DecodeErrorCode, message: string, offset = this.offset): never {
    throw new DecodeFailure({ code, message, offset });
  }

  /** Moves past `length` bytes and returns where they start. */
  take(length: number): number {
    const start = this.offset;
    if (length > this.bytes.length - start) {
      this.fail('truncated', `need ${length} bytes, ${this.bytes.length - start} left`);
    }
    this.offset = start + length;
    return start;
  }

  u8(): number {
    return this.bytes[this.take(1)] as number;
  }

  u16(): number {
    const at = this.take(2);
    return ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  u32(): number {
    return this.u32At(this.take(4));
  }

  u64(): bigint {
    const at = this.take(8);
    return wide(this.u32At(at), this.u32At(at + 4));
  }

  u128(): bigint {
    const at = this.take(16);
    const high = wide(this.u32At(at), this.u32At(at + 4));
    const low = wide(this.u32At(at + 8), this.u32At(at + 12));
    return high === 0n ? low : (high << 64n) | low;
  }

  /** Two's complement. */
  i128(): bigint {
    return BigInt.asIntN(128, this.u128());
  }

  /** An unsigned 32-bit number at a place that `take` has already checked. */
  u32At(at: number): number {
    const { bytes } = this;
    const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
    return high * 0x10000 + low;
  }

  /** `0x` and the lower-case hex of the next `length` bytes. */
  hex(length: number): string {
    const at = this.take(length);
    return this.hexBetween(at, this.offset);
  }

  /** `0x` and the lower-case hex of bytes already read. */
  hexBetween(start: number, end: number): string {
    return `0x${this.bytes.toString('hex', start, end)}`;
  }

  /** A copy of the next `length` bytes. */
  copy(length: number): Uint8Array {
    const at = this.take(length);
    return Uint8Array.from(this.bytes.subarray(at, at + length));
  }

  /** A u32 count of things of at least `minimumSize` bytes each: never more than the remaining bytes can hold. */
  count(minimumSize: number): number {
    const count = this.u32();
    if (count * minimumSize > this.remaining) {
      this.fail('truncated', `${count} items cannot fit in ${this.remaining} bytes`, this.offset - 4);
    }
    return count;
  }

  /** One length byte and a contract name (docs/spec/codec.md#payloads). */
  contractName(): string {
    return this.#name(CONTRACT_NAME_BYTES);
  }

  /** One length byte and the name of a function, an asset or a tuple key (docs/spec/codec.md#payloads). */
  clarityName(): string {
    return this.#name(CLARITY_NAME_BYTES);
  }

  /** Moves past a name that contractName or clarityName would read. */
  passContractName(): void {
    this.#takeName(CONTRACT_NAME_BYTES);
  }

  passClarityName(): void {
    this.#takeName(CLARITY_NAME_BYTES);
  }

  #name(allowed: Uint8Array): string {
    const start = this.#takeName(allowed);
    return this.bytes.toString('latin1', start, this.offset);
  }

  /** Moves past a name and returns where it starts. */
  #takeName(allowed: Uint8Array): number {
    const length = this.u8();
    if (length === 0 || length > MAX_NAME_LENGTH) {
      this.fail('invalid_name', `a name of ${length} bytes`, this.offset - 1);
    }
    const start = this.take(length);
    for (let at = start; at < this.offset; at++) {
      if (allowed[this.bytes[at] as number] === 0) this.fail('invalid_name', 'a character that names do not have', at);
    }
    return start;
  }
}

/** Joins two unsigned 32-bit halves, without wide arithmetic while the number is small. */
function wide(high: number, low: number): bigint {
  return high < 0x200000 ? BigInt(high * 0x1_0000_0000 + low) : (BigInt(high) << 32n) | BigInt(low);
}
