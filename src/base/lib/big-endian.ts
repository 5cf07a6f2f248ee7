/* Unsigned integers as bytes, the most significant first: as transactions have them, and in an order that bytes sort in. */

/** 4 bytes. */
export function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** 8 bytes. */
export function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
