import { hash as digest } from 'node:crypto';
import { getPublicKey, signAsync } from '@noble/secp256k1';
import { hash160 } from '../../base/codec/hash.ts';
import { encodeAddress, transactionId } from '../../base/codec/index.ts';
import { u32, u64 } from '../../base/lib/number-bytes.ts';
import type { Contents } from './payloads.ts';

/* A transaction of the testnet, paid and signed by one key (SIP-005). */

const TESTNET_VERSION = 0x80;
const TESTNET_ADDRESS = 26;
const STANDARD_AUTH = 0x04;
const ANY_ANCHOR_MODE = 0x03;
const DENY_MODE = 0x02;
const SIGNATURE_BYTES = 65;

export interface Account {
  readonly address: string;
  readonly privateKey: Uint8Array;
}

interface UnsignedTransaction extends Contents {
  readonly chainId: number;
  /** Micro-STX. */
  readonly fee: bigint;
  readonly nonce: bigint;
}

export interface SignedTransaction {
  /** 0x hex. */
  readonly txId: string;
  readonly raw: Uint8Array;
}

/** The account of a private key. @param hex 32 bytes, perhaps with 01 after them. @throws Error for an invalid key */
export function accountOf(hex: string): Account {
  const privateKey = Buffer.from(hex.slice(0, 64), 'hex');
  return { privateKey, address: encodeAddress(TESTNET_ADDRESS, hash160(getPublicKey(privateKey, true))) };
}

export async function signTransaction(
  { privateKey }: Account,
  { chainId, fee, nonce, payload, postConditions }: UnsignedTransaction,
): Promise<SignedTransaction> {
  const signer = hash160(getPublicKey(privateKey, true));
  const write = (fee: bigint, nonce: bigint, signature: Uint8Array) =>
    Buffer.concat([
      Uint8Array.of(TESTNET_VERSION),
      u32(chainId),
      Uint8Array.of(STANDARD_AUTH, 0x00),
      signer,
      u64(nonce),
      u64(fee),
      Uint8Array.of(0x00),
      signature,
      Uint8Array.of(ANY_ANCHOR_MODE, DENY_MODE),
      u32(postConditions.length),
      ...postConditions,
      payload,
    ]);
  // The hash to sign covers the transaction without fee, nonce and signature, then fee and nonce.
  const cleared = sha512_256(write(0n, 0n, new Uint8Array(SIGNATURE_BYTES)));
  const toSign = sha512_256(Buffer.concat([cleared, Uint8Array.of(STANDARD_AUTH), u64(fee), u64(nonce)]));
  const signature = await signAsync(toSign, privateKey, { prehash: false, format: 'recovered' });
  const raw = write(fee, nonce, signature);
  return { txId: transactionId(raw), raw };
}

const sha512_256 = (bytes: Uint8Array): Buffer => digest('sha512-256', bytes, 'buffer');
