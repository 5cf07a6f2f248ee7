import { toHex } from '../../base/lib/hex.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import type { KnownBlockRow } from './known-blocks.ts';

/** A new block of the graph, with the burn view that the block itself names. */
export interface NewKnownBlock extends Omit<KnownBlock, 'arrival'> {
  readonly blockTime: number;
  readonly txCount: number;
  readonly parentMicroblock: readonly [hash: string, sequence: number] | null;
  readonly record: Uint8Array;
}

/** A kept block that must go: another block has its identifier, or the place that it claims. */
export interface Displaced {
  readonly journalSeq: number;
  readonly reason: string;
}

/** How the arrival of a block changes the graph. */
export type Arrival =
  | { readonly kind: 'known' }
  /** Its height or parent contradicts known blocks. */
  | { readonly kind: 'impossible'; readonly reason: string }
  | {
      readonly kind: 'kept';
      /** The blocks that this one connects, itself first; empty when it lacks ancestors. */
      readonly connected: readonly KnownBlock[];
      readonly displaced: readonly Displaced[];
      /** Whether its parent itself was never delivered, not only a more distant ancestor. */
      readonly lacksParent: boolean;
    };

/** Why the height or parent of a block is impossible; undefined while no known block contradicts it. */
export function impossible(
  block: NewKnownBlock,
  known: KnownBlockRow | undefined,
  parent: KnownBlockRow | undefined,
): string | undefined {
  if (block.indexBlockHash === block.parentIndexBlockHash) return 'a block cannot be its own parent';
  if (known?.connected === 1 && !isSamePlace(known, block))
    return `block ${block.indexBlockHash} is known, with height ${known.height} and parent ${toHex(known.parent_index_block_hash)}`;
  // The height of a waiting parent may be wrong.
  if (parent?.connected === 1 && parent.height !== block.height - 1) return wrongHeight(block, parent);
  return undefined;
}

/** Why a block cannot be above a parent. */
export const wrongHeight = ({ height }: { height: number }, parent: { height: number }): string =>
  `a block of height ${height} cannot stand on one of height ${parent.height}`;

export const isSamePlace = (row: KnownBlockRow, { height, parentIndexBlockHash }: NewKnownBlock): boolean =>
  row.height === height && toHex(row.parent_index_block_hash) === parentIndexBlockHash;
