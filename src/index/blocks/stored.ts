/** Packs and reads the stored columns about blocks, their signatures, and the rows of `facts` (chain-facts.ts). Other files must not parse them. */
import { toHex } from '../../base/lib/hex.ts';
import type { ExecutionCost } from '../../ingest/node/events/transaction.ts';
import type { BurnTimes, NewestBurnBlock } from './chain-facts.ts';
import { HASH_BYTES, type PackedNumbers } from './record.ts';

/** The fields of a block that only its packed record holds. Hashes 0x hex. */
interface StoredBlock {
  readonly parentBlockHash: string;
  readonly minerTxId: string;
  readonly tenureHeight: number;
  readonly burnBlockTime: number;
  readonly cost: ExecutionCost;
}

/** The fields of a column `record` of known_blocks, the inverse of packBlockRecord. */
export function readStoredBlock(record: Uint8Array): StoredBlock {
  const packed = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  const [tenureHeight, burnBlockTime, ...cost] = JSON.parse(packed.toString('latin1', 2 * HASH_BYTES)) as PackedNumbers;
  const [read_count, read_length, runtime, write_count, write_length] = cost;
  return {
    parentBlockHash: toHex(packed.subarray(0, HASH_BYTES)),
    minerTxId: toHex(packed.subarray(HASH_BYTES, 2 * HASH_BYTES)),
    tenureHeight,
    burnBlockTime,
    cost: { read_count, read_length, runtime, write_count, write_length },
  };
}

/** Bytes of a signature. */
const SIGNATURE_BYTES = 65;

/** Packs the signatures of a block's signers: one after the other, in the order of the node. @param signatures hex */
export const packSignatures = (signatures: readonly string[]): Uint8Array | null =>
  signatures.length === 0 ? null : Buffer.from(signatures.join(''), 'hex');

/** The signatures that packSignatures packed, as 0x hex. */
export const readSignatures = (packed: Uint8Array | null): string[] =>
  packed === null
    ? []
    : Array.from({ length: packed.length / SIGNATURE_BYTES }, (_, i) =>
        toHex(packed.subarray(i * SIGNATURE_BYTES, (i + 1) * SIGNATURE_BYTES)),
      );

/** A microblock that a block accepted. */
export interface AcceptedMicroblock {
  readonly hash: string;
  readonly transactions: number;
}

/** The microblocks of a column `microblocks` of `blocks`. */
export function readAcceptedMicroblocks(text: string | null): AcceptedMicroblock[] {
  const packed = text === null ? [] : (JSON.parse(text) as [hash: string, transactions: number][]);
  return packed.map(([hash, transactions]) => ({ hash, transactions }));
}

/** The last microblock that a block extends, from a column `parent_microblock` of known_blocks; no hash and -1 without. */
export function readParentMicroblock(text: string | null): { readonly hash: string; readonly sequence: number } {
  const [hash, sequence] = text === null ? ['', -1] : (JSON.parse(text) as [string, number]);
  return { hash, sequence };
}

/** A row of `facts`, if the fact is known. */
type FactRow = { readonly value: string } | null | undefined;

/** A microblock on the tip that no block has accepted yet. */
export interface UnanchoredMicroblock {
  readonly hash: string;
  readonly sequence: number;
  readonly transactions: number;
}

type PackedMicroblock = readonly [hash: string, sequence: number, transactions: number];

/** The value of the fact UNANCHORED. */
export const packUnanchored = (microblocks: readonly UnanchoredMicroblock[]): string =>
  JSON.stringify(microblocks.map((m): PackedMicroblock => [m.hash, m.sequence, m.transactions]));

/** The fact UNANCHORED. */
export function readUnanchored(row: FactRow): UnanchoredMicroblock[] {
  const packed = row ? (JSON.parse(row.value) as PackedMicroblock[]) : [];
  return packed.map(([hash, sequence, transactions]) => ({ hash, sequence, transactions }));
}

/** Burn heights at which the locks of PoX 1 to 4 end by force; null while unknown. */
export type UnlockHeights = readonly (number | null)[];

/** Unlock heights, and the height at which they became known. */
type UnlockHeightsSince = readonly [height: number, heights: UnlockHeights];

/** Most changes of unlock heights that are kept, the newest ones. Nodes change them once or twice; the bound is for a chain that changes them in each block. */
const MOST_CHANGES = 16;

/** The fact POX_UNLOCK_HEIGHTS as of a block; undefined before its first one. @param height that of the block; by default that of the tip */
export function readUnlockHeights(row: FactRow, height = Number.POSITIVE_INFINITY): UnlockHeights | undefined {
  const changes = row ? (JSON.parse(row.value) as UnlockHeightsSince[]) : [];
  return changes.findLast(([since]) => since <= height)?.[1];
}

/**
 * The value of the fact after a block; undefined if the block changes nothing. The last known value wins; 0 means unknown
 * (docs/spec/ingestion.md#block-messages). @param given by the block
 */
export function unlockHeightsAfter(row: FactRow, height: number, given: UnlockHeights): string | undefined {
  const before = readUnlockHeights(row) ?? [null, null, null, null];
  const after = before.map((known, i) => given[i] || known);
  if (after.every((known, i) => known === before[i])) return undefined;
  const changes = row ? (JSON.parse(row.value) as UnlockHeightsSince[]) : [];
  return JSON.stringify([...changes, [height, after]].slice(-MOST_CHANGES));
}

/** The fact BURN_TIMES; undefined before its first block. */
export function readBurnTimes(
  row: FactRow,
): { readonly highest: number; readonly greatestLateness: number } | undefined {
  if (!row) return undefined;
  const [highest, greatestLateness] = JSON.parse(row.value) as BurnTimes;
  return { highest, greatestLateness };
}

/** The fact NEWEST_BURN_BLOCK; no hash and -1 before its first block. */
export function readNewestBurnBlock(row: FactRow): { readonly hash: string; readonly number: number } {
  const [hash, number] = row ? (JSON.parse(row.value) as NewestBurnBlock) : (['', -1] as const);
  return { hash, number };
}
