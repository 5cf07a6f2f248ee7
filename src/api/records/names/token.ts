import { tokenBytes } from '../../../index/names/token.ts';

/** The NFT value of the name with this text; for an invalid name, a value that no name has. */
export function tokenNamed(text: string): Uint8Array {
  const dot = text.lastIndexOf('.');
  return tokenBytes(Buffer.from(text.slice(0, Math.max(0, dot))), Buffer.from(text.slice(dot + 1)));
}
