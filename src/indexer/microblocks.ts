import type { KnownBlock } from '../chain/fork-choice.ts';
import {
  attachStream,
  type DecodedMicroblocks,
  readMicroblocks,
  type StreamedMicroblock,
  unanchoredBlock,
} from '../chain/microblocks.ts';
import type { JournalEntry } from '../journal/journal.ts';
import type { NewMicroblocks } from '../node/events/microblocks.ts';
import type { StreamedOnTip } from './index-state.ts';
import { readMicroblocksBack } from './read-back.ts';
import type { Session } from './session.ts';
import { keepStreamedIndexes } from './streamed-txs.ts';
import { applyUnit, undoUnit } from './units.ts';

/** Microblocks arrive. Those that do not stand on the tip in an unbroken chain are ignored: a block will bring them. */
export async function acceptMicroblocks(session: Session, message: NewMicroblocks, entry: JournalEntry): Promise<void> {
  const { tip, streamed } = session.state;
  const arrived = readMicroblocks(message, session.network);
  await session.hooks.microblocksArrived(arrived);
  if (!tip || message.parent_index_block_hash !== tip.indexBlockHash) return;
  const links = arrived.microblocks.map(({ hash, parentHash, sequence }) => ({ hash, parentHash, sequence }));
  const attached = attachStream(
    streamed,
    links.map(link => ({ ...link, journalSeq: entry.seq })),
  );
  if (!attached) return;
  warnOfUnreadable(session, arrived);
  const fresh = new Set(attached.fresh.map(({ hash }) => hash));
  for (const microblock of arrived.microblocks)
    if (fresh.has(microblock.hash)) keepStreamedIndexes(session, microblock);
  session.state = { ...session.state, streamed: [...streamed, ...attached.fresh] };
  await standOn(session, tip, attached.standing, new Map([[entry.seq, arrived]]));
}

/** Makes these the microblocks on the tip. @param atHand messages by journal entry; others are read back */
async function standOn(
  session: Session,
  tip: KnownBlock,
  standing: readonly StreamedOnTip[],
  atHand: Map<number, DecodedMicroblocks>,
): Promise<void> {
  const before = session.state.microblocks;
  const changed = standing.findIndex(({ hash }, i) => hash !== before[i]?.hash);
  const keep = changed < 0 ? standing.length : changed;
  const added = await readStanding(session, standing.slice(keep), atHand);
  await undoMicroblocks(session, keep, transactionsOf(added));
  await place(session, tip, added);
}

/** Takes the microblocks off the tip for a time. @returns what puts them back, to be called with the same tip */
export async function liftMicroblocks(session: Session, tip: KnownBlock): Promise<() => Promise<void>> {
  const { microblocks, streamed } = session.state;
  const links = microblocks.map(({ hash }) => streamed.find(link => link.hash === hash));
  const standing = await readStanding(
    session,
    links.filter(link => link !== undefined),
  );
  await undoMicroblocks(session, 0, transactionsOf(standing));
  return async () => {
    session.state = { ...session.state, streamed };
    await place(session, tip, standing);
  };
}

/**
 * Takes microblocks back, the newest first.
 * @param keep so many of them stay
 * @param reapplied transactions that will be in microblocks on the tip again: for nobody they were gone in between
 */
export async function undoMicroblocks(
  session: Session,
  keep: number,
  reapplied: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const { hash } of session.state.microblocks.slice(keep).reverse())
    await undoUnit(session, { hash, reapplied, fromBootBlock: new Set() });
  session.state = { ...session.state, microblocks: session.state.microblocks.slice(0, keep) };
}

async function place(session: Session, tip: KnownBlock, added: readonly Standing[]): Promise<void> {
  for (const { microblock, message } of added) {
    const { hash, sequence } = microblock;
    await applyUnit(session, { kind: 'microblock', block: unanchoredBlock(microblock, tip, message) }, hash);
    session.state = { ...session.state, microblocks: [...session.state.microblocks, { hash, sequence }] };
  }
}

/** A microblock that stands on the tip, or will, and the message that brought it. */
interface Standing {
  readonly microblock: StreamedMicroblock;
  readonly message: DecodedMicroblocks;
}

const transactionsOf = (standing: readonly Standing[]): ReadonlySet<string> =>
  new Set(standing.flatMap(({ microblock }) => microblock.txs.map(({ txId }) => txId)));

async function readStanding(
  session: Session,
  links: readonly StreamedOnTip[],
  messages = new Map<number, DecodedMicroblocks>(),
): Promise<Standing[]> {
  const found: Standing[] = [];
  for (const { hash, journalSeq } of links) {
    const message = messages.get(journalSeq) ?? (await readMicroblocksBack(session, journalSeq));
    messages.set(journalSeq, message);
    const microblock = message.microblocks.find(candidate => candidate.hash === hash);
    if (!microblock) throw new Error(`journal entry ${journalSeq} does not hold microblock ${hash}`);
    found.push({ microblock, message });
  }
  return found;
}

function warnOfUnreadable({ logger }: Session, { unreadable }: DecodedMicroblocks): void {
  if (unreadable.length === 0) return;
  logger.warn(
    { unreadable: unreadable.map(({ txId, reason }) => ({ txId, reason })) },
    'transactions of a microblock could not be read',
  );
}
