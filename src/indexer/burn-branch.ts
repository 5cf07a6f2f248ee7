import type { KnownBurnBlock } from '../chain/burn-chain.ts';
import type { BurnBranch, KnownBlock } from '../chain/fork-choice.ts';
import type { SqlBlockGraph } from './block-graph.ts';
import type { BurnBlockGraph } from './burn-graph.ts';

/** Burn blocks of a branch that are not canonical, from the top, and the canonical height that they stand on. */
interface Lost {
  readonly burnBlocks: readonly KnownBurnBlock[];
  readonly forkHeight: number;
}

const NOTHING_LOST: Lost = { burnBlocks: [], forkHeight: Number.MAX_SAFE_INTEGER };

/** A branch of the burn chain, and the tips remembered on it, in the database. */
export class SqlBurnBranch implements BurnBranch {
  readonly #blocks: SqlBlockGraph;
  readonly #burn: BurnBlockGraph;
  readonly #soundHeight: number;
  readonly #lost: Lost;

  private constructor(blocks: SqlBlockGraph, burn: BurnBlockGraph, soundHeight: number, lost: Lost) {
    this.#blocks = blocks;
    this.#burn = burn;
    this.#soundHeight = soundHeight;
    this.#lost = lost;
  }

  /** The canonical burn chain. @param soundHeight up to which height the canonical Stacks chain is known to be viable */
  static canonical(blocks: SqlBlockGraph, burn: BurnBlockGraph, soundHeight: number): SqlBurnBranch {
    return new SqlBurnBranch(blocks, burn, soundHeight, NOTHING_LOST);
  }

  /** The canonical burn chain if this burn block is on it, else the branch that ends with it. */
  static async through(
    blocks: SqlBlockGraph,
    burn: BurnBlockGraph,
    soundHeight: number,
    top: KnownBurnBlock,
  ): Promise<SqlBurnBranch> {
    return new SqlBurnBranch(blocks, burn, soundHeight, await lostBelow(burn, top));
  }

  async includes(burnBlockHash: string): Promise<boolean> {
    const block = await this.#burn.block(burnBlockHash);
    if (!block || this.#lost.burnBlocks.some(({ hash }) => hash === burnBlockHash)) return true;
    return block.height <= this.#lost.forkHeight && this.#burn.isCanonical(burnBlockHash);
  }

  async *rememberedTips(): AsyncIterable<KnownBlock> {
    for (const { hash } of this.#lost.burnBlocks) {
      const tip = await this.#blocks.rememberedAt(hash);
      if (tip) yield tip;
    }
    yield* this.#blocks.rememberedUpTo(this.#lost.forkHeight);
  }

  async isSound(block: KnownBlock): Promise<boolean> {
    if (block.height > this.#soundHeight || !(await this.#blocks.isCanonical(block))) return false;
    const view = await this.#blocks.burnViewOf(block);
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
