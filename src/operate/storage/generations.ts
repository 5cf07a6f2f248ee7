import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Queries } from '../../base/store/database.ts';
import { quoteAnyName, quoteName } from '../../base/store/ddl.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { type Location, openDatabase, parseLocation } from '../../base/store/open.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { readBinding, SCHEMA_VERSION } from './chain-binding.ts';

/*
 * The indexes that one schema version of this program made of one journal are numbered 0, 1, 2 ...: its generations. One of them is current. The next
 * one can be built beside it (reindex.ts); those below it are useless after their last reader.
 *
 * Names contain the schema version, here 22, so that the indexes of other releases stay as they are (other-indexes.ts). In a directory generation n is
 * the file `index.22-n.sqlite` (the first `index.22.sqlite`), and the file `index.current.22` holds the number. On PostgreSQL it is the schema
 * `SCHEMA_index_22_n` beside the SCHEMA of the journal, and the row `current.22` of the table `index_generation` holds the number. The first is in SCHEMA
 * itself, so that a role without the right to make schemas can serve; where another release has its index there, this one begins with generation 1.
 */

/** The journal that generations are of. */
export interface JournalPlace {
  readonly data: string;
  /** Set on PostgreSQL; then `data` is ignored. */
  readonly database: string | undefined;
  readonly journalDb: Database;
}

/** Which generation is current, by schema version; no row means the first. Only on PostgreSQL. */
export const INDEX_GENERATION = table({
  name: 'index_generation',
  columns: { name: 'text', generation: 'int' },
  key: ['name'],
});

const CURRENT = `current.${SCHEMA_VERSION}`;
const POINTER = `index.current.${SCHEMA_VERSION}`;

/** The number of the current index. @throws FatalDatabaseError when the record of it is damaged */
export function currentGeneration({ data, database, journalDb }: JournalPlace): Promise<number> {
  return database === undefined
    ? Promise.resolve(readPointer(join(data, POINTER)))
    : readPointerRow(journalDb, CURRENT);
}

/** The number in a file that names a generation; 0 without the file. @throws FatalDatabaseError */
export function readPointer(file: string): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw new FatalDatabaseError('ACCESS', `${file} cannot be read`, { cause: error });
  }
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new FatalDatabaseError('CORRUPT', `${file} does not hold a number`, {
    hint: `Write into it the N of the index.${SCHEMA_VERSION}-N.sqlite beside it, or delete it to use index.${SCHEMA_VERSION}.sqlite.`,
  });
}

/** The number in the row that names a generation on PostgreSQL; 0 without the row. */
export async function readPointerRow(journalDb: Database, name: string): Promise<number> {
  try {
    return await journalDb.read(async queries => {
      const sql = 'SELECT generation FROM index_generation WHERE name = ?';
      return (await queries.get<RowOf<typeof INDEX_GENERATION, 'generation'>>(sql, [name]))?.generation ?? 0;
    });
  } catch (error) {
    // Databases of versions with a single index have no such table.
    if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return 0;
    throw error;
  }
}

/** Makes a generation the current one, atomically and durably. */
export async function setCurrentGeneration(place: JournalPlace, generation: number): Promise<void> {
  if (place.database === undefined) return writePointer(place.data, generation);
  await place.journalDb.create([INDEX_GENERATION]);
  await place.journalDb.write(tx => upsertRows(tx, INDEX_GENERATION, [{ name: CURRENT, generation }]));
}

/** Replaces the file by a rename: a crash leaves the old number or the new one. */
function writePointer(data: string, generation: number): void {
  const draft = join(data, `${POINTER}.new`);
  inFile(draft, 'w', file => {
    writeSync(file, `${generation}\n`);
    fsyncSync(file);
  });
  renameSync(draft, join(data, POINTER));
  inFile(data, 'r', fsyncSync);
}

function inFile(path: string, flags: string, work: (file: number) => void): void {
  const file = openSync(path, flags);
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}

/** Where the index of a generation is, whether it exists or not. */
export async function locationOf(place: JournalPlace, generation: number): Promise<Location> {
  if (place.database === undefined) {
    // Not `full`: acknowledged events rely on the journal, and the index can always catch up with it.
    return { kind: 'sqlite', file: indexFile(place.data, generation), durability: 'normal', checkpointThread: true };
  }
  const journal = parseLocation({ database: place.database });
  if (generation === 0 || journal.kind !== 'postgres') return journal;
  const schema = `${await schemaOf(place)}_index_${SCHEMA_VERSION}_${generation}`;
  // PostgreSQL cuts longer names silently, so that two of them could become one.
  if (Buffer.byteLength(schema) > MAX_SCHEMA_NAME)
    throw new FatalDatabaseError('ACCESS', `the schema name ${schema} is too long`, {
      hint: `Names have at most ${MAX_SCHEMA_NAME} letters: use a schema with a shorter one.`,
    });
  return { ...journal, schema };
}

const MAX_SCHEMA_NAME = 63;

/** The database of a generation in a directory. */
export const indexFile = (data: string, generation = 0): string =>
  join(data, `index.${SCHEMA_VERSION}${generation === 0 ? '' : `-${generation}`}.sqlite`);

/** The schema of the journal on PostgreSQL, even if the server chooses it. */
export async function schemaOf({ journalDb }: JournalPlace): Promise<string> {
  const row = await journalDb.read(queries => queries.get<{ name: string | null }>('SELECT current_schema() AS name'));
  if (typeof row?.name !== 'string')
    throw new FatalDatabaseError('SCHEMA', 'the database has no schema for the tables');
  return row.name;
}

/** Removes the index of a generation, if it exists. It must not be in use. */
export async function removeGeneration(place: JournalPlace, generation: number): Promise<void> {
  const location = await locationOf(place, generation);
  if (location.kind === 'sqlite') removeFiles(location.file);
  else if (generation > 0) await dropSchema(place, location.schema ?? '');
  // Keeps the index of another release. Tables without a version are of an unfinished index.
  else if (((await versionBesideJournal(place)) ?? SCHEMA_VERSION) === SCHEMA_VERSION) await dropBesideJournal(place);
}

/** The schema version of the index in the schema of the journal; undefined without one. Only on PostgreSQL. */
export async function versionBesideJournal({ journalDb }: JournalPlace): Promise<number | undefined> {
  try {
    return (await journalDb.read(readBinding)).schemaVersion;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Removes the index from the schema of the journal, which also has other tables. Only on PostgreSQL. */
export async function dropBesideJournal({ journalDb }: JournalPlace): Promise<void> {
  await journalDb.write(async tx => {
    for (const { name } of INDEX_SCHEMA.tables) await tx.run(`DROP TABLE IF EXISTS ${quoteName(name)}`);
  });
}

/** Removes a database of SQLite, if it exists. */
export function removeFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Removes a schema of PostgreSQL with all tables in it, if it exists. */
export async function dropSchema({ journalDb }: JournalPlace, schema: string): Promise<void> {
  await journalDb.write(async tx => void (await tx.run(`DROP SCHEMA IF EXISTS ${quoteAnyName(schema)} CASCADE`)));
}

/** Opens the database of a generation; its tables are the caller's business. */
export async function openGeneration(place: JournalPlace, generation: number, readOnly = false): Promise<Database> {
  const location = await locationOf(place, generation);
  return openDatabase(location.kind === 'sqlite' ? { ...location, readOnly } : location);
}

/** Reads an index; undefined if it is missing or damaged. */
export async function inspect<T>(
  place: JournalPlace,
  generation: number,
  read: (queries: Queries) => Promise<T>,
): Promise<T | undefined> {
  return inspectAt(await locationOf(place, generation), read);
}

/** As `inspect`, for any index. */
export async function inspectAt<T>(location: Location, read: (queries: Queries) => Promise<T>): Promise<T | undefined> {
  let db: Database | undefined;
  try {
    db = openDatabase(location.kind === 'sqlite' ? { ...location, readOnly: true } : location);
    return await db.read(read);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  } finally {
    await db?.close();
  }
}

/** Whether an index could not be read because it, or a table of it, is missing or damaged. */
export const isAbsent = (error: unknown): boolean => error instanceof FatalDatabaseError && ABSENT.has(error.code);

const ABSENT: ReadonlySet<string> = new Set(['ACCESS', 'SCHEMA', 'CORRUPT']);
