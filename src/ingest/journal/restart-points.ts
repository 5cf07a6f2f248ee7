import type { Database } from '../../base/store/database.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { archiveDigest } from './digests.ts';
import type { Delivery } from './entries.ts';

/**
 * Where reading an archive on a server may continue after a kill. It is stored beside the journal, and only saves work: the journal recognises rows
 * that are read again. So `copy` and `snapshot` leave it out.
 */
const RESTART_POINTS = table({
  name: 'restart_points',
  columns: {
    /** The URL without user, password and query. */
    source: 'text',
    /** The version of the file on the server. */
    version: 'text',
    /** Offset in the file, in bytes: the journal has the rows before it. */
    position: 'int',
    /** Digest of the event in the last of these rows: an emptied journal does not have it. */
    digest: 'bytes',
  },
  key: ['source'],
});

interface RestartPoint {
  readonly version: string;
  readonly offset: number;
}

/** The noted point of a source; undefined before the first one, and if the journal lacks the events before it. */
export async function readRestartPoint(db: Database, source: string): Promise<RestartPoint | undefined> {
  await db.create([RESTART_POINTS]);
  const row = await db.read(queries =>
    queries.get<RowOf<typeof RESTART_POINTS, 'version' | 'position'>>(
      `SELECT version, position FROM restart_points
        WHERE source = ? AND EXISTS (SELECT 1 FROM journal WHERE journal.digest = restart_points.digest)`,
      [source],
    ),
  );
  return row && { version: row.version, offset: row.position };
}

/** Notes a point. Call it after the journal has stored the rows before it. @param last the event of the last one */
export const noteRestartPoint = (db: Database, source: string, point: RestartPoint, last: Delivery): Promise<void> =>
  db.write(tx =>
    upsertRows(tx, RESTART_POINTS, [
      { source, version: point.version, position: point.offset, digest: archiveDigest(last) },
    ]),
  );

/** Forgets the point of a source: it was read to its end. */
export const forgetRestartPoint = (db: Database, source: string): Promise<void> =>
  db.write(async tx => void (await tx.run('DELETE FROM restart_points WHERE source = ?', [source])));
