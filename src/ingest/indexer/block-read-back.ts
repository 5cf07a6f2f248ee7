import { type BlockFacts, readBlock, withBootBlock } from '../chain/block-facts.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import { readBack } from './read-back.ts';
import type { Session } from './session.ts';
import { withStreamedIndexes } from './streamed-txs.ts';

/** Decodes a block from its own payload in the journal. */
export async function readBlockBack(session: Session, block: KnownBlock): Promise<BlockFacts> {
  const what = `block ${block.indexBlockHash}`;
  const event = await readBack(session, block.journalSeq, '/new_block', what);
  return readBlock(event.block, session.network).facts;
}

/** Adds the data that a block's own payload lacks: the boot block to block 1, the numbers of streamed transactions. */
export async function complete(session: Session, facts: BlockFacts): Promise<BlockFacts> {
  const boot = await bootBlockBelow(session, facts);
  const numbered = facts.microblocks.length > 0 ? await withStreamedIndexes(session, facts) : facts;
  return boot ? withBootBlock(numbered, boot) : numbered;
}

/** The boot block, if this is the block 1 above it. */
export async function bootBlockBelow(
  session: Session,
  { height, parentIndexBlockHash }: Pick<KnownBlock, 'height' | 'parentIndexBlockHash'>,
): Promise<BlockFacts | undefined> {
  const boot = height === 1 ? await session.blocks.block(parentIndexBlockHash) : undefined;
  return boot?.height === 0 ? readBlockBack(session, boot) : undefined;
}
