/**
 * Which burn (Bitcoin) blocks are canonical. The node announces each burn block it processes, in order; it reveals a fork only by
 * a new block whose parent is not the tip (docs/spec/ingestion.md#burn-chain). A block that is known already changes nothing.
 */

export interface KnownBurnBlock {
  readonly hash: string;
  readonly height: number;
  /** Sent by nodes from 3.1 on, else null. */
  readonly parentHash: string | null;
  /** 0x hex of 20 bytes; sent by nodes from 3.1 on, else null. */
  readonly consensusHash: string | null;
  readonly journalSeq: number;
}

/** Queries of the rule about known burn blocks. */
export interface BurnGraph {
  block(hash: string): Promise<KnownBurnBlock | undefined>;
  isCanonical(hash: string): Promise<boolean>;
  /** Canonical blocks of this height and above, the highest first. */
  canonicalFrom(height: number): Promise<readonly KnownBurnBlock[]>;
  /** The lowest height with a canonical block; undefined while there are no blocks. */
  firstHeight(): Promise<number | undefined>;
}

/** Burn blocks to take back, from the tip downwards, and those to apply after that, upwards. */
export interface BurnPlan {
  readonly undo: readonly KnownBurnBlock[];
  readonly apply: readonly KnownBurnBlock[];
}

/** Bitcoin has never been reorganized as deeply as this. */
export const DEFAULT_BURN_FORK_DEPTH = 100;

/** What follows from the arrival of a new burn block. */
type BurnArrival =
  | { readonly kind: 'apply'; readonly plan: BurnPlan }
  /** Its branch may win once it is longer. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** Its height or parent contradicts known blocks. */
  | { readonly kind: 'impossible'; readonly reason: string };

/**
 * Decides what a new burn block changes.
 * @param maxDepth canonical blocks that a branch of any length may take back; a branch that takes back more must be longer than the
 *   part that it replaces
 */
export async function planBurnBlock(graph: BurnGraph, block: KnownBurnBlock, maxDepth: number): Promise<BurnArrival> {
  const parent = block.parentHash === null ? undefined : await graph.block(block.parentHash);
  if (parent && parent.height !== block.height - 1)
    return impossible(`a burn block of height ${block.height} cannot stand on one of height ${parent.height}`);
  const branch = await branchBelow(graph, block);
  const lowest = branch[0] ?? block;
  const undo = await graph.canonicalFrom(lowest.height);
  // The canonical chain lacked this block: the blocks above it stay.
  const standsOnIt = undo.some(above => above.parentHash === block.hash);
  const wasMissing = standsOnIt || (branch.length === 0 && (await isInGap(graph, block, undo)));
  const above = wasMissing ? undo.filter(({ height }) => height > block.height).reverse() : [];
  const apply = [...branch, block, ...above];
  const takenBack = undo.length - above.length;
  if (!parent && !standsOnIt) {
    const first = await graph.firstHeight();
    if (first !== undefined && block.height < first)
      return impossible(`a burn block of height ${block.height} is below the first one known, of height ${first}`);
    if (takenBack > maxDepth)
      return impossible(
        `a burn block of height ${block.height} takes ${takenBack} blocks back, and its parent is not known`,
      );
  }
  if (takenBack > maxDepth && branch.length + 1 <= takenBack)
    return { kind: 'wait', reason: `its branch has ${branch.length + 1} blocks and would take ${takenBack} back` };
  return { kind: 'apply', plan: { undo, apply } };
}

/**
 * Whether the canonical chain misses blocks at this height: those between two of its blocks, where the higher one names a parent
 * that the node has not announced. Several of them may come late, one after the other.
 * @param from canonical blocks of the height of the block and above, the highest first
 */
async function isInGap(graph: BurnGraph, block: KnownBurnBlock, from: readonly KnownBurnBlock[]): Promise<boolean> {
  const next = from.at(-1);
  if (block.parentHash === null || !next?.parentHash || next.height <= block.height + 1) return false;
  return (await graph.block(next.parentHash)) === undefined;
}

const impossible = (reason: string): BurnArrival => ({ kind: 'impossible', reason });

/** Known ancestors of the block that are not canonical, the lowest first: a branch that lost before and wins now. */
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
