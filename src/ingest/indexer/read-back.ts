import { type BlockFacts, readBlock, withBootBlock } from '../chain/block-facts.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import type { Session } from './session.ts';
import { withStreamedIndexes } from './streamed-txs.ts';

type EventOf<P extends NodeEvent['path']> = Extract<NodeEvent, { readonly path: P }>;

/**
 * Reads an earlier journal entry, to apply it late or again.
 * @param what the entry must hold, for the error
 * @throws Error if it holds something else: the journal was changed, and only a backup can repair it
 */
export async function readBack<P extends NodeEvent['path']>(
  { journal }: Session,
  journalSeq: number,
  path: P,
  what: string,
): Promise<EventOf<P>> {
  const entry = await journal.entry(journalSeq);
  const event = entry && parseEvent(entry.path, entry.body);
  const holds = (value: NodeEvent): value is EventOf<P> => value.path === path;
  if (event?.ok && holds(event.value)) return event.value;
  throw new Error(`journal entry ${journalSeq} does not hold ${what}`);
}

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
