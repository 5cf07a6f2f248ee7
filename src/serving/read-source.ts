import { join } from 'node:path';
import type { Logger } from 'pino';
import { type IndexState, readState } from '../indexer/index-state.ts';
import { within } from '../lib/deadline.ts';
import { IndexMismatch, readBinding, SCHEMA_VERSION, wrongChain, wrongSchema } from '../storage/chain-binding.ts';
import { currentGeneration, type JournalPlace, locationOf } from '../storage/generations.ts';
import { holdOnceReachable } from '../storage/holds.ts';
import { refuseUnfinishedCopy } from '../storage/unfinished-copy.ts';
import type { Database } from '../store/database.ts';
import { FatalDatabaseError, RetryableDatabaseError } from '../store/errors.ts';
import { openDatabase, parseLocation } from '../store/open.ts';
import type { QueryObserver } from '../store/query-observer.ts';

export interface ReadSourceOptions {
  readonly data: string;
  /** A PostgreSQL server, in place of the directory `data`. */
  readonly database: string | undefined;
  /** Where to say which index is in use, so that nobody removes it: the server that is written. */
  readonly primary: string | undefined;
  readonly chainId: number;
  /** Connections for the index; journal and metadata have a few more. */
  readonly poolSize: number;
  /** A query that takes longer is stopped, milliseconds. */
  readonly queryTimeoutMs: number;
  /** Is told what reads cost. */
  readonly observer?: QueryObserver | undefined;
  readonly logger: Logger;
}

/** What the view knows of a source. */
export interface ReadableSource {
  readonly engine: Database['engine'];
  readonly index: Database;
  readonly journal: Database;
  /** What was fetched of tokens. */
  readonly metadata: Database;
  /**
   * What the source shows now, or more, from the time of the call on.
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

/** How long a look may take: a server that is slower than that is as good as none. */
const LOOK_MS = 5_000;
const SMALL_POOL = 4;

/**
 * One database that can be read: a directory, or a PostgreSQL server, which may be a replica. Writes nothing. It follows the
 * current index: when `reindex` has made another one, that is read as soon as it is as far as the one before.
 */
export class ReadSource implements ReadableSource {
  readonly #options: ReadSourceOptions;
  #place: JournalPlace | undefined;
  #metadata: Database | undefined;
  #index: OpenIndex | undefined;
  /** A current index that this program cannot read: another version has built it. */
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
    return within(LOOK_MS, this.#look(), () => new RetryableDatabaseError('TIMEOUT', 'the database does not answer'));
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

  /** The index that was read goes on being read while another one cannot be. */
  #stay(generation: number, error: unknown): void {
    if (!this.#index) throw error;
    if (!(error instanceof IndexMismatch)) return;
    this.#refused = generation;
    const { hint } = error;
    this.#options.logger.warn(
      { err: error, generation, hint },
      'the index that was built anew cannot be read by this version',
    );
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

  /** Reads another index from now on; not yet, while it is behind the one before. */
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
      // It ends when nobody reads it any more, which nobody has to wait for.
      before?.close().catch(() => undefined);
    } catch (error) {
      await next.close();
      throw error;
    }
  }

  async #openIndex(place: JournalPlace, generation: number): Promise<OpenIndex> {
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

const absent = () => new FatalDatabaseError('SCHEMA', 'there is no index yet');

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new RetryableDatabaseError('CONNECTION_REFUSED', 'the database has not been read yet');
  return part;
}
