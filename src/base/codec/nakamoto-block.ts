import { hexBytes, toHex } from '../lib/hex.ts';
import type { Result } from '../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from './byte-cursor.ts';
import { sha512_256, transactionId } from './hash.ts';
import { type DecodedTransaction, readWireTransaction } from './transaction/decode.ts';

/** A block of epoch 3 or later, as nodes store and relay it (docs/spec/codec.md#nakamoto-blocks). Hashes are 0x hex. */
export interface NakamotoBlock {
  readonly header: NakamotoHeader;
  readonly headerBytes: Uint8Array;
  readonly transactions: readonly BlockTransaction[];
}

export interface NakamotoHeader {
  /** Bit 7 set: a shadow block, which an emergency replaced. */
  readonly version: number;
  readonly height: number;
  /** Of the election, 20 bytes. */
  readonly consensusHash: string;
  /** Index block hash. */
  readonly parentBlockId: string;
  readonly txMerkleRoot: string;
  readonly stateIndexRoot: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 65 bytes, recovery id first. */
  readonly minerSignature: string;
  /** 65 bytes each, recovery id first, hex without `0x`. The block hash does not cover them. */
  readonly signerSignatures: readonly string[];
  /** As in `signer_bitvec` of an event: hex without `0x`. */
  readonly poxTreatment: string;
  /** Positions of transactions that nodes skip, from version 1 on. */
  readonly skipped: readonly number[];
  readonly blockHash: string;
  /** SHA-512/256 of the block hash and the consensus hash: the index block hash. */
  readonly blockId: string;
}

export interface BlockTransaction {
  readonly txId: string;
  readonly raw: Uint8Array;
  readonly transaction: DecodedTransaction;
}

const SIGNATURE_BYTES = 65;
const NEWEST_VERSION = 1;
const SHADOW = 0x80;
/** Index and category. */
const MARKER_BYTES = 5;

/** Decodes the bytes of a whole block. The Merkle root is read and not compared: see merkleRoot. */
export function decodeNakamotoBlock(bytes: Uint8Array): Result<NakamotoBlock, DecodeError> {
  return decodeWith(bytes, cursor => {
    const header = readHeader(cursor);
    const headerBytes = Uint8Array.from(cursor.bytes.subarray(0, cursor.offset));
    const transactions = Array.from({ length: cursor.count(1) }, () => readBlockTransaction(cursor));
    if (cursor.remaining > 0) cursor.fail('invalid_field', `${cursor.remaining} bytes after the last transaction`);
    return { header, headerBytes, transactions };
  });
}

/** Decodes the bytes of a header alone. */
export function decodeNakamotoHeader(bytes: Uint8Array): Result<NakamotoHeader, DecodeError> {
  return decodeWith(bytes, cursor => {
    const header = readHeader(cursor);
    if (cursor.remaining > 0) cursor.fail('invalid_field', `${cursor.remaining} bytes after the header`);
    return header;
  });
}

function readHeader(cursor: Cursor): NakamotoHeader {
  const version = cursor.u8();
  if ((version & ~SHADOW) > NEWEST_VERSION) cursor.fail('invalid_field', `block version ${version}`, 0);
  const height = readSafeInteger(cursor);
  cursor.take(8); // burn spent
  const consensusHash = cursor.hex(20);
  const parentBlockId = cursor.hex(32);
  const txMerkleRoot = cursor.hex(32);
  const stateIndexRoot = cursor.hex(32);
  const timestamp = readSafeInteger(cursor);
  const minerSignature = cursor.hex(SIGNATURE_BYTES);
  const signatures = cursor.offset;
  const signerSignatures = Array.from({ length: cursor.count(SIGNATURE_BYTES) }, () =>
    cursor.hex(SIGNATURE_BYTES).slice(2),
  );
  const treatment = cursor.offset;
  cursor.u16();
  cursor.take(cursor.count(1));
  const poxTreatment = cursor.hexBetween(treatment, cursor.offset).slice(2);
  const skipped = (version & ~SHADOW) === 0 ? [] : readMarkers(cursor);
  const { bytes } = cursor;
  const hash = sha512_256(bytes.subarray(0, signatures), bytes.subarray(treatment, cursor.offset));
  return {
    ...{ version, height, consensusHash, parentBlockId, txMerkleRoot, stateIndexRoot, timestamp, minerSignature },
    ...{ signerSignatures, poxTreatment, skipped, blockHash: toHex(hash) },
    blockId: toHex(sha512_256(hash, hexBytes(consensusHash))),
  };
}

function readMarkers(cursor: Cursor): number[] {
  return Array.from({ length: cursor.count(MARKER_BYTES) }, () => {
    const index = cursor.u32();
    cursor.u8(); // why it is skipped
    return index;
  });
}

function readSafeInteger(cursor: Cursor): number {
  const value = cursor.u64();
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : cursor.fail('invalid_field', `the number ${value}`);
}

function readBlockTransaction(cursor: Cursor): BlockTransaction {
  const start = cursor.offset;
  const transaction = readWireTransaction(cursor);
  const raw = Uint8Array.from(cursor.bytes.subarray(start, cursor.offset));
  const txId = transactionId(raw);
  return { txId, raw, transaction: { txId, ...transaction } };
}

const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/**
 * The Merkle root of the transactions of a block. In a row of odd length the last node is paired with itself, even a single leaf.
 * @param txIds 0x hex
 * @returns 0x hex; that of 32 zero bytes for no transactions
 */
export function merkleRoot(txIds: readonly string[]): string {
  if (txIds.length === 0) return toHex(new Uint8Array(32));
  let row = txIds.map(txId => sha512_256(LEAF, hexBytes(txId)));
  do {
    const pairs = Math.ceil(row.length / 2);
    row = Array.from({ length: pairs }, (_, i) => {
      const left = row[2 * i] ?? new Uint8Array();
      return sha512_256(NODE, left, row[2 * i + 1] ?? left);
    });
  } while (row.length > 1);
  return toHex(row[0] ?? new Uint8Array());
}
