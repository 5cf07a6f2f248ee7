import type { BlockFacts } from '../chain/block-facts.ts';
import type { UndoRecord } from './workspace.ts';

/**
 * The unit of applying and undoing: a block of the canonical chain, or a microblock on the tip that no block has accepted yet. Such a
 * microblock is undone before the next block is applied.
 */
export type Unit =
  | { readonly kind: 'block'; readonly block: BlockFacts /** Its row in known_blocks. */; readonly arrival: number }
  | { readonly kind: 'microblock'; readonly block: BlockFacts };

/** The newest unit, about to be undone. */
export interface UndoneUnit {
  /** Index block hash of the block, or hash of the microblock. */
  readonly hash: string;
  /** Previous state of everything that it changed. */
  readonly records: readonly UndoRecord[];
  /** Ids of transactions that the same move applies again, in another microblock. */
  readonly reapplied: ReadonlySet<string>;
  /** Ids of its transactions that are of the boot block. */
  readonly fromBootBlock: ReadonlySet<string>;
}
