import { fail, ok, type Result } from '../../base/lib/result.ts';
import { FatalDatabaseError, RetryableDatabaseError } from '../../base/store/errors.ts';
import { type DecodedBlock, readBlock } from '../chain/block-facts.ts';
import { type DecodedMicroblocks, readMicroblocks } from '../chain/microblocks.ts';
import { otherNetwork, witnessIn } from '../chain/witness.ts';
import { type JournalEntry, release } from '../journal/entries.ts';
import type { EventError } from '../node/events/json.ts';
import { type NodeEvent, parseEvent, withoutLists } from '../node/events/parse.ts';
import type { RebuiltOrigin } from '../node/events/rebuilt.ts';
import { acceptBurnBlock } from './burn-chain.ts';
import type { IndexState } from './index-state.ts';
import { acceptMicroblocks } from './microblocks.ts';
import type { Session } from './session.ts';
import { setEntryAside } from './set-aside.ts';
import { acceptBlock } from './stacks-chain.ts';

/** An entry, with its event if that was parsed already. */
export type IndexerInput = JournalEntry & { readonly event?: NodeEvent };

/** Entries that are prepared together. The decoded data of more would outlive the young generation of the heap. */
const AHEAD = 32;

/** A parsed entry, with its decoded block or microblocks. */
interface ReadEntry {
  readonly entry: JournalEntry;
  /** The event of a block has empty lists: they would take as much memory as the decoded block. */
  readonly event: Result<NodeEvent, EventError>;
  /** Whether the block proves its chain. */
  readonly isWitnessed: boolean;
  readonly block: DecodedBlock | undefined;
  /** Origin of a rebuilt block. */
  readonly origin?: RebuiltOrigin | undefined;
  readonly microblocks: DecodedMicroblocks | undefined;
}

/** Applies entries in order, which must follow the position of the session. Loads the rows that they need some entries ahead. */
export async function applyEntries(session: Session, entries: readonly IndexerInput[]): Promise<void> {
  for (let start = 0; start < entries.length; start += AHEAD) {
    const read = entries.slice(start, start + AHEAD).map(entry => readEntry(session, entry));
    const blocks = read.flatMap(({ block }) => block?.facts ?? []);
    await Promise.all([
      session.preparation.ahead(blocks),
      session.blocks.ahead(blocks),
      session.duplicates.ahead(blocks),
    ]);
    for (const entry of read) await applyEntry(session, entry);
  }
}

function parseEntry({ path, body, isReadAnew }: JournalEntry): Result<NodeEvent, EventError> {
  try {
    return parseEvent(path, body);
  } finally {
    if (isReadAnew) release(body);
  }
}

function readEntry(session: Session, entry: IndexerInput): ReadEntry {
  const parsed = entry.event ? ok(entry.event) : parseEntry(entry);
  const refused = parsed.ok ? otherNetwork(parsed.value, session.chainId) : undefined;
  const event = refused ? fail(refused) : parsed;
  const value = event.ok ? event.value : undefined;
  const microblocks =
    value?.path === '/new_microblocks' ? readMicroblocks(value.microblocks, session.network) : undefined;
  if (value?.path !== '/new_block') return { entry, event, isWitnessed: false, block: undefined, microblocks };
  const block = readBlock(value.block, session.network);
  const isWitnessed = !session.hasWitness && witnessIn(value.block) !== undefined;
  return { entry, event: ok(withoutLists(value)), isWitnessed, block, origin: value.origin, microblocks };
}

/** Applies an entry alone, whatever the position of the session. */
export async function applyAlone(session: Session, entry: JournalEntry): Promise<void> {
  const read = readEntry(session, entry);
  await session.preparation.ahead(read.block ? [read.block.facts] : []);
  await dispatch(session, read);
}

async function applyEntry(session: Session, read: ReadEntry): Promise<void> {
  const { entry } = read;
  checkFollows(session.state, entry);
  await dispatch(session, read);
  session.state = { ...session.state, position: entry.seq };
}

/** @throws DatabaseError if the entry is not the next one */
export function checkFollows({ position }: IndexState, { seq }: JournalEntry): void {
  if (seq === position + 1) return;
  const message = `journal entry ${seq} does not follow position ${position}`;
  // Applied already: by a commit whose outcome was not known, or by another process.
  throw seq <= position ? new RetryableDatabaseError('CONFLICT', message) : new FatalDatabaseError('MISUSE', message);
}

/** Dispatches an entry to its handler. Acknowledged-only entries have no handler. */
async function dispatch(session: Session, read: ReadEntry): Promise<void> {
  const { entry, event: checked, isWitnessed, block, origin, microblocks } = read;
  if (block) {
    const isKept = await acceptBlock(session, block, entry, origin);
    if (isKept && !session.hasWitness) session.hasWitness = isWitnessed;
    return;
  }
  session.extension = undefined;
  if (microblocks) return acceptMicroblocks(session, microblocks, entry);
  // Entries were checked when they were accepted; older rules, or a start without a chain id, may have let this one pass.
  if (!checked.ok) return setEntryAside(session, entry, checked.error.message);
  const event = checked.value;
  switch (event.path) {
    case '/new_burn_block':
      return acceptBurnBlock(session, event.burnBlock, entry);
    case '/new_mempool_tx':
      return session.hooks.transactionsAnnounced(event.rawTxs, entry);
    case '/drop_mempool_tx':
      return session.hooks.transactionsDropped(event.drop, entry);
    case '/attachments/new':
      session.state = { ...session.state, attachments: Math.max(session.state.attachments, entry.seq) };
      return session.hooks.attachmentsArrived(event.attachments);
    case '/new_block':
    case '/new_microblocks':
    case 'acknowledged':
      return;
    default:
      event satisfies never;
  }
}
