import type { Database, DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { payloadDropped } from './dropped.ts';

/** The format of the journal, and which payloads it lacks. No row means format 1, which has all payloads. */
export const JOURNAL_FORMAT = table({
  name: 'journal_format',
  columns: {
    name: 'text',
    /** 2: payloads may be dropped. */
    format: 'int',
    /** Number of entries without their payload. */
    dropped: 'int',
    /** All entries from this position on have their payload. */
    complete_from: 'int',
  },
  key: ['name'],
});

type FormatRow = RowOf<typeof JOURNAL_FORMAT>;

const PARTIAL = 2;
const NAME = 'journal';

/** Which payloads a journal lacks. */
interface DroppedPayloads {
  /** Number of entries. */
  readonly dropped: number;
  /** All entries from this position on have their payload. */
  readonly completeFrom: number;
}

const WHOLE: DroppedPayloads = { dropped: 0, completeFrom: 1 };

/** @throws FatalDatabaseError (NEWER_FORMAT) */
export async function readDropped(journalDb: Database): Promise<DroppedPayloads> {
  try {
    return await journalDb.read(droppedIn);
  } catch (error) {
    // Journals of earlier versions have no such table.
    if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return WHOLE;
    throw error;
  }
}

/** As readDropped, in a snapshot of a journal that has the table. @throws FatalDatabaseError (NEWER_FORMAT) */
export async function droppedIn(queries: Queries): Promise<DroppedPayloads> {
  const sql = 'SELECT format, dropped, complete_from FROM journal_format WHERE name = ?';
  const row = await queries.get<Omit<FormatRow, 'name'>>(sql, [NAME]);
  if (row === undefined) return WHOLE;
  if (row.format > PARTIAL)
    throw new FatalDatabaseError(
      'NEWER_FORMAT',
      `this journal has format ${row.format}; this program reads formats up to ${PARTIAL}`,
    );
  return { dropped: row.dropped, completeFrom: row.complete_from };
}

/** Records that further payloads are dropped, in the transaction that drops them. */
export async function addDropped(tx: DatabaseTransaction, entries: number, completeFrom: number): Promise<void> {
  const before = await droppedIn(tx);
  await upsertRows(tx, JOURNAL_FORMAT, [
    {
      name: NAME,
      format: PARTIAL,
      dropped: before.dropped + entries,
      complete_from: Math.max(before.completeFrom, completeFrom),
    },
  ]);
}

/** @param what cannot be done with a partial journal, such as "export cannot write them" @throws FatalDatabaseError (PAYLOAD_DROPPED) */
export async function refusePartial(journalDb: Database, what: string, hint?: string): Promise<void> {
  const { dropped } = await readDropped(journalDb);
  if (dropped > 0) throw payloadDropped(`the payloads of ${dropped} journal entries were dropped: ${what}`, hint);
}
