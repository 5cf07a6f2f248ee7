import { join } from 'node:path';
import type { Logger } from 'pino';
import { within } from '../../base/lib/deadline.ts';
import type { Database } from '../../base/store/database.ts';
import { FatalDatabaseError, RetryableDatabaseError } from '../../base/store/errors.ts';
import { openDatabase, parseLocation } from '../../base/store/open.ts';
import type { QueryObserver } from '../../base/store/query-observer.ts';
import { IndexMismatch, wrongChain } from '../../ingest/indexer/chain-id.ts';
import { type IndexState, readState } from '../../ingest/indexer/index-state.ts';
import { readBinding, SCHEMA_VERSION, wrongSchema } from '../storage/chain-binding.ts';
import { currentGeneration, isAbsent, type JournalPlace, locationOf } from '../storage/generations.ts';
import { holdOnceReachable } from '../storage/holds.ts';
import { BEING_FILLED, hasLate } from '../storage/late-indexes.ts';
import { indexToReplace, onlyOther } from '../storage/other-indexes.ts';
import { refuseUnfinishedCopy } from '../storage/unfinished-copy.ts';

interface ReadSourceOptions {
  readonly data: string;
  /** postgres:// URL, instead of the directory `data`. */
  readonly database: string | undefined;
  /** The primary, in which the source marks its index as in use, so that no process removes it. */
  readonly primary: string | undefined;
  readonly chainId: number;
  /** Connections for the index; a few more are opened for journal and metadata. */
  readonly poolSize: number;
  /** A query that takes longer is cancelled. Milliseconds. */
  readonly queryTimeoutMs: number;
  /** Receives the cost of each read. */
  readonly observer?: QueryObserver | undefined;
  readonly logger: Logger;
}

/** A source, as the view sees it. */
export interface ReadableSource {
  readonly engine: Database['engine'];
  readonly index: Database;
  readonly journal: Database;
  /** Fetched token metadata. */
  readonly metadata: Database;
  /**
   * Reads the state of the source, at the time of the call or later.
   * @throws the two database errors; IndexMismatch for an index that this program cannot read
   */
  look(): Promise<IndexState>;
  close(): Promise<void>;
}

interface OpenIndex {
  readonly generation: number;
  readonly db: Database;
  close(): Promise<void>;
}

/** How long reading the state may take. A slower server counts as unavailable. */
const LOOK_MS = 5_000;
const SMALL_POOL = 4;

/**
 * One database to read: a directory, or a PostgreSQL server, which may be a replica. It writes nothing. It follows the current index:
 * when `reindex` has built another one, the source moves to it as soon as that has caught up with the old one.
 */
export class ReadSource implements ReadableSource {
  readonly #options: ReadSourceOptions;
  #place: JournalPlace | undefined;
  #metadata: Database | undefined;
  #index: OpenIndex | undefined;
  /** The generation of a current index that this program cannot read: another version built it. */
  #refused: number | undefined;

  constructor(options: ReadSourceOptions) {
    this.#options = options;
  }

  get engine(): Database['engine'] {
    return this.#options.database === undefined ? 'sqlite' : 'postgres';
  }

  get index(): Database {
    return opened(this.#index?.db);
  }

  get journal(): Database {
    return opened(this.#place?.journalDb);
  }

  get metadata(): Database {
    return opened(this.#metadata);
  }

  look(): Promise<IndexState> {
    return within(LOOK_MS, this.#look(), () => new RetryableDatabaseError('TIMEOUT', 'the database does not respond'));
  }

  async close(): Promise<void> {
    await Promise.all([this.#index?.close(), this.#place?.journalDb.close(), this.#metadata?.close()]);
  }

  async #look(): Promise<IndexState> {
    const place = this.#open();
    const generation = await currentGeneration(place);
    if (generation !== this.#index?.generation && generation !== this.#refused)
      await this.#moveTo(place, generation).catch(error => this.#stay(generation, error));
    return this.index.read(readState);
  }

  /** Continues with the open index, as the new one cannot be read. */
  #stay(generation: number, error: unknown): void {
    if (!this.#index) throw error;
    if (!(error instanceof IndexMismatch)) return;
    this.#refused = generation;
    this.#options.logger.warn({ err: error, generation }, 'this version cannot read the rebuilt index');
  }

  #open(): JournalPlace {
    if (this.#place) return this.#place;
    const { data, database, queryTimeoutMs: statementTimeoutMs, observer } = this.#options;
    const limits = { poolSize: SMALL_POOL, statementTimeoutMs, observer };
    const at = (file: string) =>
      database === undefined
        ? openDatabase({ kind: 'sqlite', file: join(data, file), durability: 'normal', readOnly: true }, limits)
        : openDatabase(parseLocation({ database }), limits);
    const journalDb = at('journal.sqlite');
    try {
      // On PostgreSQL both are tables of one schema.
      this.#metadata = database === undefined ? at('metadata.sqlite') : journalDb;
    } catch (error) {
      journalDb.close().catch(() => undefined);
      throw error;
    }
    this.#place = { data, database, journalDb };
    return this.#place;
  }

  /** Moves to another index, unless that is still behind the old one. */
  async #moveTo(place: JournalPlace, generation: number): Promise<void> {
    const next = await this.#openIndex(place, generation);
    try {
      const { position } = await next.db.read(readState);
      const before = this.#index;
      if (before && position < (await before.db.read(readState)).position) {
        await next.close();
        return;
      }
      this.#index = next;
      // It closes after its last reader, which need not be awaited.
      before?.close().catch(() => undefined);
    } catch (error) {
      await next.close();
      throw error;
    }
  }

  async #openIndex(place: JournalPlace, generation: number): Promise<OpenIndex> {
    try {
      return await this.#openMade(place, generation);
    } catch (error) {
      const other = isAbsent(error) || error instanceof IndexMismatch ? await indexToReplace(place) : undefined;
      throw other ? absent((await onlyOther(place, other)).message) : error;
    }
  }

  async #openMade(place: JournalPlace, generation: number): Promise<OpenIndex> {
    const { chainId, primary, poolSize, queryTimeoutMs: statementTimeoutMs, observer } = this.#options;
    const location = await locationOf(place, generation);
    const db = openDatabase(location.kind === 'sqlite' ? { ...location, readOnly: true } : location, {
      poolSize,
      statementTimeoutMs,
      observer,
    });
    try {
      await refuseUnfinishedCopy(place.journalDb);
      const found = await db.read(readBinding);
      if (found.schemaVersion === undefined || found.chainId === undefined) throw absent();
      if (found.schemaVersion !== SCHEMA_VERSION) throw wrongSchema(found.schemaVersion);
      if (found.chainId !== chainId) throw wrongChain(found.chainId, chainId);
      if (await db.read(hasLate)) throw absent(BEING_FILLED);
      const release = holdOnceReachable({ ...place, database: primary ?? place.database }, generation);
      const close = async () => {
        await db.close();
        await release();
      };
      return { generation, db, close };
    } catch (error) {
      await db.close();
      throw error;
    }
  }
}

const absent = (message = 'there is no index yet') =>
  new FatalDatabaseError('SCHEMA', message, {
    hint: 'The process that writes makes it, with the first block or from the journal. It is read as soon as it is there.',
  });

function opened<T>(part: T | undefined): T {
  if (part === undefined)
    throw new RetryableDatabaseError('CONNECTION_REFUSED', 'the database has not been opened yet');
  return part;
}
