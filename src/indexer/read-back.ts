import { type BlockFacts, readBlock } from '../chain/block-facts.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import { type DecodedMicroblocks, readMicroblocks } from '../chain/microblocks.ts';
import type { NewBurnBlock } from '../node/events/burn-block.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import type { Session } from './session.ts';

/*
 * What was journaled before and is applied, or applied again, only now. It was read when it arrived: that an entry does not hold what it
 * held then is an error that nobody can mend but by a backup of the journal.
 */

/** A known block, as its journal entry has it. */
export async function readBlockBack(session: Session, block: KnownBlock): Promise<BlockFacts> {
  const what = `block ${block.indexBlockHash}`;
  const event = await eventOf(session, block.journalSeq, '/new_block', what);
  return readBlock(event.block, session.network).facts;
}

/** The message of microblocks of a journal entry. */
export async function readMicroblocksBack(session: Session, journalSeq: number): Promise<DecodedMicroblocks> {
  const event = await eventOf(session, journalSeq, '/new_microblocks', 'microblocks');
  return readMicroblocks(event.microblocks, session.network);
}

/** A known burn block, as its journal entry has it. */
export async function readBurnBlockBack(
  session: Session,
  { hash, journalSeq }: { readonly hash: string; readonly journalSeq: number },
): Promise<NewBurnBlock> {
  return (await eventOf(session, journalSeq, '/new_burn_block', `burn block ${hash}`)).burnBlock;
}

type EventOf<P extends NodeEvent['path']> = Extract<NodeEvent, { readonly path: P }>;

async function eventOf<P extends NodeEvent['path']>(
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
