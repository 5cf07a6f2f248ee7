import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { upsertRows } from '../../base/store/table.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { deleteMeta, readMeta } from '../../ingest/indexer/meta.ts';
import { META } from '../../ingest/indexer/tables.ts';

/**
 * An index that is filled from its beginning gets the indexes that only readers use (Table.readIndexes) at the end: then the database writes their keys in order,
 * in less time and into fuller pages. Until they exist, META has a mark: readers treat the index as absent, and a process that opens it to write, but not to fill
 * it, makes them first.
 */

/** Its name in META. */
const LATE_ENTRY = 'late_indexes';

/** Notes in a new index that some of its indexes come at the end. */
export const markLate = (tx: DatabaseTransaction): Promise<void> =>
  upsertRows(tx, META, [{ name: LATE_ENTRY, value: 'true' }]);

/** Whether indexes that readers need are still to be made. */
export const hasLate = async (queries: Queries): Promise<boolean> =>
  (await readMeta(queries, LATE_ENTRY)) !== undefined;

/** The message with which a reader refuses such an index. */
export const BEING_FILLED = 'the index is being filled: what its readers need comes at the end';

/** Called before the indexes of a table are made, with the share of tables that have theirs: 0 to 1. */
export type OnLate = (table: string, share: number) => void;

/**
 * Makes the late indexes of a marked index, in one transaction per table, and removes the mark. Does nothing without the mark.
 * @param signal stops before the next table; the mark stays then
 */
export async function makeLate(db: Database, onLate: OnLate = () => {}, signal?: AbortSignal): Promise<void> {
  if (!(await db.read(hasLate))) return;
  const tables = INDEX_SCHEMA.tables.filter(({ readIndexes }) => readIndexes);
  for (const [place, table] of tables.entries()) {
    // SQLite blocks the event loop: signals of the system can arrive only here.
    await nextTurn();
    if (signal?.aborted) return;
    onLate(table.name, place / tables.length);
    await db.create([table]);
  }
  await db.write(tx => deleteMeta(tx, LATE_ENTRY));
}
