import type { BurnChain } from './burn-chain.ts';
import type { Block } from './world.ts';

/**
 * The canonical chain, ascending from height 1 (docs/spec/ingestion.md#canonical-chain): the burn chain decides first, then
 * height. A block is viable while its burn block, and that of each of its ancestors, is canonical or unknown. Of the viable
 * blocks whose ancestors are all known, the highest is the tip, the first seen on a tie. Only a block above height 1 needs its
 * parent (docs/spec/ingestion.md#archives).
 */
export function canonicalChain(blocks: readonly Block[], burnChain: BurnChain): readonly Block[] {
  const lost = new Set(burnChain.known.map(({ hash }) => hash));
  for (const { hash } of burnChain.canonical) lost.delete(hash);
  const byId = new Map(blocks.map(block => [block.indexHash, block]));
  const best = blocks.filter(block => block.height >= 1).sort((a, b) => b.height - a.height || a.arrival - b.arrival);
  for (const tip of best) {
    const chain = ancestry(tip, byId);
    if (chain?.every(({ burnHash }) => !lost.has(burnHash))) return chain;
  }
  return [];
}

/** A block with all its ancestors from height 1; undefined where one is missing. */
function ancestry(tip: Block, byId: ReadonlyMap<string, Block>): Block[] | undefined {
  const chain = [tip];
  for (let block = tip; block.height > 1; chain.unshift(block)) {
    const parent = byId.get(block.parentIndexHash);
    if (parent?.height !== block.height - 1) return undefined;
    block = parent;
  }
  return chain;
}
