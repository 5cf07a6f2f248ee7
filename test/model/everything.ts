import type { Tx, World } from './world.ts';

/** Every canonical transaction, and those of all other blocks: one that is in several, several times. */
export const everMined = (world: World): Tx[] => [...world.txs, ...world.others.flatMap(({ txs }) => txs)];

/** Also those of a boot block that waits for block 1, and of microblocks that no block accepted. */
export const everSeen = (world: World): Tx[] => [
  ...everMined(world),
  ...world.known.flatMap(({ txs }) => txs),
  ...world.streamed,
];

export const isCanonical = (world: World, tx: Tx): boolean => world.txs.includes(tx);

/** Of rows of one thing the last canonical one; without any that of the highest block, of equals the first seen. */
export const preferred = (world: World, rows: readonly Tx[]): Tx | undefined =>
  rows.findLast(tx => isCanonical(world, tx)) ?? rows.reduce<Tx | undefined>(higher, undefined);

const higher = (best: Tx | undefined, next: Tx): Tx => (best && best.block.height >= next.block.height ? best : next);
