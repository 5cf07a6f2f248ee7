import type { KnownBlock } from '../chain/fork-choice.ts';
import { wrongHeight } from './arrival.ts';
import { dropOrphans } from './orphaned-blocks.ts';
import { forgetTips } from './remembered-tips.ts';
import type { Session } from './session.ts';
import { setEarlierAside } from './set-aside.ts';

/**
 * A block of height 0 or 1 is connected before its parent is known, even a false one. When the parent that it names arrives with another height,
 * the block is set aside, as if it had come after the parent.
 */

/** A first block that contradicts its parent, with the blocks above it. */
interface RefutedBlock {
  readonly first: KnownBlock;
  readonly reason: string;
  /** The first block and those above it, which are no longer connected. */
  readonly lost: readonly KnownBlock[];
}

/** Disconnects the first blocks that contradict newly connected blocks. Their rows stay: the move of the tip may have to undo them. */
export async function refuteFirstBlocks(
  session: Session,
  connected: readonly KnownBlock[],
): Promise<readonly RefutedBlock[]> {
  const refuted: RefutedBlock[] = [];
  for (const parent of connected)
    for (const first of await session.blocks.firstBlocksAgainst(parent)) {
      const lost = await session.blocks.disconnect(first);
      await forgetTips(session, lost);
      refuted.push({ first, lost, reason: wrongHeight(first, parent) });
    }
  return refuted;
}

/** Sets refuted blocks aside, after the move of the tip. */
export async function setRefutedAside(session: Session, refuted: readonly RefutedBlock[]): Promise<void> {
  for (const { first, lost, reason } of refuted) {
    await dropOrphans(session.tx, lost);
    await session.blocks.remove(first);
    await setEarlierAside(session, first.journalSeq, reason);
  }
}
