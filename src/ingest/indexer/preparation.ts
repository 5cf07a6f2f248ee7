import type { BlockFacts } from '../chain/block-facts.ts';
import type { Network } from '../chain/network.ts';
import type { Projection, WriteUnit } from './projection.ts';
import type { Workspace } from './workspace.ts';

/** A block whose rows are loaded, and the functions that write it. */
interface Prepared {
  /** Generation of the workspace: if rows have left its memory since, the block must be prepared again. */
  readonly generation: number;
  readonly writes: readonly WriteUnit[];
}

/**
 * Prepares blocks ahead: loads all rows that they need together, in one round trip to PostgreSQL instead of one for each block and
 * resource. It does not matter which of the blocks are applied, and when.
 */
export class Preparation {
  readonly #projections: readonly Projection[];
  readonly #workspace: Workspace;
  readonly #network: Network;
  readonly #prepared = new Map<BlockFacts, Prepared>();

  constructor(projections: readonly Projection[], workspace: Workspace, network: Network) {
    this.#projections = projections;
    this.#workspace = workspace;
    this.#network = network;
  }

  /** Prepares blocks that will probably be applied next, and drops those prepared before. */
  async ahead(blocks: readonly BlockFacts[]): Promise<void> {
    this.#prepared.clear();
    for (const block of blocks) this.#prepared.set(block, this.#prepare(block));
    await this.#workspace.loaded();
  }

  /** The functions that write this block. */
  async writesOf(block: BlockFacts): Promise<readonly WriteUnit[]> {
    const ahead = this.#prepared.get(block);
    if (ahead?.generation === this.#workspace.generation) return ahead.writes;
    const { writes } = this.#prepare(block);
    await this.#workspace.loaded();
    return writes;
  }

  #prepare(block: BlockFacts): Prepared {
    const { generation } = this.#workspace;
    const writes: WriteUnit[] = [];
    for (const projection of this.#projections) {
      const write = projection.prepare?.(block, this.#workspace, this.#network);
      if (write) writes.push(write);
    }
    return { generation, writes };
  }
}
