import type { Logger } from 'pino';
import { type DecodedBlock, readBlock } from '../chain/block-facts.ts';
import { type DecodedMicroblocks, readMicroblocks } from '../chain/microblocks.ts';
import type { Network } from '../chain/network.ts';
import type { Journal, JournalEntry } from '../journal/journal.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import type { Database } from '../store/database.ts';
import { RetryableDatabaseError } from '../store/errors.ts';
import { acceptBurnBlock } from './burn-chain.ts';
import { type IndexState, lockState, readState, writeState } from './index-state.ts';
import { acceptMicroblocks } from './microblocks.ts';
import type { IndexSchema } from './schema.ts';
import { type IndexerParts, openSession, type Session } from './session.ts';
import { acceptBlock } from './stacks-chain.ts';
import { Workspace } from './workspace.ts';

type Parts<T> = AsyncIterable<T> | Iterable<T>;

/** An entry, with its event where that was read already. */
export type IndexerInput = JournalEntry & { readonly event?: NodeEvent };

export interface IndexerOptions {
  readonly db: Database;
  readonly journal: Journal;
  readonly network: Network;
  readonly schema: IndexSchema;
  readonly logger: Logger;
}

const CATCH_UP_ENTRIES = 200;
/** Entries that are prepared together. What is decoded of more would outlive the young generation of the heap. */
const AHEAD = 32;

/**
 * Brings the index up to the journal: every entry is applied once, in order, and the position is written in the same
 * transaction as what the entry changed. So the index is always exactly some prefix of the journal.
 */
export class Indexer {
  readonly #db: Database;
  readonly #parts: IndexerParts;
  /** Where this indexer left the index: what its workspace remembers is of that position. */
  #left: number | undefined;

  constructor({ db, journal, network, schema, logger }: IndexerOptions) {
    const workspace = new Workspace(schema.stateTables, schema.lists);
    this.#db = db;
    this.#parts = { network, journal, workspace, schema, logger };
  }

  state(): Promise<IndexState> {
    return this.#db.read(readState);
  }

  /** Applies everything the journal has beyond the index. */
  async catchUp(onProgress: (state: IndexState) => void = () => {}, signal?: AbortSignal): Promise<IndexState> {
    for (;;) {
      const { position } = await this.state();
      const entries = signal?.aborted ? [] : await this.#parts.journal.readAfter(position, CATCH_UP_ENTRIES);
      if (entries.length === 0) return this.state();
      onProgress(await this.apply(entries));
    }
  }

  /** Applies these entries, which must follow the index's position, in one transaction. */
  apply(entries: readonly IndexerInput[]): Promise<IndexState> {
    return this.applyParts([entries]);
  }

  /**
   * Applies entries that are had part by part, in one transaction: a page of the index that several parts change is written once. What is
   * decoded of a part, and the rows that do not change any more, leave the memory before the next one is asked for.
   */
  async applyParts(parts: Parts<readonly IndexerInput[]>): Promise<IndexState> {
    const { workspace } = this.#parts;
    try {
      const state = await this.#db.write(async tx => {
        const locked = await lockState(tx);
        // Another process was the active writer in between.
        if (locked.position !== this.#left) workspace.forget();
        const session = openSession(this.#parts, tx, locked);
        for await (const entries of parts) {
          await applyEntries(session, entries);
          workspace.spill();
        }
        await workspace.flush();
        await session.hooks.beforeCommit();
        await writeState(tx, session.state);
        return session.state;
      });
      this.#left = state.position;
      return state;
    } catch (error) {
      this.#left = undefined;
      throw error;
    }
  }
}

/** An entry that was read: without an event where it says nothing, with the block or the microblocks that it brings. */
interface ReadEntry {
  readonly entry: JournalEntry;
  readonly event: NodeEvent | undefined;
  readonly block: DecodedBlock | undefined;
  readonly microblocks: DecodedMicroblocks | undefined;
}

async function applyEntries(session: Session, entries: readonly IndexerInput[]): Promise<void> {
  for (let start = 0; start < entries.length; start += AHEAD) {
    const read = entries.slice(start, start + AHEAD).map(entry => readEntry(session, entry));
    await session.preparation.ahead(read.flatMap(({ block }) => block?.facts ?? []));
    for (const entry of read) await applyEntry(session, entry);
  }
}

function readEntry(session: Session, entry: IndexerInput): ReadEntry {
  const event = entry.event ?? readEvent(session, entry);
  const microblocks =
    event?.path === '/new_microblocks' ? readMicroblocks(event.microblocks, session.network) : undefined;
  const block = event?.path === '/new_block' ? readBlock(event.block, session.network) : undefined;
  return { entry, event, block, microblocks };
}

async function applyEntry(session: Session, read: ReadEntry): Promise<void> {
  const { entry } = read;
  const { position } = session.state;
  if (entry.seq !== position + 1) {
    const message = `journal entry ${entry.seq} does not follow position ${position}`;
    // Applied already: by a commit whose outcome was not known, or by another process.
    throw entry.seq <= position ? new RetryableDatabaseError('CONFLICT', message) : new Error(message);
  }
  await dispatch(session, read);
  session.state = { ...session.state, position: entry.seq };
}

/** Entries were checked when they were accepted; one that older rules let pass is named and passed over. */
function readEvent(session: Session, entry: JournalEntry): NodeEvent | undefined {
  const event = parseEvent(entry.path, entry.body);
  if (event.ok) return event.value;
  session.logger.error(
    { seq: entry.seq, path: entry.path, reason: event.error.message },
    'journal entry cannot be read',
  );
  return undefined;
}

/** Hands an entry to whom it concerns. One that says nothing, or is only acknowledged, concerns nobody. */
async function dispatch(session: Session, { entry, event, block, microblocks }: ReadEntry): Promise<void> {
  if (block) return acceptBlock(session, block, entry);
  if (microblocks) return acceptMicroblocks(session, microblocks, entry);
  switch (event?.path) {
    case '/new_burn_block':
      return acceptBurnBlock(session, event.burnBlock, entry);
    case '/new_mempool_tx':
      return session.hooks.transactionsAnnounced(event.rawTxs, entry);
    case '/drop_mempool_tx':
      return session.hooks.transactionsDropped(event.drop);
    case '/attachments/new':
      return session.hooks.attachmentsArrived(event.attachments);
    case '/new_block':
    case '/new_microblocks':
    case 'acknowledged':
    case undefined:
      return;
    default:
      event satisfies never;
  }
}
