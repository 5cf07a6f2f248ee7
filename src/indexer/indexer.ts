import type { Logger } from 'pino';
import type { Network } from '../chain/network.ts';
import type { Journal, JournalEntry } from '../journal/journal.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import { announceTransactions, dropTransactions } from '../resources/mempool/announce.ts';
import { settleMempool } from '../resources/mempool/settle.ts';
import { keepAttachments } from '../resources/names/attachments.ts';
import type { Database } from '../store/database.ts';
import { RetryableDatabaseError } from '../store/errors.ts';
import { acceptBurnBlock } from './burn-chain.ts';
import { type IndexState, lockState, readState, writeState } from './index-state.ts';
import { burnProjections, INDEX_TABLES, LIST_KINDS, projections, STATE_TABLES } from './resources.ts';
import { type IndexerParts, openSession, type Session } from './session.ts';
import { acceptBlock, acceptMicroblocks } from './stacks-chain.ts';
import { Workspace } from './workspace.ts';

/** An entry, with its event where that was read already. */
export type IndexerInput = JournalEntry & { readonly event?: NodeEvent };

export interface IndexerOptions {
  readonly db: Database;
  readonly journal: Journal;
  readonly network: Network;
  readonly logger: Logger;
}

const CATCH_UP_ENTRIES = 200;

/**
 * Brings the index up to the journal: every entry is applied once, in order, and the position is written in the same
 * transaction as what the entry changed. So the index is always exactly some prefix of the journal.
 */
export class Indexer {
  readonly #db: Database;
  readonly #parts: IndexerParts;
  /** Where this indexer left the index: what its workspace remembers is of that position. */
  #left: number | undefined;

  constructor({ db, journal, network, logger }: IndexerOptions) {
    const workspace = new Workspace(STATE_TABLES, LIST_KINDS);
    this.#db = db;
    this.#parts = { network, journal, workspace, projections, burnProjections, logger };
  }

  static create(db: Database): Promise<void> {
    return db.create(INDEX_TABLES);
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
  async apply(entries: readonly IndexerInput[]): Promise<IndexState> {
    const { workspace } = this.#parts;
    try {
      const state = await this.#db.write(async tx => {
        const locked = await lockState(tx);
        // Another process was the active writer in between.
        if (locked.position !== this.#left) workspace.forget();
        const session = openSession(this.#parts, tx, locked);
        for (const entry of entries) await applyEntry(session, entry);
        await workspace.flush();
        await settleMempool(session);
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

async function applyEntry(session: Session, entry: IndexerInput): Promise<void> {
  const { position } = session.state;
  if (entry.seq !== position + 1) {
    const message = `journal entry ${entry.seq} does not follow position ${position}`;
    // Applied already: by a commit whose outcome was not known, or by another process.
    throw entry.seq <= position ? new RetryableDatabaseError('CONFLICT', message) : new Error(message);
  }
  const event = entry.event ?? readEvent(session, entry);
  if (event) await dispatch(session, event, entry);
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

async function dispatch(session: Session, event: NodeEvent, entry: JournalEntry): Promise<void> {
  switch (event.path) {
    case '/new_block':
      return acceptBlock(session, event.block, entry);
    case '/new_burn_block':
      return acceptBurnBlock(session, event.burnBlock, entry);
    case '/new_microblocks':
      return acceptMicroblocks(session, event.microblocks, entry);
    case '/new_mempool_tx':
      return announceTransactions(session, event.rawTxs, entry);
    case '/drop_mempool_tx':
      return dropTransactions(session, event.drop);
    case '/attachments/new':
      return keepAttachments(event.attachments, session.workspace, session.network);
    case 'acknowledged':
      return;
  }
}
