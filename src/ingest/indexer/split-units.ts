import type { KnownBlock } from '../chain/fork-choice.ts';
import { readBlockBack } from './read-back.ts';
import type { Session } from './session.ts';
import type { AppliedBlock } from './undo-log.ts';
import { closeUnits, writeUnit } from './units.ts';

/**
 * Gives each of the newest blocks that share an undo record a record of its own, so that the newest can be undone alone: undoes all, and
 * writes them again from the journal. Only the undo log of the index changes; no hooks run.
 */
export async function splitUnits(session: Session): Promise<void> {
  const { undoLog, workspace } = session;
  closeUnits(session);
  await workspace.flush();
  const top = await undoLog.top();
  if (!top || top.units === 1) return;
  const blocks = await blocksOf(session, top);
  await workspace.restore(top.records);
  await undoLog.remove(top.depth);
  session.state = { ...session.state, depth: top.depth + 1 - top.units };
  for (const block of blocks) {
    const facts = await readBlockBack(session, block);
    await writeUnit(session, { kind: 'block', block: facts, arrival: block.arrival }, block.indexBlockHash);
    closeUnits(session);
  }
  await workspace.flush();
}

/** The blocks that share an undo record, the lowest first. */
async function blocksOf({ blocks }: Session, { block, units }: AppliedBlock): Promise<KnownBlock[]> {
  const found: KnownBlock[] = [];
  for (let hash = block; found.length < units; ) {
    const next = await blocks.block(hash);
    if (!next) throw new Error(`block ${hash} is applied and not known`);
    found.push(next);
    hash = next.parentIndexBlockHash;
  }
  return found.reverse();
}
