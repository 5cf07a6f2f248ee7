import { AppError } from '../../base/lib/app-error.ts';
import type { Database } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';

/*
 * The target of `stacks-index copy` or `snapshot restore` must not be used until it is complete and compared. Until then it has a mark in the database
 * of the journal, which every command opens. The mark is set before the first row is written, and removed after the last one is durable.
 */

/** At most one row: the identity of what is being copied or restored. */
export const UNFINISHED_COPY = table({
  name: 'unfinished_copy',
  columns: { source: 'text' },
  key: ['source'],
});

export class UnfinishedCopy extends AppError {
  override readonly name = 'UnfinishedCopy';
  override readonly kind = 'operator';

  constructor() {
    super('this is a copy that is not finished', {
      hint: 'Run the same `stacks-index copy --from ... --to ...` or `stacks-index snapshot restore` again: it goes on where it was. Or delete this copy, and begin a new one.',
    });
  }
}

/** @returns the identity of what is being copied here; undefined without a copy */
export async function readUnfinishedCopy(journalDb: Database): Promise<string | undefined> {
  try {
    return await journalDb.read(async queries => {
      return (await queries.get<RowOf<typeof UNFINISHED_COPY, 'source'>>('SELECT source FROM unfinished_copy'))?.source;
    });
  } catch (error) {
    // The first copy creates the table.
    if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return undefined;
    throw error;
  }
}

/** @throws UnfinishedCopy */
export async function refuseUnfinishedCopy(journalDb: Database): Promise<void> {
  if ((await readUnfinishedCopy(journalDb)) !== undefined) throw new UnfinishedCopy();
}

/** Sets the mark. Its table must exist. */
export async function markUnfinishedCopy(journalDb: Database, source: string): Promise<void> {
  await journalDb.write(tx => upsertRows(tx, UNFINISHED_COPY, [{ source }]));
}

export async function unmarkFinishedCopy(journalDb: Database): Promise<void> {
  await journalDb.write(async tx => void (await tx.run('DELETE FROM unfinished_copy')));
}
