import type { BlockFacts, DecodedBlock, Unreadable } from '../chain/block-facts.ts';
import { chooseTip, isRemembered, type KnownBlock, type Plan, planMove } from '../chain/fork-choice.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { RebuiltOrigin } from '../node/events/rebuilt.ts';
import { SqlBurnBranch } from './burn-branch.ts';
import { refuteFirstBlocks, setRefutedAside } from './first-blocks.ts';
import { liftMicroblocks } from './microblocks.ts';
import { moveTip } from './move-tip.ts';
import { dropOrphans, keepOrphans } from './orphaned-blocks.ts';
import { forgetRebuilt, isRebuilt, noteRebuilt } from './rebuilt-blocks.ts';
import { forgetTips } from './remembered-tips.ts';
import type { Extension, Session } from './session.ts';
import { setEarlierAside, setEntryAside, takeUp } from './set-aside.ts';

/**
 * Accepts a block: keeps it, and moves the index to the tip that fork choice names.
 * @param origin of a rebuilt block
 * @returns false if the block is known already, or is set aside
 */
export async function acceptBlock(
  session: Session,
  block: DecodedBlock,
  entry: JournalEntry,
  origin?: RebuiltOrigin,
): Promise<boolean> {
  const { facts } = block;
  const before = session.extension;
  session.extension = undefined;
  const arrival = await session.blocks.add(newBlockOf(session, facts, entry));
  if (arrival.kind === 'known') {
    if (!origin) await replaceRebuilt(session, block, entry);
    return false;
  }
  if (arrival.kind === 'impossible') {
    await setEntryAside(session, entry, arrival.reason);
    return false;
  }
  const { connected, displaced, lacksParent } = arrival;
  for (const { journalSeq, reason } of displaced) await setEarlierAside(session, journalSeq, reason);
  if (origin) await noteRebuilt(session.tx, entry.seq, facts, origin);
  warnOfUnreadable(session, block);
  await session.hooks.blockArrived(block);
  const refuted = await refuteFirstBlocks(session, connected);
  const added = connected[0];
  const extension = added && connected.length === 1 ? await extensionBy(session, added, before) : undefined;
  if (!extension) await session.hooks.blockOffTip(facts);
  const { tip } = session.state;
  if (!added) noteMissingParent(session, facts, lacksParent);
  else if (added.height === 0) await adoptBootBlock(session, added);
  else if (extension) await extendTip(session, added, facts, extension);
  else await weigh(session, connected, tip?.height ?? 0, connected);
  await setRefutedAside(session, refuted);
  return true;
}

const newBlockOf = ({ schema }: Session, facts: BlockFacts, entry: JournalEntry) => ({
  ...facts,
  journalSeq: entry.seq,
  parentMicroblock: facts.parentMicroblock && ([facts.parentMicroblock.hash, facts.parentMicroblock.sequence] as const),
  record: schema.blockRecord(facts),
});

/**
 * Replaces a rebuilt block by the same block from a node or an archive. If the block is canonical, it and all blocks above it are applied
 * anew, as in a fork that ends with the same tip.
 */
async function replaceRebuilt(session: Session, block: DecodedBlock, entry: JournalEntry): Promise<void> {
  const { blocks, tx } = session;
  const { facts } = block;
  const known = await blocks.block(facts.indexBlockHash);
  if (!known || !(await isRebuilt(tx, known.journalSeq))) return;
  session.logger.info({ height: known.height, indexBlockHash: known.indexBlockHash }, 'rebuilt block replaced');
  await session.workspace.flush();
  const isCanonical = await blocks.isCanonical(known);
  const { tip } = session.state;
  const parent = isCanonical ? await blocks.block(known.parentIndexBlockHash) : undefined;
  await blocks.rewrite(newBlockOf(session, facts, entry));
  await forgetRebuilt(tx, known.journalSeq);
  await takeUp(tx, known.journalSeq);
  warnOfUnreadable(session, block);
  await session.hooks.blockArrived(block);
  if (!isCanonical || !tip) {
    await session.hooks.blockOffTip(facts);
    return;
  }
  const { apply } = await planFrom(session, parent ?? null, await blocks.block(tip.indexBlockHash));
  await applyAnew(session, tip, apply);
}

/**
 * Fast path without a search: the block extends the tip, and no burn block above its burn view remembers another.
 * @param before extension by the previous block: it also holds for a block of the same tenure and burn view
 * @returns undefined for any other block
 */
async function extensionBy(
  { state, blocks, tips, burnBlocks }: Session,
  block: KnownBlock,
  before: Extension | undefined,
): Promise<Extension | undefined> {
  const { burnBlockHash, burnView } = block;
  if (state.tip?.indexBlockHash !== block.parentIndexBlockHash) return undefined;
  if (before?.burnBlockHash === burnBlockHash && before.burnView === burnView) return before;
  if (!(await SqlBurnBranch.canonical({ blocks, tips, burnBlocks }, 0).includes(burnBlockHash))) return undefined;
  const view = await blocks.burnViewOf(block);
  const isTop = !view || ((await burnBlocks.isCanonical(view.hash)) && (await tips.noneAbove(view.height)));
  return isTop ? { burnBlockHash, burnView, view } : undefined;
}

async function extendTip(session: Session, block: KnownBlock, facts: BlockFacts, extension: Extension): Promise<void> {
  if (extension.view) session.tips.remember(block, extension.view);
  await moveTip(session, { undo: [], apply: [block] }, facts);
  session.extension = extension;
}

/**
 * Chooses the tip after the burn chain has moved: blocks may have become viable, or ceased to be.
 * @param fromBurnHeight the lowest burn height that changed
 * @param seen connected blocks whose burn view has just become known
 */
export async function burnChainMoved(
  session: Session,
  fromBurnHeight: number,
  seen: readonly KnownBlock[],
): Promise<void> {
  await session.workspace.flush();
  const lowest = await session.blocks.lowestUnsoundFrom(fromBurnHeight);
  await weigh(session, seen, lowest === undefined ? (session.state.tip?.height ?? 0) : lowest - 1, []);
}

/**
 * Remembers the blocks that replace the tip of their branch, then moves to the best tip.
 * @param connected parents first
 * @param soundHeight height up to which the canonical chain is known to be viable, and need not be checked
 * @param fresh those of the blocks that have just become connected
 */
async function weigh(
  session: Session,
  connected: readonly KnownBlock[],
  soundHeight: number,
  fresh: readonly KnownBlock[],
): Promise<void> {
  const { blocks, tips } = session;
  await session.workspace.flush();
  for (const block of connected) {
    const view = await blocks.burnViewOf(block);
    if (!view) continue;
    const branch = await SqlBurnBranch.through(session, soundHeight, view);
    if (await isRemembered(blocks, branch, block)) tips.remember(block, view);
  }
  await moveToBestTip(session, SqlBurnBranch.canonical(session, soundHeight), fresh);
}

async function moveToBestTip(session: Session, canonical: SqlBurnBranch, fresh: readonly KnownBlock[]): Promise<void> {
  const { tip } = session.state;
  const best = await chooseTip(session.blocks, canonical);
  const plan = await planFrom(session, tip, best);
  if (plan.undo.length > 0) {
    const { length: undone } = plan.undo;
    session.logger.info({ from: tip?.height, to: best?.height ?? 0, undone, applied: plan.apply.length }, 'fork');
  }
  await moveTip(session, plan);
  await noteOrphans(session, plan, fresh);
}

/** Updates the orphans after a move: adds blocks that left the chain and fresh ones that did not join it, removes those that joined. */
async function noteOrphans({ tx }: Session, { undo, apply }: Plan, fresh: readonly KnownBlock[]): Promise<void> {
  const applied = new Set(apply.map(({ arrival }) => arrival));
  const isFresh = new Set(fresh.map(({ arrival }) => arrival));
  await keepOrphans(
    tx,
    [...undo, ...fresh].filter(({ arrival }) => !applied.has(arrival)),
  );
  await dropOrphans(
    tx,
    apply.filter(({ arrival }) => !isFresh.has(arrival)),
  );
}

/**
 * Removes a block that cannot be applied. Its burn view then remembers the best of the remaining blocks.
 * @returns false if there is nothing to remove
 */
export async function takeOutBlock(session: Session, indexBlockHash: string, journalSeq: number): Promise<boolean> {
  const lost = await session.blocks.takeOut(indexBlockHash, journalSeq);
  await dropOrphans(session.tx, lost);
  await forgetTips(session, lost);
  return lost.length > 0;
}

/** The boot block is part of block 1: if block 1 came first, the chain is applied anew. */
async function adoptBootBlock(session: Session, boot: KnownBlock): Promise<void> {
  await session.workspace.flush();
  const { tip } = session.state;
  if (!tip) return;
  const { apply } = await planFrom(session, null, tip);
  if (apply[0]?.parentIndexBlockHash !== boot.indexBlockHash) return;
  await applyAnew(session, tip, apply);
}

/** Undoes blocks whose contents have changed, and applies them again. @param apply those up to the tip, the lowest first */
async function applyAnew(session: Session, tip: KnownBlock, apply: readonly KnownBlock[]): Promise<void> {
  // The tip will be the same block again, so keep the microblocks on it: no node streams them a second time.
  const putBack = await liftMicroblocks(session, tip);
  await moveTip(session, { undo: apply.toReversed(), apply });
  await putBack();
  raiseRevision(session);
}

/** Notes that contents of the chain have changed while its blocks stayed the same: see Tip. */
export function raiseRevision(session: Session): void {
  session.state = { ...session.state, revision: session.state.revision + 1 };
}

const planFrom = ({ blocks }: Session, from: KnownBlock | null, to: KnownBlock | undefined): Promise<Plan> =>
  planMove(blocks, from ?? undefined, to);

function warnOfUnreadable({ logger }: Session, { facts, unreadable }: DecodedBlock): void {
  if (unreadable.length === 0) return;
  const { height, indexBlockHash } = facts;
  logger.warn(
    { height, indexBlockHash, unreadable: unreadable.map(named) },
    'transactions left out: they could not be decoded',
  );
}

const named = ({ txId, reason }: Unreadable) => ({ txId, reason });

/** Warns once of each missing block: the blocks above it wait too, and may be millions. */
function noteMissingParent({ logger }: Session, facts: BlockFacts, lacksParent: boolean): void {
  const { height, indexBlockHash, parentIndexBlockHash } = facts;
  logger[lacksParent ? 'warn' : 'debug'](
    { height, indexBlockHash, missingParent: parentIndexBlockHash },
    'block kept until its parent is delivered',
  );
}
