import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import type { BurnBranch, KnownBlock } from '../chain/fork-choice.ts';
import type { SqlBlockGraph } from './block-graph.ts';
import type { BurnBlockGraph } from './burn-graph.ts';
import type { RememberedTips } from './remembered-tips.ts';

/** Non-canonical burn blocks of a branch, from the top, and the canonical height below them. */
interface Lost {
  readonly burnBlocks: readonly KnownBurnBlock[];
  readonly forkHeight: number;
}

const NOTHING_LOST: Lost = { burnBlocks: [], forkHeight: Number.MAX_SAFE_INTEGER };

/** The graphs that a branch reads. */
interface Graphs {
  readonly blocks: SqlBlockGraph;
  readonly tips: RememberedTips;
  readonly burnBlocks: BurnBlockGraph;
}

/** A branch of the burn chain, and the tips remembered on it, in the database. */
export class SqlBurnBranch implements BurnBranch {
  readonly #graphs: Graphs;
  readonly #soundHeight: number;
  readonly #lost: Lost;

  private constructor(graphs: Graphs, soundHeight: number, lost: Lost) {
    this.#graphs = graphs;
    this.#soundHeight = soundHeight;
    this.#lost = lost;
  }

  /** The canonical burn chain. @param soundHeight up to which height the canonical Stacks chain is known to be viable */
  static canonical(graphs: Graphs, soundHeight: number): SqlBurnBranch {
    return new SqlBurnBranch(graphs, soundHeight, NOTHING_LOST);
  }

  /** The canonical burn chain if this burn block is on it, else the branch that ends with it. */
  static async through(graphs: Graphs, soundHeight: number, top: KnownBurnBlock): Promise<SqlBurnBranch> {
    return new SqlBurnBranch(graphs, soundHeight, await lostBelow(graphs.burnBlocks, top));
  }

  async includes(burnBlockHash: string): Promise<boolean> {
    const block = await this.#graphs.burnBlocks.block(burnBlockHash);
    if (!block || this.#lost.burnBlocks.some(({ hash }) => hash === burnBlockHash)) return true;
    return block.height <= this.#lost.forkHeight && this.#graphs.burnBlocks.isCanonical(burnBlockHash);
  }

  async *rememberedTips(): AsyncIterable<KnownBlock> {
    await this.#graphs.blocks.write();
    for (const { hash } of this.#lost.burnBlocks) {
      const tip = await this.#graphs.tips.at(hash);
      if (tip) yield tip;
    }
    yield* this.#graphs.tips.upTo(this.#lost.forkHeight);
  }

  async isSound(block: KnownBlock): Promise<boolean> {
    if (block.height > this.#soundHeight || !(await this.#graphs.blocks.isCanonical(block))) return false;
    const view = await this.#graphs.blocks.burnViewOf(block);
    return (view?.height ?? block.burnBlockHeight) <= this.#lost.forkHeight;
  }
}

async function lostBelow(burn: BurnBlockGraph, top: KnownBurnBlock): Promise<Lost> {
  if (await burn.isCanonical(top.hash)) return NOTHING_LOST;
  const burnBlocks = [top];
  for (let lowest = top; ; burnBlocks.push(lowest)) {
    const parent = lowest.parentHash === null ? undefined : await burn.block(lowest.parentHash);
    if (!parent || parent.height >= lowest.height) return { burnBlocks, forkHeight: lowest.height - 1 };
    if (await burn.isCanonical(parent.hash)) return { burnBlocks, forkHeight: parent.height };
    lowest = parent;
  }
}
