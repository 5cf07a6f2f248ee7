import { toHex } from '../../base/lib/hex.ts';

/** Bytes of a signature. */
const SIZE = 65;

/** The signatures of a block's signers as they are stored: one after the other, in the order of the node. @param signatures hex */
export const packSignatures = (signatures: readonly string[]): Uint8Array | null =>
  signatures.length === 0 ? null : Buffer.from(signatures.join(''), 'hex');

export const unpackSignatures = (packed: Uint8Array | null): string[] =>
  Array.from({ length: (packed?.length ?? 0) / SIZE }, (_, i) =>
    toHex((packed as Uint8Array).subarray(i * SIZE, (i + 1) * SIZE)),
  );
