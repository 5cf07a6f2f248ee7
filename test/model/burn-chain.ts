import type { BurnBlock, Payload } from './world.ts';

/** Every burn block that was announced, and which of them are canonical. */
export interface BurnChain {
  readonly known: readonly BurnBlock[];
  /** Ascending by height. */
  readonly canonical: readonly BurnBlock[];
}

export const NO_BURN_BLOCKS: BurnChain = { known: [], canonical: [] };

/** A branch may take back so many blocks whatever its length. */
const DEPTH = 100;

/**
 * The burn chain after one more announcement (docs/spec/ingestion.md#burn-chain): a burn block that is known changes nothing, and so does
 * one that cannot be where it says. A new one brings its known ancestors with it, as far as they name their parents, and displaces what is
 * at the height of the lowest of them and above: but for the canonical block that names it as its parent, and what stands on that; and but
 * for all above it where it comes into a gap.
 * A branch that would displace very much is only known until it is longer than that.
 */
export function announced({ known, canonical }: BurnChain, payload: Payload): BurnChain {
  const hash: string = payload.burn_block_hash;
  if (known.some(block => block.hash === hash)) return { known, canonical };
  const block = { payload, hash, height: payload.burn_block_height, arrival: known.length };
  const parent = known.find(candidate => candidate.hash === payload.parent_burn_block_hash);
  if (parent && parent.height !== block.height - 1) return { known, canonical };
  const branch: BurnBlock[] = [];
  for (let next: BurnBlock | undefined = block; next && !canonical.includes(next); ) {
    const below: string | undefined = next.payload.parent_burn_block_hash;
    branch.unshift(next);
    next = known.find(candidate => candidate.hash === below);
  }
  const lowest = branch[0] ?? block;
  const kept = canonical.filter(({ height }) => height < lowest.height);
  const child = canonical.findIndex(({ payload: { parent_burn_block_hash } }) => parent_burn_block_hash === hash);
  const next = canonical.findIndex(({ height }) => height >= block.height);
  const isInGap = branch.length === 1 && payload.parent_burn_block_hash && leavesRoom(known, canonical[next], block);
  const above = child >= 0 ? canonical.slice(child) : isInGap ? canonical.slice(next) : [];
  const displaced = canonical.length - kept.length - above.length;
  const isNamed = parent !== undefined || child >= 0;
  const isBelowAll = canonical.every(({ height }) => height > block.height) && canonical.length > 0;
  if (!isNamed && (isBelowAll || displaced > DEPTH)) return { known, canonical };
  if (displaced > DEPTH && branch.length <= displaced) return { known: [...known, block], canonical };
  return { known: [...known, block], canonical: [...kept, ...branch, ...above] };
}

/** A block above, whose parent was not announced: others may be between it and this one. */
function leavesRoom(known: readonly BurnBlock[], above: BurnBlock | undefined, { height }: BurnBlock): boolean {
  const parent: string | null | undefined = above?.payload.parent_burn_block_hash;
  return above !== undefined && !!parent && above.height > height + 1 && !known.some(({ hash }) => hash === parent);
}
