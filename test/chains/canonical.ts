import { worldOf } from '../model/world-of.ts';
import type { BuiltBlock, BuiltBurnBlock } from '../support/chain-builder.ts';
import type { Sent } from './build.ts';

/** What must be canonical once these events are delivered in this order, ascending. */
export interface CanonicalChain {
  readonly boot: BuiltBlock | undefined;
  readonly blocks: readonly BuiltBlock[];
  readonly burns: readonly BuiltBurnBlock[];
}

/** The canonical chain of the naive model, as what it was built of. */
export function canonicalChain(sent: readonly Sent[]): CanonicalChain {
  const known = new Map(sent.flatMap(event => (event.kind === 'block' ? [[event.block.indexHash, event.block]] : [])));
  const announced = new Map(sent.flatMap(event => (event.kind === 'burn' ? [[event.burn.hash, event.burn]] : [])));
  const world = worldOf(sent.map(({ delivery }) => delivery));
  const blocks = world.blocks.flatMap(({ indexHash }) => known.get(indexHash) ?? []);
  const burns = world.burnBlocks.flatMap(({ hash }) => announced.get(hash) ?? []);
  const boot = [...known.values()].find(({ height }) => height === 0);
  return { boot: boot && blocks[0]?.parentIndexHash === boot.indexHash ? boot : undefined, blocks, burns };
}
