import { pino } from 'pino';
import type { Database } from '../../src/base/store/database.ts';
import { openDatabase } from '../../src/base/store/open.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import type { IndexState } from '../../src/ingest/indexer/index-state.ts';
import type { IndexSchema } from '../../src/ingest/indexer/schema.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { EngineName, Fresh, OpenFresh } from '../support/engines.ts';
import { createTables, emptyTables } from '../support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';

/** What was really done; grows while cases run. */
export interface Statistics {
  cases: number;
  deliveries: number;
  restarts: number;
  /** Times that a block of the canonical chain was taken back. */
  forks: number;
  /** Most blocks taken back at once. */
  deepestFork: number;
  /** Of the past: a step is a delivery of a chain, counted once, however many indexes get it; responses as of a block that were compared with others. */
  steps: number;
  compared: number;
  /** By operation: responses as of a block that are not those of now. */
  readonly moved: Record<string, number>;
}

export const noStatistics = (): Statistics => ({
  cases: 0,
  deliveries: 0,
  restarts: 0,
  forks: 0,
  deepestFork: 0,
  steps: 0,
  compared: 0,
  moved: {},
});

/** One database in which cases are tried, one index after the other: making the tables takes longer than most cases. */
export class Workbench {
  readonly engine: EngineName;
  readonly statistics: Statistics;
  readonly #fresh: Fresh;
  #database: Database;

  private constructor(engine: EngineName, fresh: Fresh, statistics: Statistics) {
    this.engine = engine;
    this.#fresh = fresh;
    this.#database = fresh.database;
    this.statistics = statistics;
  }

  static async open(engine: EngineName, openFresh: OpenFresh, statistics = noStatistics()): Promise<Workbench> {
    const fresh = await openFresh();
    await createTables(fresh.database);
    return new Workbench(engine, fresh, statistics);
  }

  /** The database as it is open now. */
  get database(): Database {
    return this.#database;
  }

  async close(): Promise<void> {
    await this.#database.close();
    await this.#fresh.cleanup();
  }

  /** An index in the emptied database. What was opened before must not be used again. @param schema with the usual tables */
  async openIndex(schema: IndexSchema = INDEX_SCHEMA): Promise<IndexOnBench> {
    await emptyTables(this.#database);
    return IndexOnBench.open(this, schema);
  }

  /** An index with these in its journal, applied in as few transactions as can be. */
  async indexOf(deliveries: readonly Delivery[], schema?: IndexSchema): Promise<TestIndex> {
    const { index } = await this.openIndex(schema);
    this.statistics.deliveries += deliveries.length;
    await index.journal.append(deliveries);
    await index.deliver();
    return index;
  }

  openOver(schema: IndexSchema): Promise<TestIndex> {
    return openTestIndex(this.#database, { logger: forkCounter(this.statistics), schema });
  }

  /** What another process reads over a connection of its own, after the last delivery: on the replica, if there is one. */
  async throughReader<T>(read: (index: TestIndex) => Promise<T>): Promise<T> {
    const { location, replica } = this.#fresh;
    await replica?.untilReplayed();
    const reader = openDatabase(replica?.location ?? location);
    try {
      return await read(await openTestIndex(replica === undefined ? reader : { ...this.#database, read: reader.read }));
    } finally {
      await reader.close();
    }
  }

  /** Closes the database and opens it again, as when the process starts anew. */
  async reopen(): Promise<void> {
    await this.#database.close();
    this.#database = openDatabase(this.#fresh.location);
    this.statistics.restarts++;
  }
}

/** An index that can be restarted: everything but the database is made anew. */
export class IndexOnBench {
  readonly #bench: Workbench;
  readonly #schema: IndexSchema;
  #index: TestIndex;

  private constructor(bench: Workbench, schema: IndexSchema, index: TestIndex) {
    this.#bench = bench;
    this.#schema = schema;
    this.#index = index;
  }

  static async open(bench: Workbench, schema: IndexSchema): Promise<IndexOnBench> {
    return new IndexOnBench(bench, schema, await bench.openOver(schema));
  }

  get index(): TestIndex {
    return this.#index;
  }

  async restart(): Promise<void> {
    await this.#bench.reopen();
    this.#index = await this.#bench.openOver(this.#schema);
  }

  /** Delivered as by a node, and applied so many at a time. */
  async deliver(deliveries: readonly Delivery[], batch = 1): Promise<IndexState> {
    for (let start = 0; start < deliveries.length; start += batch) {
      const part = deliveries.slice(start, start + batch);
      this.#bench.statistics.deliveries += part.length;
      await this.#index.deliver(...part);
    }
    return this.#index.state();
  }
}

/** The indexer logs when it rolls blocks back. */
const forkCounter = (statistics: Statistics) =>
  pino(
    { level: 'info', base: null },
    {
      write: (line: string) => {
        const { msg, undone } = JSON.parse(line) as { msg: string; undone?: number };
        if (msg !== 'fork' || undone === undefined) return;
        statistics.forks++;
        statistics.deepestFork = Math.max(statistics.deepestFork, undone);
      },
    },
  );
