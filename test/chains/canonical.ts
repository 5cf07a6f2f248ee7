import type { BuiltBlock, BuiltBurnBlock } from '../support/chain-builder.ts';
import type { Sent } from './build.ts';

type BurnSent = Extract<Sent, { kind: 'burn' }>;

/** What must be canonical once these events are delivered in this order, ascending. */
export interface CanonicalChain {
  readonly boot: BuiltBlock | undefined;
  readonly blocks: readonly BuiltBlock[];
  readonly burns: readonly BuiltBurnBlock[];
}

/**
 * Works out the canonical chain from the rules alone (docs/spec/ingestion.md#canonical-chain
 * and docs/spec/ingestion.md#burn-chain): a second, naive statement of what the index must come to, which looks at all events at once.
 */
export function canonicalChain(sent: readonly Sent[]): CanonicalChain {
  const burns = canonicalBurns(sent.filter(event => event.kind === 'burn'));
  const lost = new Set(sent.flatMap(event => (event.kind === 'burn' ? [event.burn.hash] : [])));
  for (const { hash } of burns) lost.delete(hash);
  const known = [...new Set(sent.flatMap(event => (event.kind === 'block' ? [event.block] : [])))];
  const boot = known.find(({ height }) => height === 0);
  const paths = known
    .filter(({ height }) => height > 0)
    .map(block => pathTo(block, known))
    .filter(path => path[0]?.height === 1 && path.every(({ burn }) => !lost.has(burn.hash)));
  const height = Math.max(0, ...paths.map(path => path.length));
  const blocks = paths.find(path => path.length === height) ?? [];
  return { boot: boot && blocks[0]?.parentIndexHash === boot.indexHash ? boot : undefined, blocks, burns };
}

/** From the lowest known ancestor to the block. */
function pathTo(block: BuiltBlock, known: readonly BuiltBlock[]): BuiltBlock[] {
  const parent = block.height > 1 && known.find(({ indexHash }) => indexHash === block.parentIndexHash);
  return parent ? [...pathTo(parent, known), block] : [block];
}

function canonicalBurns(announced: readonly BurnSent[]): BuiltBurnBlock[] {
  const known: BurnSent[] = [];
  let canonical: BurnSent[] = [];
  for (const next of announced) {
    if (known.some(({ burn }) => burn.hash === next.burn.hash)) continue;
    known.push(next);
    canonical = withBurn(canonical, known, next);
  }
  return canonical.map(({ burn }) => burn);
}

/** The new one with its branch displaces what is as high as the branch; what stood on the very block stays. */
function withBurn(canonical: readonly BurnSent[], known: readonly BurnSent[], next: BurnSent): BurnSent[] {
  const branch = [next];
  for (;;) {
    const lowest = branch[0] ?? next;
    const parent = known.find(({ burn }) => burn.hash === lowest.parent?.hash);
    if (!parent || canonical.includes(parent)) break;
    branch.unshift(parent);
  }
  const from = (branch[0] ?? next).burn.height;
  const displaced = canonical.filter(({ burn }) => burn.height >= from);
  const above = displaced.some(({ parent }) => parent?.hash === next.burn.hash)
    ? displaced.filter(({ burn }) => burn.height > next.burn.height)
    : [];
  return [...canonical.filter(({ burn }) => burn.height < from), ...branch, ...above];
}
