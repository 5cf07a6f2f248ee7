import type { BlockFacts } from '../chain/block-facts.ts';
import type { Network } from '../chain/network.ts';
import type { Projection, WriteUnit } from './projection.ts';
import type { Workspace } from './workspace.ts';

/** A block whose rows were loaded, and what writes it. */
interface Prepared {
  /** Of the workspace: when rows have left its memory since, the block must be prepared again. */
  readonly generation: number;
  readonly writes: readonly WriteUnit[];
}

/**
 * Blocks prepared ahead: all that they name is loaded together, so that PostgreSQL is waited for once and not once for each
 * block and resource. Which of them are applied, and when, does not matter.
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

  /** Prepares blocks that are likely to be applied next, in place of those that were prepared before. */
  async ahead(blocks: readonly BlockFacts[]): Promise<void> {
    this.#prepared.clear();
    for (const block of blocks) this.#prepared.set(block, this.#prepare(block));
    await this.#workspace.loaded();
  }

  /** What writes this block. */
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
