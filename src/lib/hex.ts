/** The text form of bytes everywhere on the API: `0x` and lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${rawHex(bytes)}`;
}

/** Lower-case hex without prefix. */
export function rawHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

const HEX = /^(?:0[xX])?((?:[0-9a-fA-F]{2})*)$/;

/** Bytes of a hex text, with or without `0x`; undefined when it is not an even number of hex digits. */
export function fromHex(text: string): Uint8Array | undefined {
  const digits = HEX.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
}
