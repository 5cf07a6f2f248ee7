import type { KnownBurnBlock } from './burn-chain.ts';

/**
 * Which Stacks block is the tip, and how to get there (docs/spec/fork-choice.md).
 *
 * A block is *connected* when all its ancestors down to height 1 are known. Its *election* is the burn block that elected its
 * miner. Its *burn view* is the burn block that the newest tenure change at or below it names. It is *viable* on a branch of the
 * burn chain while elections and burn views of it and of its ancestors are on that branch, or unknown.
 *
 * Nodes remember at most one tip for each burn block: a block that replaces the tip is remembered at its own burn view. The tip
 * is the one that the highest burn block remembers. Blocks of unknown burn view are not remembered: the highest of them is the tip if
 * it is higher than the remembered one. So a fork of the burn chain alone can move the tip, to a lower height too.
 */

/** A block that was delivered, canonical or not. Hashes are 0x-prefixed lower-case hex. */
export interface KnownBlock {
  readonly indexBlockHash: string;
  readonly parentIndexBlockHash: string;
  readonly blockHash: string;
  readonly height: number;
  /** Hash of the burn block that elected its miner. */
  readonly burnBlockHash: string;
  readonly burnBlockHeight: number;
  /** Consensus hash of its burn view; null when no tenure change at or below it is known. */
  readonly burnView: string | null;
  /** Order of first delivery, 0, 1, 2 ... */
  readonly arrival: number;
  /** Where the journal has its payload. */
  readonly journalSeq: number;
}

/** A branch of the burn chain from its first block to some block: the canonical one, or one that lost. */
export interface BurnBranch {
  /** True when the burn block is on the branch, or was never announced. */
  includes(burnBlockHash: string): Promise<boolean>;
  /** The remembered tips of its burn blocks, that of the highest first. */
  rememberedTips(): AsyncIterable<KnownBlock>;
  /** True only if an earlier check has found the block viable here. */
  isSound(block: KnownBlock): Promise<boolean>;
}

/** Queries of fork choice about known blocks. */
export interface BlockGraph {
  block(indexBlockHash: string): Promise<KnownBlock | undefined>;
  /** Connected blocks of height 1 and more, highest first, first seen first. */
  connectedFromTheTop(): AsyncIterable<KnownBlock>;
  /** The burn view of the block; undefined when the block names none, or no node has announced it. */
  burnViewOf(block: KnownBlock): Promise<KnownBurnBlock | undefined>;
}

/** Blocks to take back, from the tip downwards, and blocks to apply after that, upwards. */
export interface Plan {
  readonly undo: readonly KnownBlock[];
  readonly apply: readonly KnownBlock[];
}

/** Blocks of height 0 (boot) and 1 have no parent that must be known: docs/spec/ingestion.md#archives. */
export const needsParent = (height: number): boolean => height > 1;

/** True when `a` wins against `b` and the burn views do not decide: the higher block, the first seen on a tie. */
export function outranks(a: KnownBlock, b: KnownBlock | undefined): boolean {
  return b === undefined || a.height > b.height || (a.height === b.height && a.arrival < b.arrival);
}

/** True when a block of known burn view replaces the tip: by its height, or on a tie by an election that is later. */
export function replaces(block: KnownBlock, tip: KnownBlock | undefined): boolean {
  if (!tip || block.height !== tip.height) return !tip || block.height > tip.height;
  return block.burnBlockHeight > tip.burnBlockHeight;
}

/**
 * Whether a connected block must be remembered at its burn view, because it replaces the tip of the branch.
 * @param branch the canonical burn chain if the burn view is on it, else the branch that ends there
 */
export async function isRemembered(graph: BlockGraph, branch: BurnBranch, block: KnownBlock): Promise<boolean> {
  return (
    (await chainIsViable(graph, branch, block, new Set())) &&
    replaces(block, await rememberedTip(graph, branch, new Set()))
  );
}

/** The tip on a branch of the burn chain: undefined when no block is viable there. */
export async function chooseTip(graph: BlockGraph, branch: BurnBranch): Promise<KnownBlock | undefined> {
  const rejected = new Set<string>();
  const remembered = await rememberedTip(graph, branch, rejected);
  for await (const candidate of graph.connectedFromTheTop()) {
    if (!outranks(candidate, remembered)) break;
    if (await graph.burnViewOf(candidate)) continue;
    if (await chainIsViable(graph, branch, candidate, rejected)) return candidate;
  }
  return remembered;
}

async function rememberedTip(
  graph: BlockGraph,
  branch: BurnBranch,
  rejected: Set<string>,
): Promise<KnownBlock | undefined> {
  for await (const tip of branch.rememberedTips()) if (await chainIsViable(graph, branch, tip, rejected)) return tip;
  return undefined;
}

/** @param rejected blocks that are known not to be viable; grows */
async function chainIsViable(
  graph: BlockGraph,
  branch: BurnBranch,
  candidate: KnownBlock,
  rejected: Set<string>,
): Promise<boolean> {
  const path: string[] = [];
  let block: KnownBlock | undefined = candidate;
  while (block && !(await branch.isSound(block))) {
    path.push(block.indexBlockHash);
    if (rejected.has(block.indexBlockHash) || !(await isOn(graph, branch, block))) {
      for (const hash of path) rejected.add(hash);
      return false;
    }
    block = await parentOf(graph, block);
  }
  return true;
}

/** Whether the election and burn view of this block itself, without its ancestors, are on the branch, or unknown. */
async function isOn(graph: BlockGraph, branch: BurnBranch, block: KnownBlock): Promise<boolean> {
  if (!(await branch.includes(block.burnBlockHash))) return false;
  const view = await graph.burnViewOf(block);
  return view === undefined || branch.includes(view.hash);
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
