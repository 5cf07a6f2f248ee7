import { type KnownBurnBlock, planBurnBlock } from '../chain/burn-chain.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { NewBurnBlock } from '../node/events/bodies.ts';
import { readBack } from './read-back.ts';
import type { Session } from './session.ts';
import { blaming, setEntryAside } from './set-aside.ts';
import { burnChainMoved, raiseRevision } from './stacks-chain.ts';
import { UNDO_LOG } from './tables.ts';
import { closeUnits } from './units.ts';

/** Accepts a burn block: takes back the burn blocks that it displaces, applies it, then moves the Stacks tip if the burn chain demands it. */
export async function acceptBurnBlock(session: Session, message: NewBurnBlock, entry: JournalEntry): Promise<void> {
  const { burnBlocks } = session;
  if (await burnBlocks.block(message.burn_block_hash)) return;
  const block: KnownBurnBlock = {
    hash: message.burn_block_hash,
    height: message.burn_block_height,
    parentHash: message.parent_burn_block_hash,
    consensusHash: message.consensus_hash,
    journalSeq: entry.seq,
  };
  const arrival = await planBurnBlock(burnBlocks, block, session.burnForkDepth);
  if (arrival.kind === 'impossible') return setEntryAside(session, entry, arrival.reason);
  await burnBlocks.add(block);
  if (arrival.kind === 'wait') {
    session.logger.warn(
      { height: block.height, hash: block.hash, reason: arrival.reason },
      'burn block not applied yet',
    );
    // The block is known now, and not canonical: Stacks blocks that name it are not viable any more.
    return burnChainMoved(session, block.height, await session.blocks.connectedOfView(block));
  }
  const { plan } = arrival;
  for (const undone of plan.undo) await undo(session, undone);
  for (const next of plan.apply)
    await blaming(next.journalSeq, async () =>
      apply(session, next, next.hash === block.hash ? message : await readBurnBlockBack(session, next)),
    );
  const changed = [...plan.undo, ...plan.apply].map(({ height }) => height);
  if (changed.length > 1)
    session.logger.info(
      { height: block.height, undone: plan.undo.length, applied: plan.apply.length },
      'fork of the burn chain',
    );
  const waiting = await session.blocks.connectedOfView(block);
  const lowest = Math.min(...changed);
  if (changed.length > 1 || waiting.length > 0) await burnChainMoved(session, lowest, waiting);
  // Bitcoin data in responses as of a block has changed without a new Stacks block.
  if (lowest <= (session.state.tip?.burnBlockHeight ?? 0)) raiseRevision(session);
}

async function apply(session: Session, block: KnownBurnBlock, message: NewBurnBlock): Promise<void> {
  closeUnits(session);
  const { workspace, state } = session;
  workspace.beginUnit();
  for (const projection of session.schema.burnProjections) await projection.apply(message, workspace);
  workspace.keep(UNDO_LOG, session.burnUndoLog.row(state.burnDepth, block.hash, workspace.endUnit()));
  await session.burnBlocks.mark(block, true);
  session.state = { ...state, burnDepth: state.burnDepth + 1, burnHeight: block.height, burnTip: block.hash };
}

async function undo(session: Session, block: KnownBurnBlock): Promise<void> {
  const { burnUndoLog: log } = session;
  closeUnits(session);
  await session.workspace.flush();
  const top = await log.top();
  if (top?.block !== block.hash) throw new Error(`the newest applied burn block is ${top?.block}, not ${block.hash}`);
  await session.workspace.restore(top.records);
  await log.remove(top.depth);
  await session.burnBlocks.mark(block, false);
  session.state = { ...session.state, burnDepth: top.depth };
}

async function readBurnBlockBack(session: Session, { hash, journalSeq }: KnownBurnBlock): Promise<NewBurnBlock> {
  return (await readBack(session, journalSeq, '/new_burn_block', `burn block ${hash}`)).burnBlock;
}
