import { setImmediate } from 'node:timers/promises';
import type { Database, Queries, Table } from '../../base/store/database.ts';
import { quoteName } from '../../base/store/ddl.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { JOURNAL_TABLES } from '../../ingest/journal/journal.ts';
import { METADATA_TABLES } from '../../metadata/tables.ts';
import { countRows } from './pages.ts';
import type { CopySource } from './source.ts';

export type PartName = 'index' | 'journal' | 'metadata';

/** The tables of each part in this program. */
export const TABLES_OF_PART: Readonly<Record<PartName, readonly Table[]>> = {
  index: INDEX_SCHEMA.tables,
  journal: JOURNAL_TABLES,
  metadata: METADATA_TABLES,
};

/** One database of the source. */
export interface Part {
  readonly name: PartName;
  readonly db: Database;
  /** Those of its tables that the source has. */
  readonly present: readonly Table[];
}

/**
 * The parts of a source in the order of copying. The index comes first: so the journal, which is read later, has all that the index
 * has applied, even if it is served meanwhile.
 */
export async function partsOf({ indexDb, journalDb, metadataDb }: CopySource): Promise<readonly [Part, ...Part[]]> {
  const part = async (name: PartName, db: Database): Promise<Part> => ({
    name,
    db,
    present: await tablesIn(db, TABLES_OF_PART[name]),
  });
  return [
    await part('index', indexDb),
    await part('journal', journalDb),
    ...(metadataDb ? [await part('metadata', metadataDb)] : []),
  ];
}

/** The tables that the database has: it may lack tables without rows. */
async function tablesIn(db: Database, tables: readonly Table[]): Promise<Table[]> {
  const found: Table[] = [];
  for (const table of tables) {
    // In a separate read: PostgreSQL accepts no statement after an error.
    const isThere = await db
      .read(queries => queries.get(`SELECT 1 AS one FROM ${quoteName(table.name)} LIMIT 1`))
      .then(
        () => true,
        error => {
          if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return false;
          throw error;
        },
      );
    if (isThere) found.push(table);
  }
  return found;
}

export async function rowTotal(parts: readonly Part[]): Promise<number> {
  let rows = 0;
  const count = async (queries: Queries, tables: readonly Table[]) => {
    for (const table of tables) rows += await countRows(queries, table);
  };
  for (const { db, present } of parts) await db.read(queries => count(queries, present));
  return rows;
}

type Doing = 'copying' | 'reading' | 'writing' | 'indexing' | 'comparing';

export interface CopyProgress {
  readonly doing: Doing;
  readonly table: string;
  /** Rows read, written or compared. A written row is also compared, and counts twice. */
  readonly done: number;
  readonly total: number;
}

/** Adds rows to the progress. @throws the reason of the signal */
export type Meter = (doing: Doing, table: Table, rows: number) => Promise<void>;

export interface MeterOptions {
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

export function meterOf(total: number, { onProgress, signal }: MeterOptions): Meter {
  let done = 0;
  return async (doing, { name }, rows) => {
    done += rows;
    onProgress({ doing, table: name, done, total });
    // With SQLite, signals can arrive only here.
    await setImmediate();
    signal.throwIfAborted();
  };
}
