/**
 * Which burn (Bitcoin) blocks are canonical. The node announces each burn block it processes, in order; a fork shows only
 * by a new block that does not stand on the tip (docs/spec/ingestion.md#burn-chain). A block that is known already changes nothing.
 */

export interface KnownBurnBlock {
  readonly hash: string;
  readonly height: number;
  /** Given by nodes from 3.1 on, else null. */
  readonly parentHash: string | null;
  readonly journalSeq: number;
}

/** What the rule asks about the burn blocks that are known. */
export interface BurnGraph {
  block(hash: string): Promise<KnownBurnBlock | undefined>;
  isCanonical(hash: string): Promise<boolean>;
  /** Canonical blocks of this height and above, the highest first. */
  canonicalFrom(height: number): Promise<readonly KnownBurnBlock[]>;
}

/** Burn blocks to take back, from the tip downwards, and those to apply after that, upwards. */
export interface BurnPlan {
  readonly undo: readonly KnownBurnBlock[];
  readonly apply: readonly KnownBurnBlock[];
}

/** What the arrival of a burn block that was not known before means. */
export async function planBurnBlock(graph: BurnGraph, block: KnownBurnBlock): Promise<BurnPlan> {
  const branch = await branchBelow(graph, block);
  const lowest = branch[0] ?? block;
  const undo = await graph.canonicalFrom(lowest.height);
  // A block that the canonical chain was missing: what stood on it stays.
  const standsOnIt = undo.some(above => above.parentHash === block.hash);
  return {
    undo,
    apply: [...branch, block, ...(standsOnIt ? undo.filter(above => above.height > block.height).reverse() : [])],
  };
}

/** Known ancestors of the block that are not canonical, upwards: a branch that lost before and now wins. */
async function branchBelow(graph: BurnGraph, block: KnownBurnBlock): Promise<KnownBurnBlock[]> {
  const branch: KnownBurnBlock[] = [];
  let hash = block.parentHash;
  while (hash !== null && !(await graph.isCanonical(hash))) {
    const ancestor = await graph.block(hash);
    if (!ancestor || ancestor.height >= (branch.at(-1) ?? block).height) break;
    branch.push(ancestor);
    hash = ancestor.parentHash;
  }
  return branch.reverse();
}
