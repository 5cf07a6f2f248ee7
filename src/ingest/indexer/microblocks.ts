import type { KnownBlock } from '../chain/fork-choice.ts';
import { attachStream, type DecodedMicroblocks, readMicroblocks, unanchoredBlock } from '../chain/microblocks.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { StreamedOnTip } from './index-state.ts';
import { readBack } from './read-back.ts';
import type { Session } from './session.ts';
import { keepStreamedIndexes } from './streamed-txs.ts';
import { type PlacedMicroblock, placeMicroblocks, undoMicroblocks } from './units.ts';

/** Microblocks arrive. Those that do not extend the tip in an unbroken chain are ignored: a block will bring them. */
export async function acceptMicroblocks(
  session: Session,
  arrived: DecodedMicroblocks,
  entry: JournalEntry,
): Promise<void> {
  const { tip, streamed } = session.state;
  await session.hooks.microblocksArrived(arrived);
  if (arrived.parentIndexBlockHash !== tip?.indexBlockHash) return;
  const links = arrived.microblocks.map(({ hash, parentHash, sequence }) => ({ hash, parentHash, sequence }));
  const attached = attachStream(
    streamed,
    links.map(link => ({ ...link, journalSeq: entry.seq })),
  );
  if (!attached) return;
  const fresh = new Set(attached.fresh.map(({ hash }) => hash));
  for (const microblock of arrived.microblocks)
    if (fresh.has(microblock.hash)) await keepStreamedIndexes(session, microblock);
  warnOfUnreadable(session, arrived);
  session.state = { ...session.state, streamed: [...streamed, ...attached.fresh] };
  await standOn(session, tip, attached.standing, new Map([[entry.seq, arrived]]));
}

/** Makes these the microblocks on the tip. @param atHand messages by journal entry; others are read from the journal */
async function standOn(
  session: Session,
  tip: KnownBlock,
  standing: readonly StreamedOnTip[],
  atHand: Map<number, DecodedMicroblocks>,
): Promise<void> {
  const before = session.state.microblocks;
  const changed = standing.findIndex(({ hash }, i) => hash !== before[i]?.hash);
  const keep = changed < 0 ? standing.length : changed;
  const added = await readStanding(session, tip, standing.slice(keep), atHand);
  await undoMicroblocks(session, keep, transactionsOf(added));
  await placeMicroblocks(session, added);
}

/** Removes the microblocks from the tip temporarily. @returns a function that restores them, to be called with the same tip */
export async function liftMicroblocks(session: Session, tip: KnownBlock): Promise<() => Promise<void>> {
  const { microblocks, streamed } = session.state;
  const links = microblocks.map(({ hash }) => streamed.find(link => link.hash === hash));
  const standing = await readStanding(
    session,
    tip,
    links.filter(link => link !== undefined),
  );
  await undoMicroblocks(session, 0, transactionsOf(standing));
  return async () => {
    session.state = { ...session.state, streamed };
    await placeMicroblocks(session, standing);
  };
}

const transactionsOf = (standing: readonly PlacedMicroblock[]): ReadonlySet<string> =>
  new Set(standing.flatMap(({ block }) => block.txs.map(({ txId }) => txId)));

async function readStanding(
  session: Session,
  tip: KnownBlock,
  links: readonly StreamedOnTip[],
  messages = new Map<number, DecodedMicroblocks>(),
): Promise<PlacedMicroblock[]> {
  const found: PlacedMicroblock[] = [];
  for (const { hash, journalSeq, sequence } of links) {
    const message = messages.get(journalSeq) ?? (await readMicroblocksBack(session, journalSeq));
    messages.set(journalSeq, message);
    const microblock = message.microblocks.find(candidate => candidate.hash === hash);
    if (!microblock) throw new Error(`journal entry ${journalSeq} does not hold microblock ${hash}`);
    found.push({ hash, sequence, block: unanchoredBlock(microblock, tip, message) });
  }
  return found;
}

async function readMicroblocksBack(session: Session, journalSeq: number): Promise<DecodedMicroblocks> {
  const event = await readBack(session, journalSeq, '/new_microblocks', 'microblocks');
  return readMicroblocks(event.microblocks, session.network);
}

function warnOfUnreadable({ logger }: Session, { unreadable }: DecodedMicroblocks): void {
  if (unreadable.length === 0) return;
  logger.warn(
    { unreadable: unreadable.map(({ txId, reason }) => ({ txId, reason })) },
    'transactions of a microblock left out: they could not be decoded',
  );
}
