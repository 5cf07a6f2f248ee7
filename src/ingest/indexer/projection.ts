import type { Table, Transaction } from '../../base/store/database.ts';
import type { BlockFacts } from '../chain/block-facts.ts';
import type { Network } from '../chain/network.ts';
import type { NewBurnBlock } from '../node/events/burn-block.ts';
import type { Hooks } from './hooks.ts';
import type { IndexState } from './index-state.ts';
import type { ListKind } from './tables.ts';
import type { Unit } from './unit.ts';
import type { Workspace } from './workspace.ts';

/** Writes what a projection makes of a unit. Asynchronous where it has to look up more than the block alone tells. */
export type WriteUnit = (unit: Unit) => void | Promise<void>;

/** One database transaction of the indexer, as projections see it. */
export interface IndexTransaction {
  readonly network: Network;
  readonly workspace: Workspace;
  readonly tx: Transaction;
  state: IndexState;
}

/**
 * What a resource keeps in the index. The list of projections (src/index/index-schema.ts) declares their order: units are written in it, and
 * so run the hooks of each moment. What a projection needs of another one stands before it in the list.
 */
export interface Projection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  /** Tables of rows that no undo takes back. */
  readonly keptTables: readonly Table[];
  readonly lists: readonly ListKind[];

  /**
   * What a unit of the canonical chain writes. It writes through the workspace only; then undo needs no code of its own.
   *
   * In two steps. `prepare` asks for the rows that the block names, and gives the function that writes; undefined where the block has nothing for
   * it. Blocks are prepared several at a time, before the first of them is written, so that all that they ask for comes from the database
   * together, and is waited for once: only the second step may ask what the state is.
   */
  prepare?(block: BlockFacts, workspace: Workspace, network: Network): WriteUnit | undefined;

  /** What it does besides, in one database transaction: called as that begins. What the hooks remember ends with it. */
  hooks?(transaction: IndexTransaction): Hooks;
}

/** As Projection, for facts that follow burn blocks only, never Stacks forks. */
export interface BurnProjection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  readonly lists: readonly ListKind[];
  apply(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void>;
}
