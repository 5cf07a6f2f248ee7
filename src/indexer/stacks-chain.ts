import { type BlockFacts, type DecodedBlock, readBlock, type Unreadable, withBootBlock } from '../chain/block-facts.ts';
import { chooseTip, type KnownBlock, needsParent, outranks, type Plan, planMove } from '../chain/fork-choice.ts';
import { attachStream, readMicroblocks, type StreamedMicroblock, unanchoredBlock } from '../chain/microblocks.ts';
import type { JournalEntry } from '../journal/journal.ts';
import type { NewMicroblocks } from '../node/events/microblocks.ts';
import { parseEvent } from '../node/events/parse.ts';
import { keepKnownAddresses } from '../resources/addresses/projection.ts';
import { blockRecord } from '../resources/blocks/record.ts';
import { keepDeployments } from '../resources/contracts/projection.ts';
import { confirmTransactions, returnTransactions, setChainClock } from '../resources/mempool/follow-chain.ts';
import { minedTransactions } from '../resources/transactions/mined.ts';
import { keepOrphaned, transactionsOffChain, transactionsToUndo } from '../resources/transactions/orphans.ts';
import type { StreamedOnTip } from './index-state.ts';
import type { Unit } from './projection.ts';
import type { Session } from './session.ts';
import { keepStreamedIndexes, withStreamedIndexes } from './streamed-txs.ts';
import { UNDO_LOG } from './tables.ts';
import { UndoLog } from './undo-log.ts';

/** Rows in the workspace above which it is written between two blocks: bounds the memory of a long plan. */
const FLUSH_ROWS = 50_000;

/** A block arrives: it is kept, and the index moves to the tip that fork choice names. */
export async function acceptBlock(session: Session, block: DecodedBlock, entry: JournalEntry): Promise<void> {
  const { facts, unreadable } = block;
  const connected = await session.blocks.add({
    ...facts,
    journalSeq: entry.seq,
    parentMicroblock: facts.parentMicroblock && [facts.parentMicroblock.hash, facts.parentMicroblock.sequence],
    record: JSON.stringify(blockRecord(facts)),
  });
  if (!connected) return;
  report(session, facts, unreadable);
  session.bytes.keep(unreadable);
  keepDeployments(facts, session.workspace);
  const added = connected[0];
  const extending = added !== undefined && connected.length === 1 && (await extendsTip(session, added));
  if (!extending) keepOffChain(session, facts);
  if (!added) {
    const { height, indexBlockHash, parentIndexBlockHash } = facts;
    session.logger.warn(
      { height, indexBlockHash, missingParent: parentIndexBlockHash },
      'block kept: its parent is missing',
    );
    return;
  }
  const { tip } = session.state;
  if (added.height === 0) await adoptBootBlock(session, added);
  else if (extending) await execute(session, { undo: [], apply: [added] }, facts);
  else if (connected.some(candidate => candidate.height > 0 && outranks(candidate, tip ?? undefined)))
    await moveToBestTip(session, tip?.height ?? 0);
}

async function extendsTip(session: Session, block: KnownBlock): Promise<boolean> {
  const parent = session.state.tip?.indexBlockHash;
  return parent === block.parentIndexBlockHash && (await session.blocks.burnBlockIsViable(block.burnBlockHash));
}

/** What a block names is found by its id from now on, though the block may never be canonical. */
function keepOffChain({ workspace, bytes }: Session, block: BlockFacts): void {
  bytes.keep(block.txs);
  keepKnownAddresses(block.txs, workspace);
  keepOrphaned(transactionsOffChain(block), block.indexBlockHash, workspace);
}

/** The boot block is part of block 1: where that came first, the chain is applied anew. */
async function adoptBootBlock(session: Session, boot: KnownBlock): Promise<void> {
  await session.workspace.flush();
  const { tip } = session.state;
  if (!tip) return;
  const { apply } = await planMove(session.blocks, undefined, tip);
  if (apply[0]?.parentIndexBlockHash !== boot.indexBlockHash) return;
  // The tip will be what it was, and so will be what stands on it: no node streams it again.
  const { microblocks, streamed } = session.state;
  const links = microblocks.map(({ hash }) => streamed.find(link => link.hash === hash));
  const standing = await readStanding(
    session,
    links.filter(link => link !== undefined),
  );
  await undoMicroblocks(session, 0, transactionsOf(standing));
  await execute(session, { undo: apply.toReversed(), apply });
  session.state = { ...session.state, streamed, revision: session.state.revision + 1 };
  await placeOn(session, tip, standing);
}

/**
 * The burn chain has moved: blocks may have become viable, or ceased to be.
 * @param fromBurnHeight the lowest burn height that changed
 */
export async function burnChainMoved(session: Session, fromBurnHeight: number): Promise<void> {
  await session.workspace.flush();
  const lowest = await session.blocks.lowestUnsoundFrom(fromBurnHeight);
  await moveToBestTip(session, lowest === undefined ? (session.state.tip?.height ?? 0) : lowest - 1);
}

async function moveToBestTip(session: Session, soundHeight: number): Promise<void> {
  await session.workspace.flush();
  const { tip } = session.state;
  const best = await chooseTip(session.blocks, soundHeight);
  const plan = await planMove(session.blocks, tip ?? undefined, best);
  if (plan.undo.length > 0) {
    const { length: undone } = plan.undo;
    session.logger.info({ from: tip?.height, to: best?.height ?? 0, undone, applied: plan.apply.length }, 'fork');
  }
  await execute(session, plan);
}

/** Undoes, then applies. The blocks to apply are read back from the journal unless they are at hand. */
async function execute(session: Session, plan: Plan, atHand?: BlockFacts): Promise<void> {
  if (plan.undo.length + plan.apply.length === 0) return;
  await undoMicroblocks(session, 0);
  session.state = { ...session.state, streamed: [] };
  for (const block of plan.undo) await undoTop(session, block.indexBlockHash);
  if (plan.undo.length > 0) session.state = { ...session.state, tip: await parentOfLast(session, plan.undo) };
  for (const block of plan.apply) {
    const facts = atHand?.indexBlockHash === block.indexBlockHash ? atHand : await readBack(session, block);
    await apply(
      session,
      { kind: 'block', block: await complete(session, facts), arrival: block.arrival },
      block.indexBlockHash,
    );
    session.state = { ...session.state, tip: block };
  }
  const { tip } = session.state;
  if (plan.apply.length === 0) setChainClock(session, tip && (await readBack(session, tip)));
}

async function parentOfLast(session: Session, undone: readonly KnownBlock[]): Promise<KnownBlock | null> {
  const lowest = undone.at(-1);
  return lowest && needsParent(lowest.height)
    ? ((await session.blocks.block(lowest.parentIndexBlockHash)) ?? null)
    : null;
}

async function apply(session: Session, unit: Unit, hash: string): Promise<void> {
  const { workspace, preparation, state } = session;
  const writes = await preparation.writesOf(unit.block);
  workspace.beginUnit();
  for (const write of writes) await write(unit);
  const records = workspace.endUnit();
  workspace.keep(UNDO_LOG, new UndoLog(session.tx, 'stacks').row(state.depth, hash, records));
  session.state = { ...state, depth: state.depth + 1 };
  if (unit.kind === 'block') await session.bytes.mined(unit.block.txs);
  await confirmTransactions(session, unit);
  if (workspace.pending > FLUSH_ROWS) await workspace.flush();
}

/** Takes back the newest applied unit, which must be this one. */
async function undoTop(session: Session, hash: string, stay: ReadonlySet<string> = new Set()): Promise<void> {
  const log = new UndoLog(session.tx, 'stacks');
  await session.workspace.flush();
  const top = await log.top();
  if (top?.block !== hash) throw new Error(`the newest applied block is ${top?.block}, not ${hash}`);
  const orphaned = await transactionsToUndo(session.tx, top.records);
  const taken = await minedTransactions(
    session.tx,
    orphaned.map(({ txId }) => txId),
  );
  await session.workspace.restore(top.records);
  session.bytes.keep(orphaned);
  keepOrphaned(orphaned, hash, session.workspace);
  await log.remove(top.depth);
  session.state = { ...session.state, depth: top.depth };
  const left = taken.filter(({ txId }) => !stay.has(txId));
  const boot = top.depth === 0 ? await bootTransactionsOf(session, hash) : new Set<string>();
  await returnTransactions(session, left, new Map(orphaned.map(({ txId, rawTx }) => [txId, rawTx])), boot);
}

/** Ids of the transactions that the boot block has brought into this block, the first that was applied. */
async function bootTransactionsOf(session: Session, hash: string): Promise<ReadonlySet<string>> {
  const block = await session.blocks.block(hash);
  const boot = block && (await session.blocks.block(block.parentIndexBlockHash));
  const txs = boot?.height === 0 ? (await readBack(session, boot)).txs : [];
  return new Set(txs.map(({ txId }) => txId));
}

async function readBack(session: Session, block: KnownBlock): Promise<BlockFacts> {
  const entry = await session.journal.entry(block.journalSeq);
  const event = entry && parseEvent(entry.path, entry.body);
  if (!event?.ok || event.value.path !== '/new_block')
    throw new Error(`journal entry ${block.journalSeq} does not hold block ${block.indexBlockHash}`);
  return readBlock(event.value.block, session.network).facts;
}

/** Adds what a block's own payload does not say: the boot block to block 1, the numbers of streamed transactions. */
async function complete(session: Session, facts: BlockFacts): Promise<BlockFacts> {
  const numbered = facts.microblocks.length > 0 ? await withStreamedIndexes(session, facts) : facts;
  if (numbered.height !== 1) return numbered;
  const boot = await session.blocks.block(numbered.parentIndexBlockHash);
  return boot?.height === 0 ? withBootBlock(numbered, await readBack(session, boot)) : numbered;
}

/** Microblocks arrive. Those that do not stand on the tip in an unbroken chain are ignored: a block will bring them. */
export async function acceptMicroblocks(session: Session, message: NewMicroblocks, entry: JournalEntry): Promise<void> {
  const { tip, streamed } = session.state;
  const stream = { message, ...readMicroblocks(message, session.network) };
  for (const { txs } of stream.microblocks) session.bytes.keep(txs);
  session.bytes.keep(stream.unreadable);
  if (!tip || message.parent_index_block_hash !== tip.indexBlockHash) return;
  const links = stream.microblocks.map(({ hash, parentHash, sequence }) => ({ hash, parentHash, sequence }));
  const attached = attachStream(
    streamed,
    links.map(link => ({ ...link, journalSeq: entry.seq })),
  );
  if (!attached) return;
  if (stream.unreadable.length > 0)
    session.logger.warn({ unreadable: stream.unreadable.map(named) }, 'transactions of a microblock could not be read');
  const fresh = new Set(attached.fresh.map(({ hash }) => hash));
  for (const microblock of stream.microblocks) if (fresh.has(microblock.hash)) keepStreamedIndexes(session, microblock);
  session.state = { ...session.state, streamed: [...streamed, ...attached.fresh] };
  await standOn(session, tip, attached.standing, new Map([[entry.seq, stream]]));
}

type Stream = ReturnType<typeof readMicroblocks> & { readonly message: NewMicroblocks };

/** A microblock, and the message that brought it. */
interface Streamed {
  readonly microblock: StreamedMicroblock;
  readonly message: NewMicroblocks;
}

/** Makes these the microblocks on the tip. @param streams those at hand by journal entry; others are read back */
async function standOn(
  session: Session,
  tip: KnownBlock,
  standing: readonly StreamedOnTip[],
  streams: Map<number, Stream>,
): Promise<void> {
  const before = session.state.microblocks;
  const changed = standing.findIndex(({ hash }, i) => hash !== before[i]?.hash);
  const keep = changed < 0 ? standing.length : changed;
  const added = await readStanding(session, standing.slice(keep), streams);
  await undoMicroblocks(session, keep, transactionsOf(added));
  await placeOn(session, tip, added);
}

async function placeOn(session: Session, tip: KnownBlock, added: readonly Streamed[]): Promise<void> {
  for (const { microblock, message } of added) {
    const { hash, sequence } = microblock;
    await apply(session, { kind: 'microblock', block: unanchoredBlock(microblock, tip, message) }, hash);
    session.state = { ...session.state, microblocks: [...session.state.microblocks, { hash, sequence }] };
  }
}

const transactionsOf = (streamed: readonly Streamed[]): ReadonlySet<string> =>
  new Set(streamed.flatMap(({ microblock }) => microblock.txs.map(({ txId }) => txId)));

async function readStanding(
  session: Session,
  standing: readonly StreamedOnTip[],
  streams = new Map<number, Stream>(),
): Promise<Streamed[]> {
  const found: Streamed[] = [];
  for (const { hash, journalSeq } of standing) {
    const stream = streams.get(journalSeq) ?? (await readStreamBack(session, journalSeq));
    streams.set(journalSeq, stream);
    const microblock = stream.microblocks.find(candidate => candidate.hash === hash);
    if (!microblock) throw new Error(`journal entry ${journalSeq} does not hold microblock ${hash}`);
    found.push({ microblock, message: stream.message });
  }
  return found;
}

async function readStreamBack({ journal, network }: Session, journalSeq: number): Promise<Stream> {
  const entry = await journal.entry(journalSeq);
  const event = entry && parseEvent(entry.path, entry.body);
  if (!event?.ok || event.value.path !== '/new_microblocks')
    throw new Error(`journal entry ${journalSeq} does not hold microblocks`);
  const message = event.value.microblocks;
  return { message, ...readMicroblocks(message, network) };
}

/** @param stay transactions that will be in microblocks on the tip again: the mempool never sees them */
async function undoMicroblocks(session: Session, keep: number, stay: ReadonlySet<string> = new Set()): Promise<void> {
  for (const { hash } of session.state.microblocks.slice(keep).reverse()) await undoTop(session, hash, stay);
  session.state = { ...session.state, microblocks: session.state.microblocks.slice(0, keep) };
}

const named = ({ txId, reason }: Unreadable) => ({ txId, reason });

function report(session: Session, facts: BlockFacts, unreadable: readonly Unreadable[]): void {
  if (unreadable.length === 0) return;
  session.logger.warn(
    { height: facts.height, indexBlockHash: facts.indexBlockHash, unreadable: unreadable.map(named) },
    'transactions left out: they could not be read',
  );
}
