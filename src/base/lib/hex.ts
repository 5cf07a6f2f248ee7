/** The text form of bytes everywhere on the API: `0x` and lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${rawHex(bytes)}`;
}

/** Lower-case hex without prefix. */
export function rawHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Bytes of a hex text, with or without `0x`; undefined when it is not an even number of hex digits. */
export function fromHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text;
  const bytes = Buffer.from(digits, 'hex'); // stops at the first character that is not hex
  return bytes.length * 2 === digits.length ? bytes : undefined;
}

/** The bytes of a text that must be hex, such as the checked fields of events. Throws Error when it is not. */
export function hexBytes(text: string): Uint8Array {
  const bytes = fromHex(text);
  if (!bytes) throw new Error(`not hex: ${text.slice(0, 80)}`);
  return bytes;
}
