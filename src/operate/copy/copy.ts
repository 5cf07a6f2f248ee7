import { setImmediate } from 'node:timers/promises';
import type { Database, Queries, Table } from '../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { JOURNAL } from '../../ingest/journal/journal.ts';
import { METADATA_TABLES } from '../../metadata/tables.ts';
import { openJournalToFill } from '../storage/storage.ts';
import { unmarkFinishedCopy } from '../storage/unfinished-copy.ts';
import { compareTable, type TableComparison } from './compare.ts';
import { copyImages } from './images.ts';
import { countRows, lastKey, pagesOf } from './pages.ts';
import { type CopyPlace, type CopySource, identityOf, openSource, tablesIn } from './source.ts';
import { beginFilling, emptyTables, openIndexToFill, openMetadataToFill, using, whileFilling } from './target.ts';

export interface CopyProgress {
  readonly doing: 'copying' | 'indexing' | 'comparing';
  readonly table: string;
  /** Rows that were copied or compared; every row is both. */
  readonly done: number;
  readonly total: number;
}

interface CopyOptions {
  readonly from: CopyPlace;
  readonly to: CopyPlace;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Called for every table after its comparison. */
  readonly onCompared: (comparison: TableComparison) => void;
  readonly signal: AbortSignal;
}

export interface Copied {
  /** Names of the tables that are not the same on both sides: then the target is no copy. */
  readonly differing: readonly string[];
  /** The directory of images that were left where they are, as PostgreSQL holds none. */
  readonly imagesLeft: string | undefined;
}

/**
 * Copies the journal, the current index and what was fetched about tokens, to a target that is empty or holds an unfinished
 * copy of the same; then reads both sides again and compares them. Until that has found no difference, nothing else opens the
 * target. It can be stopped or killed at any time: the next call goes on after the last row of each table.
 * @throws the reason of the signal; CopyRefused, DirectoryInUse, IndexMismatch, UnfinishedCopy (the source), the two database errors
 */
export async function copyEverything(options: CopyOptions): Promise<Copied> {
  const source = await openSource(options.from);
  try {
    const parts = await partsOf(source);
    const meter = await openMeter(parts, options);
    const differing: string[] = [];
    let imagesLeft: string | undefined;
    await whileFilling(options.to, async target => {
      // The index first: the journal, read later, has all that the index knows, also when it is served meanwhile.
      const index: Filling = {
        begin: async queries => beginFilling(target, await identityOf(queries, source)),
        open: () => openIndexToFill(target),
      };
      const journal: Filling = { begin: async () => {}, open: async () => openJournalToFill(options.to).journalDb };
      const metadata: Filling = {
        // A worker may have changed it since an earlier, interrupted copy: each copy starts with empty tables.
        begin: () => using(openMetadataToFill(target), db => emptyTables(db, METADATA_TABLES)),
        open: async () => openMetadataToFill(target),
      };
      differing.push(...(await copyPart(parts.index, index, meter)));
      differing.push(...(await copyPart(parts.journal, journal, meter)));
      if (parts.metadata) differing.push(...(await copyPart(parts.metadata, metadata, meter)));
      if (differing.length > 0) return;
      imagesLeft = await copyImages(options.from, options.to);
      await unmarkFinishedCopy(target.journalDb);
    });
    return { differing, imagesLeft };
  } finally {
    await source.close();
  }
}

/** One database of the source. */
interface Part {
  readonly db: Database;
  /** What the target gets. */
  readonly all: readonly Table[];
  /** Those of them that the source has. */
  readonly present: readonly Table[];
}

interface Parts {
  readonly index: Part;
  readonly journal: Part;
  readonly metadata: Part | undefined;
}

async function partsOf({ indexDb, journalDb, metadataDb }: CopySource): Promise<Parts> {
  const part = async (db: Database, all: readonly Table[]): Promise<Part> => ({
    db,
    all,
    present: await tablesIn(db, all),
  });
  return {
    index: await part(indexDb, INDEX_SCHEMA.tables),
    journal: await part(journalDb, [JOURNAL]),
    metadata: metadataDb && (await part(metadataDb, METADATA_TABLES)),
  };
}

/** How a part gets into the target. */
interface Filling {
  /** @param source the snapshot that is copied */
  begin(source: Queries): Promise<void>;
  open(): Promise<Database>;
}

/** Copies and compares one snapshot. @returns the names of the tables that differ */
async function copyPart({ db, all, present }: Part, { begin, open }: Filling, meter: Meter): Promise<string[]> {
  const differing = await db.read(async source => {
    await begin(source);
    return using(await open(), async target => {
      await target.create(all, { indexes: false });
      for (const table of present) await copyRows(table, source, target, meter);
      return differingTables(present, source, target, meter);
    });
  });
  if (differing.length === 0) await using(await open(), target => createIndexes(all, target, meter));
  return differing;
}

async function differingTables(
  tables: readonly Table[],
  source: Queries,
  target: Database,
  meter: Meter,
): Promise<string[]> {
  const differing: string[] = [];
  for (const table of tables) {
    const comparison = await compareTable(table, source, target, rows => meter.tell('comparing', table, rows));
    meter.compared(comparison);
    if (!comparison.same) differing.push(table.name);
  }
  return differing;
}

/** Each in a transaction of its own, which on SQLite goes through the write-ahead log. */
async function createIndexes(tables: readonly Table[], target: Database, meter: Meter): Promise<void> {
  for (const table of tables.filter(({ indexes }) => indexes)) {
    await meter.tell('indexing', table, 0);
    await target.create([table]);
  }
}

/** Rows are written in the order of the key, so that a later run continues after the last one. */
async function copyRows(table: Table, source: Queries, target: Database, meter: Meter): Promise<void> {
  const { last, rows } = await target.read(async queries => ({
    last: await lastKey(queries, table),
    rows: await countRows(queries, table),
  }));
  await meter.tell('copying', table, rows);
  for await (const page of pagesOf(source, table, last)) {
    await target.write(tx => tx.insertMany(table, page));
    await meter.tell('copying', table, page.length);
  }
}

interface Meter {
  /** @throws the reason of the signal */
  tell(doing: CopyProgress['doing'], table: Table, rows: number): Promise<void>;
  compared(comparison: TableComparison): void;
}

async function openMeter(
  { index, journal, metadata }: Parts,
  { onProgress, onCompared, signal }: CopyOptions,
): Promise<Meter> {
  let total = 0;
  for (const part of [index, journal, metadata])
    await part?.db.read(async queries => {
      for (const table of part.present) total += 2 * (await countRows(queries, table));
    });
  let done = 0;
  return {
    async tell(doing, { name }, rows) {
      done += rows;
      onProgress({ doing, table: name, done, total });
      // From a directory to a directory nothing else lets a signal in.
      await setImmediate();
      signal.throwIfAborted();
    },
    compared: onCompared,
  };
}
