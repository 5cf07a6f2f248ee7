/** Pieces of Stacks transactions written byte by byte from SIP-005, independent of any library. */

export interface WireParts {
  readonly version?: number;
  readonly chainId?: number;
  /** Auth type byte and conditions. */
  readonly auth?: Uint8Array;
  readonly anchorMode?: number;
  readonly postConditionMode?: number;
  readonly postConditions?: readonly Uint8Array[];
  readonly payload?: Uint8Array;
}

export const bytes = (...parts: readonly (number | string | Uint8Array)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map(part => {
        if (typeof part === 'number') return Buffer.of(part);
        return typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
      }),
    ),
  );

export const u16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value);
export const u32 = (value: number): Uint8Array => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

export function u64(value: bigint | number): Uint8Array {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
}

/** One length byte and the characters. */
export const name = (text: string): Uint8Array => bytes(text.length, text);

/** Four length bytes and the UTF-8 of a text. */
export const longText = (text: string): Uint8Array => bytes(u32(Buffer.byteLength(text)), Buffer.from(text));

/** `length` times the same byte. */
export const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

export const standardPrincipal = (version: number, byte: number): Uint8Array => bytes(0x05, version, filled(20, byte));

export const singleSig = (hashMode: number, nonce = 7, fee = 250, keyEncoding = 0): Uint8Array =>
  bytes(hashMode, filled(20, 0x11), u64(nonce), u64(fee), keyEncoding, filled(65, 0x01));

/** Two signatures and a key, two signatures required. */
export const multiSig = (hashMode: number, nonce = 9, fee = 300): Uint8Array =>
  bytes(
    ...[hashMode, filled(20, 0x13), u64(nonce), u64(fee), u32(4)],
    ...[0x02, filled(65, 0x31), 0x03, filled(65, 0x32), 0x00, filled(33, 0x02), 0x01, filled(33, 0x03)],
    u16(2),
  );

export const standardAuth = (condition: Uint8Array): Uint8Array => bytes(0x04, condition);
export const sponsoredAuth = (origin: Uint8Array, sponsor: Uint8Array): Uint8Array => bytes(0x05, origin, sponsor);

export const transferPayload = bytes(0x00, standardPrincipal(22, 0x22), u64(1_000_000), 'hello', filled(29, 0));

export function wireTransaction(parts: WireParts = {}): Uint8Array {
  const {
    version = 0x00,
    chainId = 1,
    auth = standardAuth(singleSig(0)),
    anchorMode = 3,
    postConditionMode = 2,
  } = parts;
  const { postConditions = [], payload = transferPayload } = parts;
  const conditions = bytes(u32(postConditions.length), ...postConditions);
  return bytes(version, u32(chainId), auth, anchorMode, postConditionMode, conditions, payload);
}
