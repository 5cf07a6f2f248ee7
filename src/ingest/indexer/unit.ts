import type { BlockFacts } from '../chain/block-facts.ts';
import type { UndoRecord } from './workspace.ts';

/**
 * What is applied to the index at once and taken back at once: a block of the canonical chain, or a microblock that stands
 * on the tip and that no block has accepted yet. The latter is taken back before the next block is applied.
 */
export type Unit =
  | { readonly kind: 'block'; readonly block: BlockFacts /** Its row in known_blocks. */; readonly arrival: number }
  | { readonly kind: 'microblock'; readonly block: BlockFacts };

/** The newest unit, about to be taken back. */
export interface UndoneUnit {
  /** Index block hash of the block, or hash of the microblock. */
  readonly hash: string;
  /** What everything that it touched was before. */
  readonly records: readonly UndoRecord[];
  /** Ids of transactions that the same move applies again, in another microblock. */
  readonly reapplied: ReadonlySet<string>;
  /** Ids of transactions that came into it with the boot block. */
  readonly fromBootBlock: ReadonlySet<string>;
}
