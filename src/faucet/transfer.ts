import { hash as digest } from 'node:crypto';
import { getPublicKey, signAsync } from '@noble/secp256k1';
import { hash160 } from '../codec/hash.ts';
import { encodeAddress, encodeClarityPrincipal, transactionId } from '../codec/index.ts';

/* A token transfer of the testnet, paid and signed by one key (SIP-005). */

const TESTNET_VERSION = 0x80;
const TESTNET_ADDRESS = 26;
const STANDARD_AUTH = 0x04;
const ANY_ANCHOR_MODE = 0x03;
const DENY_MODE = 0x02;
const TOKEN_TRANSFER = 0x00;
const MEMO_BYTES = 34;
const SIGNATURE_BYTES = 65;

export interface Account {
  readonly address: string;
  readonly privateKey: Uint8Array;
}

export interface Transfer {
  readonly chainId: number;
  /** An address or a contract. */
  readonly recipient: string;
  /** Micro-STX. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly nonce: bigint;
  readonly memo: string;
}

export interface SignedTransfer {
  /** 0x hex. */
  readonly txId: string;
  readonly raw: Uint8Array;
}

/** The account of a private key. @param hex 32 bytes, perhaps with 01 after them. @throws Error for what is no key */
export function accountOf(hex: string): Account {
  const privateKey = Buffer.from(hex.slice(0, 64), 'hex');
  return { privateKey, address: encodeAddress(TESTNET_ADDRESS, hash160(getPublicKey(privateKey, true))) };
}

/** What a node is asked the fee of. */
export const payloadOf = ({ recipient, amount, memo }: Pick<Transfer, 'recipient' | 'amount' | 'memo'>): Buffer => {
  const text = Buffer.alloc(MEMO_BYTES);
  text.write(memo);
  return Buffer.concat([Uint8Array.of(TOKEN_TRANSFER), encodeClarityPrincipal(recipient), u64(amount), text]);
};

export async function signTransfer({ privateKey }: Account, transfer: Transfer): Promise<SignedTransfer> {
  const { fee, nonce } = transfer;
  const signer = hash160(getPublicKey(privateKey, true));
  const write = (fee: bigint, nonce: bigint, signature: Uint8Array) =>
    Buffer.concat([
      Uint8Array.of(TESTNET_VERSION),
      u32(transfer.chainId),
      Uint8Array.of(STANDARD_AUTH, 0x00),
      signer,
      u64(nonce),
      u64(fee),
      Uint8Array.of(0x00),
      signature,
      Uint8Array.of(ANY_ANCHOR_MODE, DENY_MODE),
      u32(0),
      payloadOf(transfer),
    ]);
  // What is signed: the transaction without fee, nonce and signature, then those that are paid.
  const cleared = sha512_256(write(0n, 0n, new Uint8Array(SIGNATURE_BYTES)));
  const toSign = sha512_256(Buffer.concat([cleared, Uint8Array.of(STANDARD_AUTH), u64(fee), u64(nonce)]));
  const signature = await signAsync(toSign, privateKey, { prehash: false, format: 'recovered' });
  const raw = write(fee, nonce, signature);
  return { txId: transactionId(raw), raw };
}

const sha512_256 = (bytes: Uint8Array): Buffer => digest('sha512-256', bytes, 'buffer');

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
