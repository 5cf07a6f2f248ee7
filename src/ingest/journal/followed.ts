import type { Database } from '../../base/store/database.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { archiveDigest } from './digests.ts';
import type { Delivery } from './entries.ts';

/**
 * Progress of journaling tables of other databases. It is stored beside the journal, and only saves work: the journal recognises rows that are read again.
 * So `copy` and `snapshot` leave it out.
 */
const FOLLOWED = table({
  name: 'followed',
  columns: {
    /** See followedName. */
    source: 'text',
    /** Id of the last journaled row: all rows of lower ids are journaled, too. */
    id: 'int',
    /** Digest of that row, as the journal computes it: a different row with this id is of another table. */
    digest: 'bytes',
  },
  key: ['source'],
});

export const createFollowed = (db: Database): Promise<void> => db.create([FOLLOWED]);

/** A row of another table of events. */
export type FollowedRow = Delivery & { readonly id: number };

/** The database and the table, without user and password. */
export function followedName(url: string, tableName: string): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  for (const secret of ['user', 'password']) shown.searchParams.delete(secret);
  return `${shown.href}#${tableName}`;
}

/** Notes that the journal has the events of a row and of all rows before it. Call it after the journal has stored them. */
export const noteRow = (db: Database, source: string, row: FollowedRow): Promise<void> =>
  db.write(tx => upsertRows(tx, FOLLOWED, [{ source, id: row.id, digest: archiveDigest(row) }]));

/** The noted row of a source; undefined before the first one, and if the journal lacks its event because it was emptied. */
export const readNoted = (db: Database, source: string): Promise<RowOf<typeof FOLLOWED, 'id' | 'digest'> | undefined> =>
  db.read(queries =>
    queries.get<RowOf<typeof FOLLOWED, 'id' | 'digest'>>(
      'SELECT id, digest FROM followed WHERE source = ? AND EXISTS (SELECT 1 FROM journal WHERE journal.digest = followed.digest)',
      [source],
    ),
  );

/** Whether a row is the noted one. */
export const isNoted = ({ id, digest }: RowOf<typeof FOLLOWED, 'id' | 'digest'>, row: FollowedRow): boolean =>
  row.id === id && archiveDigest(row).equals(digest);
