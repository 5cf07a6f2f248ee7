/**
 * Which Stacks block is the tip, and how to get there (design: "the burn chain decides first, then height").
 *
 * A block is *connected* when all its ancestors down to height 1 are known. It is *viable* while the burn blocks of it and
 * of its ancestors are on the canonical burn chain, or unknown. Among viable connected blocks the highest is the tip, the
 * first seen on a tie. A burn chain fork can therefore move the tip to a lower height.
 */

/** A block that was delivered, canonical or not. Hashes are 0x-prefixed lower-case hex. */
export interface KnownBlock {
  readonly indexBlockHash: string;
  readonly parentIndexBlockHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly burnBlockHash: string;
  readonly burnBlockHeight: number;
  /** Order of first delivery, 0, 1, 2 ... */
  readonly arrival: number;
  /** Where the journal has its payload. */
  readonly journalSeq: number;
}

/** What fork choice asks about the blocks that are known. */
export interface BlockGraph {
  block(indexBlockHash: string): Promise<KnownBlock | undefined>;
  /** Connected blocks of height 1 and more, highest first, first seen first. */
  connectedFromTheTop(): AsyncIterable<KnownBlock>;
  /** True when the burn block is on the canonical burn chain, or was never announced. */
  burnBlockIsViable(burnBlockHash: string): Promise<boolean>;
  isCanonical(block: KnownBlock): Promise<boolean>;
}

/** Blocks to take back, from the tip downwards, and blocks to apply after that, upwards. */
export interface Plan {
  readonly undo: readonly KnownBlock[];
  readonly apply: readonly KnownBlock[];
}

/** Blocks of height 0 (boot) and 1 have no parent that must be known: docs/spec/ingestion.md#archives. */
export const needsParent = (height: number): boolean => height > 1;

/** True when `a` wins against `b`, both being viable and connected. */
export function outranks(a: KnownBlock, b: KnownBlock | undefined): boolean {
  return b === undefined || a.height > b.height || (a.height === b.height && a.arrival < b.arrival);
}

/**
 * The tip: the best viable connected block.
 * @param soundHeight up to which height the canonical chain is known to be viable; below it no burn block need be checked.
 */
export async function chooseTip(graph: BlockGraph, soundHeight: number): Promise<KnownBlock | undefined> {
  const rejected = new Set<string>();
  for await (const candidate of graph.connectedFromTheTop()) {
    if (await chainIsViable(graph, candidate, soundHeight, rejected)) return candidate;
  }
  return undefined;
}

async function chainIsViable(
  graph: BlockGraph,
  candidate: KnownBlock,
  soundHeight: number,
  rejected: Set<string>,
): Promise<boolean> {
  const path: string[] = [];
  let block: KnownBlock | undefined = candidate;
  while (block) {
    if (block.height <= soundHeight && (await graph.isCanonical(block))) return true;
    path.push(block.indexBlockHash);
    if (rejected.has(block.indexBlockHash) || !(await graph.burnBlockIsViable(block.burnBlockHash))) {
      for (const hash of path) rejected.add(hash);
      return false;
    }
    block = await parentOf(graph, block);
  }
  return true;
}

/** How to move from one tip to another, by way of their last common ancestor. Either may be absent: an empty chain. */
export async function planMove(
  graph: BlockGraph,
  from: KnownBlock | undefined,
  to: KnownBlock | undefined,
): Promise<Plan> {
  const undo: KnownBlock[] = [];
  const apply: KnownBlock[] = [];
  let old = from;
  let next = to;
  while (old?.indexBlockHash !== next?.indexBlockHash) {
    if (old && (!next || old.height >= next.height)) {
      undo.push(old);
      old = await parentOf(graph, old);
    } else if (next) {
      apply.push(next);
      next = await parentOf(graph, next);
    }
  }
  return { undo, apply: apply.reverse() };
}

/** The parent on the chain of heights from 1 upwards; the boot block at height 0 is part of block 1. */
async function parentOf(graph: BlockGraph, block: KnownBlock): Promise<KnownBlock | undefined> {
  return needsParent(block.height) ? graph.block(block.parentIndexBlockHash) : undefined;
}
