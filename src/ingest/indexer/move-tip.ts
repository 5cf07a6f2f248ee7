import type { BlockFacts } from '../chain/block-facts.ts';
import { type KnownBlock, needsParent, type Plan } from '../chain/fork-choice.ts';
import { bootBlockBelow, complete, readBlockBack } from './read-back.ts';
import type { Session } from './session.ts';
import { blaming, noteLeftOut, takeUp } from './set-aside.ts';
import { splitUnits } from './split-units.ts';
import { applyUnit, undoMicroblocks, undoUnit } from './units.ts';

/**
 * Carries a plan out: undoes, then applies. Forgets the microblocks that were streamed on the old tip.
 * @param atHand a decoded block that need not be read from the journal
 */
export async function moveTip(session: Session, { undo, apply }: Plan, atHand?: BlockFacts): Promise<void> {
  if (undo.length + apply.length === 0) return;
  await undoMicroblocks(session, 0);
  session.state = { ...session.state, streamed: [] };
  for (const block of undo) await undoBlock(session, block);
  const lowest = undo.at(-1);
  if (lowest) session.state = { ...session.state, tip: (await parentOf(session, lowest)) ?? null };
  if (apply.length === 0) await session.hooks.tipLowered(await factsOfTip(session));
  for (const block of apply) await blaming(block.journalSeq, () => applyBlock(session, block, atHand));
}

async function undoBlock(session: Session, block: KnownBlock): Promise<void> {
  await splitUnits(session);
  const fromBootBlock = await bootTransactionsOf(session, block);
  await undoUnit(session, { hash: block.indexBlockHash, reapplied: new Set(), fromBootBlock });
  await takeUp(session.tx, block.journalSeq);
}

async function applyBlock(session: Session, block: KnownBlock, atHand: BlockFacts | undefined): Promise<void> {
  const { indexBlockHash, arrival } = block;
  const facts = atHand?.indexBlockHash === indexBlockHash ? atHand : await readBlockBack(session, block);
  const whole = await complete(session, facts);
  const { block: written } = await applyUnit(session, { kind: 'block', block: whole, arrival }, indexBlockHash);
  session.state = { ...session.state, tip: block };
  if (written.txs.length < whole.txs.length || whole.repeated.length > 0)
    await noteLeftOut(session, block, leftOutOf(whole, written));
}

/** Ids of the transactions that were left out of a block: the chain below has them, or the block has them twice. */
function leftOutOf(whole: BlockFacts, written: BlockFacts): string[] {
  const kept = new Set(written.txs);
  return [...whole.repeated, ...whole.txs.filter(tx => !kept.has(tx)).map(({ txId }) => txId)];
}

/** Ids of the transactions that the boot block has brought into this block. */
async function bootTransactionsOf(session: Session, block: KnownBlock): Promise<ReadonlySet<string>> {
  const boot = await bootBlockBelow(session, block);
  return new Set(boot?.txs.map(({ txId }) => txId));
}

async function parentOf({ blocks }: Session, block: KnownBlock): Promise<KnownBlock | undefined> {
  return needsParent(block.height) ? blocks.block(block.parentIndexBlockHash) : undefined;
}

async function factsOfTip(session: Session): Promise<BlockFacts | null> {
  const { tip } = session.state;
  return tip && readBlockBack(session, tip);
}
