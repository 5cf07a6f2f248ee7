import { signAsync } from '@noble/secp256k1';
import { sha } from './transaction-builder.ts';
import { bytes, filled, u32, u64 } from './wire-transaction.ts';

/** What a block of epoch 3 is made of, before it has a hash. Hashes are 0x hex. */
export interface UnsealedBlock {
  readonly version?: number;
  readonly height: number;
  readonly consensusHash: string;
  readonly parentBlockId: string;
  /** Unix seconds. */
  readonly time: number;
  /** u16 number of bits, u32 number of bytes, the bytes: hex without 0x. */
  readonly poxTreatment: string;
  readonly transactions: readonly Uint8Array[];
  /** Secret keys; each signs. */
  readonly signers: readonly Uint8Array[];
  /** Positions of transactions that nodes skip. */
  readonly skipped?: readonly number[];
}

export interface SealedBlock {
  readonly raw: Uint8Array;
  readonly blockHash: string;
  readonly blockId: string;
  readonly txMerkleRoot: string;
  readonly stateIndexRoot: string;
  readonly minerSignature: string;
  /** Hex without 0x. */
  readonly signerSignatures: readonly string[];
}

const unhex = (hex: string): Uint8Array => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const MINER = filled(32, 0x4d);

/** The hash tree of transactions, written down as in SIP-005, without the code of the program. */
export function treeRoot(txIds: readonly string[]): string {
  const rowAbove = (row: readonly string[]): readonly string[] => {
    const even = row.length % 2 === 0 ? row : [...row, row.at(-1) ?? ''];
    return even.flatMap((left, i) => (i % 2 === 0 ? [sha(bytes(1), unhex(left), unhex(even[i + 1] ?? ''))] : []));
  };
  let row = rowAbove(txIds.map(id => sha(bytes(0), unhex(id))));
  while (row.length > 1) row = rowAbove(row);
  return row[0] ?? '';
}

/** Writes the bytes of a block, with its Merkle root and the signatures of its miner and its signers. */
export async function seal(block: UnsealedBlock): Promise<SealedBlock> {
  const { version = 0, height, consensusHash, parentBlockId, time, poxTreatment, transactions, signers } = block;
  const txMerkleRoot = treeRoot(transactions.map(raw => sha(raw)));
  const stateIndexRoot = sha(unhex(txMerkleRoot), u64(height));
  const markers = block.skipped ?? [];
  const start = bytes(
    ...[version, u64(height), u64(1_000), unhex(consensusHash), unhex(parentBlockId), unhex(txMerkleRoot)],
    ...[unhex(stateIndexRoot), u64(time)],
  );
  const end = bytes(
    unhex(poxTreatment),
    ...(version > 0 ? [u32(markers.length), ...markers.flatMap(at => [u32(at), 2])] : []),
  );
  const miner = await signed(sha(start, end), MINER);
  const blockHash = sha(start, miner, end);
  const signatures = await Promise.all(signers.map(key => signed(blockHash, key)));
  return {
    raw: bytes(start, miner, u32(signers.length), ...signatures, end, u32(transactions.length), ...transactions),
    blockHash,
    blockId: sha(unhex(blockHash), unhex(consensusHash)),
    ...{ txMerkleRoot, stateIndexRoot },
    minerSignature: `0x${Buffer.from(miner).toString('hex')}`,
    signerSignatures: signatures.map(signature => Buffer.from(signature).toString('hex')),
  };
}

/** 65 bytes, recovery id first. */
const signed = (hash: string, key: Uint8Array): Promise<Uint8Array> =>
  signAsync(unhex(hash), key, { prehash: false, format: 'recovered' });
