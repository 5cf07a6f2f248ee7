import type { BurnChain } from './burn-chain.ts';
import type { Block, BurnBlock } from './world.ts';

/** What fork choice keeps from one delivery to the next. */
export interface Choice {
  /** Blocks that have had their turn, in this order: their ancestors and their burn view are known. */
  readonly processed: readonly Block[];
  /** The tip that a burn block remembers, by its hash. */
  readonly remembered: ReadonlyMap<string, Block>;
  /** The canonical chain, ascending from height 1. */
  readonly chain: readonly Block[];
}

export const NOTHING_CHOSEN: Choice = { processed: [], remembered: new Map(), chain: [] };

/**
 * What is canonical once these blocks and burn blocks are known (docs/spec/fork-choice.md): every block whose turn has come is
 * remembered at its burn view if it replaces the tip of the branch of that burn view; the tip is what the highest canonical burn
 * block remembers, or a higher block whose burn view is not known.
 */
export function choose(before: Choice, blocks: readonly Block[], burnChain: BurnChain): Choice {
  const history = new History(blocks, burnChain);
  const ready = blocks.filter(block => history.viewOf(block) && !before.processed.includes(block));
  const processed = [...before.processed];
  const remembered = new Map(before.remembered);
  for (const block of ready.sort((a, b) => a.height - b.height || a.arrival - b.arrival)) {
    processed.push(block);
    const view = history.viewOf(block);
    if (!view) continue;
    const branch = history.branchOf(view);
    const tip = history.rememberedTip(branch, remembered);
    if (history.isViable(block, branch) && (!tip || isBetter(block, tip))) remembered.set(view.hash, block);
  }
  return { processed, remembered, chain: history.ancestry(history.tip(remembered)) ?? [] };
}

const isBetter = (block: Block, tip: Block): boolean =>
  block.height > tip.height || (block.height === tip.height && block.burnHeight > tip.burnHeight);

type Branch = readonly BurnBlock[];

/** The consensus hash that the last tenure change of the block names. */
function viewNamedBy({ txs }: Block): string | undefined {
  for (const { decoded } of txs.toReversed())
    if (decoded.payload.kind === 'tenure_change') return decoded.payload.burnViewConsensusHash;
  return undefined;
}

class History {
  readonly #blocks: readonly Block[];
  readonly #burnChain: BurnChain;
  readonly #byId: ReadonlyMap<string, Block>;
  readonly #ancestries = new Map<Block, readonly Block[] | undefined>();
  readonly #views = new Map<Block, BurnBlock | undefined>();

  constructor(blocks: readonly Block[], burnChain: BurnChain) {
    this.#blocks = blocks;
    this.#burnChain = burnChain;
    this.#byId = new Map(blocks.map(block => [block.indexHash, block]));
  }

  /** A block with all its ancestors from height 1; undefined where one is missing. Only above height 1 is a parent needed. */
  ancestry(tip: Block | undefined): readonly Block[] | undefined {
    if (!tip) return undefined;
    if (!this.#ancestries.has(tip)) this.#ancestries.set(tip, this.#path(tip));
    return this.#ancestries.get(tip);
  }

  #path(tip: Block): readonly Block[] | undefined {
    if (tip.height === 1) return [tip];
    const parent = this.#byId.get(tip.parentIndexHash);
    const below = parent?.height === tip.height - 1 && tip.height > 1 ? this.ancestry(parent) : undefined;
    return below && [...below, tip];
  }

  /** The burn block that the newest tenure change at or below the block names; undefined where that is not known. */
  viewOf(block: Block): BurnBlock | undefined {
    if (!this.#views.has(block)) this.#views.set(block, this.#newestView(this.ancestry(block) ?? []));
    return this.#views.get(block);
  }

  #newestView(path: readonly Block[]): BurnBlock | undefined {
    const named = path.findLast(block => viewNamedBy(block) !== undefined);
    const hash = named && viewNamedBy(named);
    return hash === undefined
      ? undefined
      : this.#burnChain.known.find(({ payload }) => payload.consensus_hash === hash);
  }

  /** The canonical burn chain if the burn block is on it, else the one that ends there. */
  branchOf(view: BurnBlock): Branch {
    const { canonical, known } = this.#burnChain;
    if (canonical.includes(view)) return canonical;
    const branch = [view];
    for (;;) {
      const lowest = branch[0] ?? view;
      const parent = known.find(({ hash }) => hash === lowest.payload.parent_burn_block_hash);
      if (!parent) return [...canonical.filter(({ height }) => height < lowest.height), ...branch];
      if (canonical.includes(parent)) return [...canonical.slice(0, canonical.indexOf(parent) + 1), ...branch];
      branch.unshift(parent);
    }
  }

  isViable(block: Block, branch: Branch): boolean {
    const lost = new Set(this.#burnChain.known.map(({ hash }) => hash));
    for (const { hash } of branch) lost.delete(hash);
    const isLost = (ancestor: Block): boolean =>
      lost.has(ancestor.burnHash) || lost.has(this.viewOf(ancestor)?.hash ?? '');
    return this.ancestry(block)?.every(ancestor => !isLost(ancestor)) ?? false;
  }

  rememberedTip(branch: Branch, remembered: Choice['remembered']): Block | undefined {
    const tips = branch.toReversed().flatMap(({ hash }) => remembered.get(hash) ?? []);
    return tips.find(tip => this.isViable(tip, branch));
  }

  tip(remembered: Choice['remembered']): Block | undefined {
    const { canonical } = this.#burnChain;
    const others = this.#blocks.filter(block => !this.viewOf(block) && this.isViable(block, canonical));
    const [other] = others.sort((a, b) => b.height - a.height || a.arrival - b.arrival);
    const tip = this.rememberedTip(canonical, remembered);
    if (!tip || !other) return tip ?? other;
    return other.height > tip.height || (other.height === tip.height && other.arrival < tip.arrival) ? other : tip;
  }
}
