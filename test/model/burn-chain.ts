import type { BurnBlock, Payload } from './world.ts';

/** Every burn block that was announced, and which of them are canonical. */
export interface BurnChain {
  readonly known: readonly BurnBlock[];
  /** Ascending by height. */
  readonly canonical: readonly BurnBlock[];
}

export const NO_BURN_BLOCKS: BurnChain = { known: [], canonical: [] };

/**
 * The burn chain after one more announcement (docs/spec/ingestion.md#burn-chain): a burn block that is known changes nothing. A
 * new one brings its known ancestors with it, as far as they name their parents, and displaces what is at the height of the
 * lowest of them and above: but for the canonical block that names it as its parent, and what stands on that.
 */
export function announced({ known, canonical }: BurnChain, payload: Payload): BurnChain {
  const hash: string = payload.burn_block_hash;
  if (known.some(block => block.hash === hash)) return { known, canonical };
  const block = { payload, hash, height: payload.burn_block_height, arrival: known.length };
  const branch: BurnBlock[] = [];
  for (let next: BurnBlock | undefined = block; next && !canonical.includes(next); ) {
    const parent: string | undefined = next.payload.parent_burn_block_hash;
    branch.unshift(next);
    next = known.find(candidate => candidate.hash === parent);
  }
  const lowest = branch[0] ?? block;
  const below = canonical.filter(({ height }) => height < lowest.height);
  const child = canonical.findIndex(({ payload: { parent_burn_block_hash } }) => parent_burn_block_hash === hash);
  const above = child < 0 ? [] : canonical.slice(child);
  return { known: [...known, block], canonical: [...below, ...branch, ...above] };
}
