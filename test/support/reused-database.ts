import { after, before } from 'node:test';
import type { Database } from '../../src/base/store/database.ts';
import { openDatabase } from '../../src/base/store/open.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import { JOURNAL_TABLES, Journal } from '../../src/ingest/journal/journal.ts';
import { METADATA_TABLES } from '../../src/metadata/tables.ts';
import { copiedFile } from './copied-files.ts';
import { type Fresh, type OpenFresh, openFreshOf } from './engines.ts';

/**
 * One database for all tests of a suite, in place of a new one for each: making the tables takes longer than most tests.
 * To be called where the suite is declared.
 * @returns a function that empties every table and gives the database; what was opened over it before must not be used again.
 */
export function reusedDatabase(openFresh: OpenFresh): () => Promise<Database> {
  let fresh: Fresh | undefined;
  before(async () => {
    fresh = await openFresh();
    await createTables(fresh.database);
    noteTables(fresh.database);
  });
  after(() => fresh?.cleanup());
  return async () => {
    if (!fresh) throw new Error('the suite has not begun');
    await emptyTables(fresh.database);
    return fresh.database;
  };
}

/** Databases that have them: to look for each takes half as long as to make it. */
const withTables = new WeakSet<Database>();

/** Notes that a database has all tables of journal, index and metadata. */
export const noteTables = (database: Database): void => void withTables.add(database);

/** Makes the tables of journal, index and metadata, unless they are there. */
export async function createTables(database: Database): Promise<void> {
  await Journal.create(database); // and its row, which `emptyTables` takes away
  if (withTables.has(database)) return;
  await database.create(INDEX_SCHEMA.tables);
  await database.create(METADATA_TABLES);
}

const NAMES = [...JOURNAL_TABLES, ...INDEX_SCHEMA.tables, ...METADATA_TABLES].map(({ name }) => name);
const [FIRST, ...OTHERS] = NAMES.map(name => `DELETE FROM ${name}`);
/** One round trip in place of one for each table; only PostgreSQL has it. */
const ALL_AT_ONCE = `WITH ${OTHERS.map((sql, i) => `rows_${i} AS (${sql})`).join(', ')} ${FIRST}`;

/** Takes every row out of them. */
export const emptyTables = (database: Database): Promise<void> =>
  database.write(async tx => {
    if (database.engine === 'postgres') await tx.run(ALL_AT_ONCE);
    else for (const name of NAMES) await tx.run(`DELETE FROM ${name}`);
  });

/** Databases of PostgreSQL that no test uses now, with their tables. */
const idle: Fresh[] = [];
// Of all files that share this process, so it is no hook of one of them.
process.once('beforeExit', async () => {
  for (const { cleanup } of idle.splice(0)) await cleanup();
});

/**
 * A database of a test, with the empty tables of journal, index and metadata. Making the tables takes longer than many tests: on
 * SQLite they come as a copy, on PostgreSQL from a test that has ended, emptied. A test that changes the shape of a table needs one of its own: `openFresh`.
 */
export async function databaseWithTables(openFresh: OpenFresh, test: Parameters<OpenFresh>[0]): Promise<Database> {
  const fresh = openFresh === openFreshOf.sqlite ? await copiedFile('tables', made) : await emptied(openFresh);
  noteTables(fresh.database);
  test?.after(() => release(fresh));
  return fresh.database;
}

const made = ({ database }: Fresh): Promise<void> => createTables(database);

async function emptied(openFresh: OpenFresh): Promise<Fresh> {
  const kept = openFresh === openFreshOf.postgres ? idle.pop() : undefined;
  const fresh = kept === undefined ? await openFresh() : { ...kept, database: openDatabase(kept.location) };
  await (kept === undefined ? createTables(fresh.database) : emptyTables(fresh.database));
  if (kept !== undefined) await dropOthers(fresh.database);
  return fresh;
}

/** Drops the tables that a test of PostgreSQL has made besides. */
const dropOthers = (database: Database): Promise<void> =>
  database.write(async tx => {
    const sql = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
    const others = (await tx.all<{ name: string }>(sql)).filter(({ name }) => !NAMES.includes(name));
    for (const { name } of others) await tx.run(`DROP TABLE ${name}`);
  });

async function release(fresh: Fresh): Promise<void> {
  await fresh.database.close();
  if (fresh.database.engine === 'postgres') idle.push(fresh);
  else await fresh.cleanup();
}
