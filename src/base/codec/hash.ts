import { hash } from 'node:crypto';

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

/** RIPEMD-160 of SHA-256: the 20 bytes that represent a public key in an address. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return hash('ripemd160', sha256(bytes), 'buffer');
}

/** SHA-512/256, which Stacks uses for blocks, transactions and Merkle trees. */
export function sha512_256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash('sha512-256', Buffer.concat(parts), 'buffer');
}

/** The id of a transaction: `0x` and the hex of the SHA-512/256 of all its bytes (SIP-005). */
export function transactionId(bytes: Uint8Array): string {
  return `0x${hash('sha512-256', bytes, 'hex')}`;
}
