import type { SqlValue } from './database.ts';

/**
 * Values in the binary form of PostgreSQL (bigint, text and bytea), in which nothing needs escaping.
 * Source: the `_send` and `_recv` functions of each type in the source of PostgreSQL.
 */

const NULL_FIELD = -1;
/** Object ids of the types, from pg_type. */
const TYPE_IDS = { int: 20, text: 25, bytes: 17 } as const;

/** An array of one dimension. As a parameter of a statement, pg sends a Buffer as binary. */
export function encodeArray(kind: keyof typeof TYPE_IDS, values: readonly SqlValue[]): Buffer {
  const writer = growingBuffer();
  writer.int32(values.length === 0 ? 0 : 1); // dimensions
  writer.int32(values.includes(null) ? 1 : 0);
  writer.int32(TYPE_IDS[kind]);
  if (values.length > 0) {
    writer.int32(values.length);
    writer.int32(1); // the lower bound
    for (const value of values) writeField(writer, value);
  }
  return writer.result();
}

/** A value as a length and its bytes; null is the length -1. */
export function writeField(writer: GrowingBuffer, value: SqlValue): void {
  if (value === null) {
    writer.int32(NULL_FIELD);
  } else if (typeof value === 'number') {
    writer.int32(8);
    writer.int64(value);
  } else if (typeof value === 'string') {
    writer.text(value);
  } else {
    writer.int32(value.length);
    writer.bytes(value);
  }
}

interface GrowingBuffer {
  int16(value: number): void;
  int32(value: number): void;
  /** A safe integer as eight bytes. */
  int64(value: number): void;
  bytes(value: Uint8Array): void;
  /** Its length in bytes as an int32, then its UTF-8. */
  text(value: string): void;
  /** Its UTF-8, then a zero. */
  zeroEnded(value: string): void;
  size(): number;
  result(): Buffer;
}

/** Small, as the keys of most lookups are: Node.js cuts such buffers from a larger one. */
const START_BYTES = 256;

export function growingBuffer(): GrowingBuffer {
  let buffer = Buffer.allocUnsafe(START_BYTES);
  let at = 0;

  function reserve(length: number): void {
    if (at + length <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + length));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  }

  return {
    int16(value) {
      reserve(2);
      at = buffer.writeInt16BE(value, at);
    },
    int32(value) {
      reserve(4);
      at = buffer.writeInt32BE(value, at);
    },
    int64(value) {
      reserve(8);
      // Two halves, since a BigInt for each number costs more than the rest of the encoding.
      at = buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
      at = buffer.writeUInt32BE(value >>> 0, at);
    },
    bytes(value) {
      reserve(value.length);
      buffer.set(value, at);
      at += value.length;
    },
    text(value) {
      reserve(4 + 3 * value.length); // a UTF-16 unit takes at most three bytes of UTF-8
      const length = buffer.write(value, at + 4);
      buffer.writeInt32BE(length, at);
      at += 4 + length;
    },
    zeroEnded(value) {
      reserve(3 * value.length + 1);
      at += buffer.write(value, at);
      buffer[at++] = 0;
    },
    size: () => at,
    result: () => buffer.subarray(0, at),
  };
}
