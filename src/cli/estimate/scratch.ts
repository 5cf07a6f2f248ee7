import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Database } from '../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { Indexer } from '../../ingest/indexer/indexer.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { batches } from '../../ingest/node/archive/batches.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import { openStorage, type Storage } from '../../operate/storage/storage.ts';
import { addRows, CHUNK, type RowLoad } from '../replay/add-rows.ts';
import type { Counts } from '../replay/rows.ts';

/** Time and space of loading rows. */
export interface Use {
  /** User and system time of this process. */
  readonly cpuSeconds: number;
  /** Growth of the index and the journal. */
  readonly indexBytes: number;
  readonly journalBytes: number;
}

/** An index in a directory of its own below the system's for temporary files. `close` removes it. */
export class ScratchIndex {
  readonly #directory: string;
  readonly #storage: Storage;
  readonly #load: RowLoad;

  private constructor(directory: string, storage: Storage, load: RowLoad) {
    this.#directory = directory;
    this.#storage = storage;
    this.#load = load;
  }

  static async open(options: RowLoad['options'], signal: AbortSignal): Promise<ScratchIndex> {
    const directory = await mkdtemp(join(tmpdir(), 'stacks-index-estimate-'));
    try {
      const { chainId } = options;
      const storage = await openStorage({ data: directory, database: undefined, chainId });
      const journal = new Journal(storage.journalDb);
      const logger = pino({ level: 'silent' });
      const indexer = new Indexer({ db: storage.indexDb, journal, chainId, schema: INDEX_SCHEMA, logger });
      return new ScratchIndex(directory, storage, { journal, indexer, options, signal });
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Loads rows as `replay` does; ends early when the signal comes. */
  async load(rows: readonly ArchiveRow[]): Promise<Use> {
    const before = await this.bytes();
    const counts: Counts = { read: 0, added: 0, bad: new Map() };
    const cpuSeconds = await cpuSecondsOf(async () => {
      for await (const batch of batches(rows, CHUNK)) {
        if (this.#load.signal.aborted) return;
        await addRows(batch, this.#load, counts);
      }
    });
    const after = await this.bytes();
    return {
      cpuSeconds,
      indexBytes: after.index - before.index,
      journalBytes: after.journal - before.journal,
    };
  }

  /** Sizes of the files, after everything is written to them. */
  async bytes(): Promise<{ readonly index: number; readonly journal: number }> {
    const { indexDb, journalDb } = this.#storage;
    return { index: await usedBytes(indexDb), journal: await usedBytes(journalDb) };
  }

  /** The height of its chain. */
  async height(): Promise<number> {
    return (await this.#load.indexer.state()).tip?.height ?? 0;
  }

  async close(): Promise<void> {
    try {
      await this.#storage.close();
    } finally {
      await rm(this.#directory, { recursive: true, force: true });
    }
  }
}

async function usedBytes(db: Database): Promise<number> {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
  return (await db.read(queries => queries.get<{ bytes: number }>(sql)))?.bytes ?? 0;
}

/** CPU seconds of this process during some work. No other work should run in it. */
export async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
