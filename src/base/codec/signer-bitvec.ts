import { fromHex } from '../lib/hex.ts';
import { decodeWith } from './byte-cursor.ts';

/**
 * The signer bit vector of a Nakamoto block as a text of 0 and 1, from its hex: bit count u16, byte count u32, bytes
 * with the first bit highest (docs/spec/codec.md#signer-bit-vectors). Undefined when the hex is malformed.
 */
export function signerBitvec(hex: string): string | undefined {
  const bytes = fromHex(hex);
  if (bytes === undefined) return undefined;
  const decoded = decodeWith(bytes, cursor => {
    const bitCount = cursor.u16();
    const byteCount = cursor.count(1);
    if (bitCount > byteCount * 8) cursor.fail('truncated', `${bitCount} bits in ${byteCount} bytes`);
    const start = cursor.take(byteCount);
    let text = '';
    for (let i = 0; i < bitCount; i++) {
      text += ((cursor.bytes[start + (i >> 3)] as number) & (0x80 >> (i & 7))) === 0 ? '0' : '1';
    }
    return text;
  });
  return decoded.ok ? decoded.value : undefined;
}
