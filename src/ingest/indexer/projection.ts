import type { DatabaseTransaction, Table } from '../../base/store/database.ts';
import type { BlockFacts } from '../chain/block-facts.ts';
import type { Network } from '../chain/network.ts';
import type { NewBurnBlock } from '../node/events/bodies.ts';
import type { Hooks } from './hooks.ts';
import type { IndexState } from './index-state.ts';
import type { ListKind } from './tables.ts';
import type { Unit } from './unit.ts';
import type { Workspace } from './workspace.ts';

/** Writes what a projection derives from a unit. Asynchronous where it must look up more than the block contains. */
export type WriteUnit = (unit: Unit) => void | Promise<void>;

/** One database transaction of the indexer, as projections see it. */
export interface IndexTransaction {
  readonly network: Network;
  readonly workspace: Workspace;
  readonly tx: DatabaseTransaction;
  state: IndexState;
}

/**
 * What a resource keeps in the index. The list of projections (src/index/index-schema.ts) declares their order, in which they write units and
 * run the hooks of each moment. A projection comes after those whose data it needs.
 */
export interface Projection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  /** Tables whose rows undo does not change. */
  readonly keptTables: readonly Table[];
  readonly lists: readonly ListKind[];

  /**
   * What a unit of the canonical chain writes. It writes through the workspace only; then undo needs no code of its own.
   *
   * In two steps. `prepare` requests the rows that the block names, and returns the function that writes; undefined where the
   * block has nothing for this projection. The indexer prepares several blocks before it writes the first of them, so one round
   * trip to the database loads the rows of all. Only the second step may read state.
   */
  prepare?(block: BlockFacts, workspace: Workspace, network: Network): WriteUnit | undefined;

  /** Its hooks for one database transaction; called when that begins. The state of the hooks ends with it. */
  hooks?(transaction: IndexTransaction): Hooks;
}

/** As Projection, for facts that follow burn blocks only, never Stacks forks. */
export interface BurnProjection {
  readonly name: string;
  readonly stateTables: readonly Table[];
  readonly lists: readonly ListKind[];
  apply(burnBlock: NewBurnBlock, workspace: Workspace): Promise<void>;
}
