import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/lib/app-error.ts';
import type { Database } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { type Location, openDatabase, parseLocation } from '../../base/store/open.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { META } from '../../ingest/indexer/tables.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { readDropped } from '../../ingest/journal/journal-format.ts';
import { bindChain, readBinding } from './chain-binding.ts';
import { type JournalPlace, openGeneration } from './generations.ts';
import { type HeldGeneration, holdGeneration } from './holds.ts';
import { BEING_FILLED, hasLate, makeLate, type OnLate } from './late-indexes.ts';
import { refuseOnlyOther } from './other-indexes.ts';
import { refuseUnfinishedCopy } from './unfinished-copy.ts';

/** Where journal and index are. Plain data, so a worker thread can receive it. */
export interface StorageLocation {
  readonly data: string;
  readonly database: string | undefined;
  readonly chainId: number;
  /** The chain follows from a witness among the events, and the index does not name it until the block of that witness is in it. */
  readonly isRecognised?: boolean;
  /** Which index of the journal; undefined: the current one (see generations.ts). */
  readonly generation?: number;
  /** Opened to be filled: a new index gets some of its indexes later, when the caller calls `makeLate` (late-indexes.ts). */
  readonly isFilled?: boolean;
}

/** An open index: no process removes it while it is open. */
export interface OpenIndex {
  readonly indexDb: Database;
  readonly generation: number;
  close(): Promise<void>;
}

/** A journal and an index of it; `close` closes both. */
export interface Storage extends OpenIndex, JournalPlace {
  readonly index: OpenIndex;
}

/**
 * Opens journal and index, and creates missing parts. In a directory they are two SQLite files, so that writing one never
 * waits for the other; on PostgreSQL they are tables of one schema, or of two after a reindex.
 * @param onLate see openIndex
 * @throws IndexMismatch if the index does not fit this program or its options
 */
export async function openStorage(location: StorageLocation, onLate?: OnLate): Promise<Storage> {
  const place = await openJournal(location);
  try {
    const index = await openIndex(place, location.chainId, location, onLate);
    await checkPrefix(place, index).catch(async error => {
      await index.close();
      throw error;
    });
    const close = async () => {
      await index.close();
      await place.journalDb.close();
    };
    return { ...place, ...index, index, close };
  } catch (error) {
    await place.journalDb.close();
    throw error;
  }
}

/** Checks that the journal has all entries that the index has applied; else new events would get the numbers of applied ones. */
export async function checkPrefix({ journalDb }: JournalPlace, { indexDb }: Pick<OpenIndex, 'indexDb'>): Promise<void> {
  const { position } = await indexDb.read(readState);
  const length = await new Journal(journalDb).length();
  if (position <= length) return;
  throw new IndexMismatch(
    `the index is ahead of its journal: it has applied ${position} events, the journal holds ${length}`,
    'The journal has lost its end. Restore it from a backup, or build the index from what is left: stacks-index reindex',
  );
}

/** Opens the journal alone, and creates it if it is missing; the options are for PostgreSQL. @throws UnfinishedCopy, FatalDatabaseError (NEWER_FORMAT) */
export async function openJournal(
  location: Pick<StorageLocation, 'data' | 'database'>,
  options: { readonly writeTimeoutMs?: number } = {},
): Promise<JournalPlace> {
  const place = openJournalToFill(location, options);
  try {
    await refuseUnfinishedCopy(place.journalDb);
    await Journal.create(place.journalDb);
    await readDropped(place.journalDb);
    return place;
  } catch (error) {
    await place.journalDb.close();
    throw error;
  }
}

/** Opens the database of the journal, even an incomplete one, and creates no table in it. */
export function openJournalToFill(
  { data, database }: Pick<StorageLocation, 'data' | 'database'>,
  options: { readonly writeTimeoutMs?: number } = {},
): JournalPlace {
  return { data, database, journalDb: openDatabase(journalLocation({ data, database }), options) };
}

/** Opens an existing journal, for reading only; never creates one. @throws NothingStored, FatalDatabaseError */
export async function openJournalToRead({
  data,
  database,
}: Pick<StorageLocation, 'data' | 'database'>): Promise<JournalPlace> {
  if (database === undefined) refuseWithoutJournal(data);
  const journalDb = openDatabase(journalLocation({ data, database }, true));
  const check = database === undefined ? refuseWithoutTable(journalDb, data) : refuseEmptySchema(journalDb, database);
  await check
    .then(() => readDropped(journalDb))
    .catch(async error => {
      await journalDb.close();
      throw error;
    });
  return { data, database, journalDb };
}

/** A command needs a journal, but the storage has no journal. */
export class NothingStored extends AppError {
  override readonly name = 'NothingStored';
  override readonly kind = 'operator';

  constructor(message: string) {
    super(message, {
      hint: 'Check --data, --database or --from. `stacks-index replay` and `stacks-index serve` store events there first.',
    });
  }
}

function refuseWithoutJournal(data: string): void {
  if (!existsSync(data)) throw new NothingStored(`${data} does not exist`);
  if (!statSync(data).isDirectory()) throw new NothingStored(`${data} is not a directory`);
  if (existsSync(join(data, JOURNAL_FILE))) return;
  throw new NothingStored(
    readdirSync(data).length === 0 ? `${data} is empty` : `${data} holds no journal: it has no file ${JOURNAL_FILE}`,
  );
}

/** A process that was killed while it made the journal leaves a file without the table. */
async function refuseWithoutTable(journalDb: Database, data: string): Promise<void> {
  const sql = `SELECT count(*) AS found FROM sqlite_schema WHERE name = 'journal'`;
  const row = await journalDb.read(queries => queries.get<{ found: number }>(sql));
  if (row?.found !== 1)
    throw new NothingStored(`${data} holds no journal: its file ${JOURNAL_FILE} has no table of one`);
}

async function refuseEmptySchema(journalDb: Database, database: string): Promise<void> {
  const sql = `SELECT current_schema() AS schema, CASE WHEN to_regclass('journal') IS NULL THEN 0 ELSE 1 END AS found`;
  const row = await journalDb.read(queries => queries.get<{ schema: string | null; found: number }>(sql, []));
  if (row?.found === 1) return;
  const location = parseLocation({ database });
  const name = row?.schema ?? (location.kind === 'postgres' ? location.schema : undefined) ?? 'public';
  throw new NothingStored(
    row?.schema == null
      ? `the database has no schema ${name}`
      : `the schema ${name} of the database holds no journal: it has no table of this program`,
  );
}

/** The file of the journal in a directory. */
export const JOURNAL_FILE = 'journal.sqlite';

function journalLocation({ data, database }: Pick<StorageLocation, 'data' | 'database'>, readOnly = false): Location {
  if (database !== undefined) return parseLocation({ database });
  // Writers only append to the journal: few of its pages are needed twice.
  return {
    kind: 'sqlite',
    file: join(data, JOURNAL_FILE),
    durability: 'full',
    readOnly,
    cacheBytes: 8 * 1024 * 1024,
    // Digests are looked up all over the file: mapped, all of it would count as memory of a replay.
    mapped: false,
    // Dropped payloads free space.
    shrinks: true,
  };
}

/**
 * Opens an index of the journal, by default the current one, and creates its missing parts.
 * @param onLate called while it makes indexes that a stopped replay or reindex has not made; that can take minutes
 */
export async function openIndex(
  place: JournalPlace,
  chainId: number,
  { generation, isRecognised, isFilled }: Pick<StorageLocation, 'generation' | 'isRecognised' | 'isFilled'> = {},
  onLate?: OnLate,
): Promise<OpenIndex> {
  if (generation === undefined) await refuseOnlyOther(place);
  const held = await holdIndex(place, generation);
  const indexDb = await openGeneration(place, held.generation);
  const close = async () => {
    await indexDb.close();
    await held.release();
  };
  try {
    await indexDb.create([META]);
    await bindChain(indexDb, chainId, { isRecognised, isFilled });
    if (isFilled && (await indexDb.read(hasLate))) await indexDb.create(INDEX_SCHEMA.tables, { indexes: 'indexer' });
    else {
      await makeLate(indexDb, onLate);
      await indexDb.create(INDEX_SCHEMA.tables);
    }
    return { indexDb, generation: held.generation, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the current index of the journal for reading only. @throws NoIndex, UnfinishedIndex, UnfinishedCopy */
export async function openIndexToRead(place: JournalPlace): Promise<OpenIndex> {
  const { generation, release } = await holdIndex(place);
  try {
    const indexDb = await openMade(place, generation);
    const close = async () => {
      await indexDb.close();
      await release();
    };
    return { indexDb, generation, close };
  } catch (error) {
    await release();
    throw error;
  }
}

/** There is a journal, but no index of it. */
export class NoIndex extends AppError {
  override readonly name = 'NoIndex';
  override readonly kind = 'operator';

  constructor() {
    super('there is a journal, but no index of it yet', {
      hint: 'Build it from the journal: stacks-index reindex, with --chain-id if no event names the network. `stacks-index serve` does so, too.',
    });
  }
}

/** The index is being filled, or filling it was stopped: it lacks indexes without which reads would take too long. */
export class UnfinishedIndex extends AppError {
  override readonly name = 'UnfinishedIndex';
  override readonly kind = 'operator';

  constructor() {
    super(BEING_FILLED, {
      hint: 'Wait for the process that fills it. If it was stopped, run `stacks-index replay` again, which continues, or `stacks-index serve`, which completes the index as it is.',
    });
  }
}

async function openMade(place: JournalPlace, generation: number): Promise<Database> {
  let db: Database | undefined;
  try {
    db = await openGeneration(place, generation, true);
    const { schemaVersion } = await db.read(readBinding);
    if (schemaVersion === undefined) throw new NoIndex();
    if (await db.read(hasLate)) throw new UnfinishedIndex();
    return db;
  } catch (error) {
    await db?.close();
    if (!(error instanceof NoIndex) && !(error instanceof FatalDatabaseError && MISSING.has(error.code))) throw error;
    await refuseOnlyOther(place);
    throw new NoIndex();
  }
}

/** Codes of a missing file, or missing tables. */
const MISSING: ReadonlySet<string> = new Set(['ACCESS', 'SCHEMA']);

/** @throws UnfinishedCopy */
async function holdIndex(place: JournalPlace, wanted?: number): Promise<HeldGeneration> {
  const held = await holdGeneration(place, wanted);
  try {
    // After the hold, as a copy starts only while no process holds the index.
    await refuseUnfinishedCopy(place.journalDb);
    return held;
  } catch (error) {
    await held.release();
    throw error;
  }
}
