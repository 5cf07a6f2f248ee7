import { after, before } from 'node:test';
import { INDEX_SCHEMA } from '../../src/index-schema.ts';
import { JOURNAL, Journal } from '../../src/journal/journal.ts';
import type { Database } from '../../src/store/database.ts';
import type { Fresh, OpenFresh } from './engines.ts';

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
  });
  after(() => fresh?.cleanup());
  return async () => {
    if (!fresh) throw new Error('the suite has not begun');
    await emptyTables(fresh.database);
    return fresh.database;
  };
}

/** Makes the tables of journal and index. */
export async function createTables(database: Database): Promise<void> {
  await Journal.create(database);
  await database.create(INDEX_SCHEMA.tables);
}

/** Takes every row out of them. */
export const emptyTables = (database: Database): Promise<void> =>
  database.write(async tx => {
    for (const { name } of [JOURNAL, ...INDEX_SCHEMA.tables]) await tx.run(`DELETE FROM ${name}`);
  });
