import type { BlockFacts } from '../chain/block-facts.ts';
import type { Network } from '../chain/network.ts';
import type { NewBurnBlock } from '../node/events/burn-block.ts';
import type { Table } from '../store/database.ts';
import type { ListKind } from './tables.ts';
import type { Workspace } from './workspace.ts';

/**
 * What is applied to the index at once and taken back at once: a block of the canonical chain, or a microblock that stands
 * on the tip and that no block has accepted yet. The latter is taken back before the next block is applied.
 */
export type Unit =
  | { readonly kind: 'block'; readonly block: BlockFacts /** Its row in known_blocks. */; readonly arrival: number }
  | { readonly kind: 'microblock'; readonly block: BlockFacts };

/** Writes what a projection makes of a unit. Asynchronous where it has to look up more than the block alone tells. */
export type WriteUnit = (unit: Unit) => void | Promise<void>;

/**
 * What a resource writes for each unit. It writes through the workspace only; then undo needs no code of its own.
 *
 * In two steps. `prepare` loads what the block names and gives the function that writes. Blocks are prepared several at a time, before
 * the first of them is written, so that all their loads go to the database together: only the second step may ask what the state is.
 */
export interface Projection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  /** Tables of rows that no undo takes back. */
  readonly keptTables: readonly Table[];
  readonly lists: readonly ListKind[];
  prepare(block: BlockFacts, workspace: Workspace, network: Network): Promise<WriteUnit>;
}

/** As Projection, for facts that follow burn blocks only, never Stacks forks. */
export interface BurnProjection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  readonly lists: readonly ListKind[];
  apply(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void>;
}
