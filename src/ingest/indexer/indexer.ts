import type { Logger } from 'pino';
import type { Database } from '../../base/store/database.ts';
import { DEFAULT_BURN_FORK_DEPTH } from '../chain/burn-chain.ts';
import { networkOf } from '../chain/network.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { Journal } from '../journal/journal.ts';
import { parseEvent } from '../node/events/parse.ts';
import { applyAlone, applyEntries, checkFollows, type IndexerInput } from './apply-entries.ts';
import { bindChainId, requireChainId } from './chain-id.ts';
import { type IndexState, lockState, readState, writeState } from './index-state.ts';
import type { IndexSchema } from './schema.ts';
import { type IndexerParts, openSession, type Session } from './session.ts';
import { EntryFailed, isOfEntry, isSetAside, readSetAside, reasonOf, setEntryAside, takeUp } from './set-aside.ts';
import { raiseRevision, takeOutBlock } from './stacks-chain.ts';
import { closeUnits } from './units.ts';
import { Workspace } from './workspace.ts';

type Parts<T> = AsyncIterable<T> | Iterable<T>;

interface IndexerOptions {
  readonly db: Database;
  readonly journal: Journal;
  readonly chainId: number;
  readonly schema: IndexSchema;
  readonly logger: Logger;
  /** Most burn blocks that a branch may take back without being longer. */
  readonly burnForkDepth?: number;
}

const CATCH_UP_ENTRIES = 200;

/**
 * Brings the index up to the journal: every entry is applied once, in order, and the position is written in the same
 * transaction as the changes of the entry. So the index always shows exactly a prefix of the journal, without the entries that are
 * set aside.
 */
export class Indexer {
  readonly #db: Database;
  readonly #parts: IndexerParts;
  /** Whether the index names its chain, as far as this indexer knows. */
  #isBound = false;
  /** The position at which this indexer left the index; its workspace has cached rows of that position. */
  #left: number | undefined;

  constructor({ burnForkDepth = DEFAULT_BURN_FORK_DEPTH, ...options }: IndexerOptions) {
    const { db, journal, chainId, schema, logger } = options;
    const workspace = new Workspace(schema.stateTables, schema.lists);
    this.#db = db;
    this.#parts = { chainId, network: networkOf(chainId), journal, workspace, schema, logger, burnForkDepth };
  }

  state(): Promise<IndexState> {
    return this.#db.read(readState);
  }

  /** Applies all entries after the position of the index. An entry that cannot be applied is set aside, and never blocks the next one. */
  async catchUp(onProgress: (state: IndexState) => void = () => {}, signal?: AbortSignal): Promise<IndexState> {
    for (;;) {
      const { position } = await this.state();
      const entries = signal?.aborted ? [] : await this.#parts.journal.readAfter(position, CATCH_UP_ENTRIES);
      if (entries.length === 0) return this.state();
      onProgress(await this.#applyOrSetAside(entries));
    }
  }

  /** Bisects to find the entries that fail, so that the others need not be applied one by one. */
  async #applyOrSetAside(entries: readonly JournalEntry[]): Promise<IndexState> {
    try {
      return await this.apply(entries);
    } catch (error) {
      const [entry] = entries;
      if (!entry || !isOfEntry(error)) throw error;
      if (entries.length === 1) return this.#setAside(entry, error);
      const half = Math.ceil(entries.length / 2);
      await this.#applyOrSetAside(entries.slice(0, half));
      return this.#applyOrSetAside(entries.slice(half));
    }
  }

  /** Continues without the entry, or without an earlier one that made it fail. */
  async #setAside(entry: JournalEntry, error: unknown): Promise<IndexState> {
    const state = await this.#inTransaction(async session => {
      checkFollows(session.state, entry);
      if (error instanceof EntryFailed && (await takeOut(session, error.position, error.message))) return;
      await setEntryAside(session, entry, reasonOf(error));
      session.state = { ...session.state, position: entry.seq };
    });
    return state.position === entry.seq ? state : this.#applyOrSetAside([entry]);
  }

  /**
   * Applies the entries that are set aside, in the order of the journal, as if they came now; those that fail again stay. So burn blocks may
   * remember other blocks than if the entries had come in their turn (docs/operations.md#events-that-are-set-aside). No other indexer may run:
   * it would not notice, as the position does not change.
   * @returns how many entries were applied
   */
  async retrySetAside(signal?: AbortSignal): Promise<number> {
    let applied = 0;
    for (let after = 0; !signal?.aborted; ) {
      const [next] = await this.#db.read(queries => readSetAside(queries, after, 1));
      if (!next) break;
      after = next.position;
      if (await this.#retry(next.position)) applied++;
    }
    return applied;
  }

  async #retry(position: number): Promise<boolean> {
    const entry = await this.#parts.journal.entry(position);
    if (!entry) return false;
    let isApplied = false;
    try {
      await this.#inTransaction(async session => {
        if (await isInIndex(session, entry)) return;
        await takeUp(session.tx, position);
        await applyAlone(session, entry);
        isApplied = !(await isSetAside(session.tx, position));
        if (isApplied) raiseRevision(session);
      });
      return isApplied;
    } catch (error) {
      if (!isOfEntry(error)) throw error;
      // The failing block may be one that waited for this one.
      const isOther = error instanceof EntryFailed && error.position !== position;
      return isOther && (await this.#takeOut(error)) ? this.#retry(position) : false;
    }
  }

  async #takeOut({ position, message }: EntryFailed): Promise<boolean> {
    let isOut = false;
    await this.#inTransaction(async session => {
      isOut = await takeOut(session, position, message);
    });
    return isOut;
  }

  /**
   * Applies these entries, which must follow the index's position, in one transaction. If an entry fails, throws its error and changes
   * nothing.
   */
  apply(entries: readonly IndexerInput[]): Promise<IndexState> {
    return this.applyParts([entries]);
  }

  /**
   * Applies entries from a stream of batches, in one transaction: a page of the index that several batches change is written
   * once. The decoded data of a batch, and rows that no longer change, are released from memory before the next batch is read.
   */
  async applyParts(parts: Parts<readonly IndexerInput[]>): Promise<IndexState> {
    return this.#inTransaction(async session => {
      for await (const entries of parts) {
        await applyEntries(session, entries);
        session.workspace.spill();
      }
    });
  }

  /** Runs work in one transaction, and writes the resulting state. */
  async #inTransaction(work: (session: Session) => Promise<void>): Promise<IndexState> {
    const { workspace } = this.#parts;
    let isBound = false;
    try {
      const state = await this.#db.write(async tx => {
        const locked = await lockState(tx);
        // Another process has written the index in between.
        if (locked.position !== this.#left) workspace.forget();
        const { chainId } = this.#parts;
        isBound = this.#isBound || (await requireChainId(tx, chainId));
        const session = openSession(this.#parts, tx, locked);
        session.hasWitness = isBound;
        await work(session);
        // Together with the block, so that an index names a chain only while it holds a witness of it.
        if (!isBound && session.hasWitness) {
          await bindChainId(tx, chainId);
          isBound = true;
        }
        closeUnits(session);
        await workspace.flush();
        await Promise.all([session.blocks.write(), session.tips.write()]);
        await session.hooks.beforeCommit();
        await writeState(tx, session.state);
        return session.state;
      });
      this.#left = state.position;
      this.#isBound = isBound;
      return state;
    } catch (error) {
      this.#left = undefined;
      throw error;
    }
  }
}

/** Whether the index has the block of the entry, without transactions that the chain has already: then it stays listed. */
async function isInIndex({ blocks }: Session, { seq, path, body }: JournalEntry): Promise<boolean> {
  const event = parseEvent(path, body);
  if (!event.ok || event.value.path !== '/new_block') return false;
  return (await blocks.block(event.value.block.index_block_hash))?.journalSeq === seq;
}

/** Removes the block of an earlier entry, and sets the entry aside. @returns false if there is nothing to remove */
async function takeOut(session: Session, position: number, reason: string): Promise<boolean> {
  const entry = await session.journal.entry(position);
  const event = entry && parseEvent(entry.path, entry.body);
  if (!entry || !event?.ok) return false;
  const { value } = event;
  const isOut =
    value.path === '/new_block'
      ? await takeOutBlock(session, value.block.index_block_hash, position)
      : value.path === '/new_burn_block' &&
        (await takeOutBurnBlock(session, value.burnBlock.burn_block_hash, position));
  if (isOut) await setEntryAside(session, entry, reason);
  return isOut;
}

async function takeOutBurnBlock({ burnBlocks, tips }: Session, hash: string, position: number): Promise<boolean> {
  const isOut = await burnBlocks.takeOut(hash, position);
  if (isOut) await tips.forgetAt(hash);
  return isOut;
}
