import type { Database } from '../../base/store/database.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';
import { archiveDigest } from './digests.ts';
import type { Delivery } from './entries.ts';

/**
 * Where a reading of an archive on a server may begin after a kill, beside the journal. It only saves work: rows that are read a second time are recognised by the journal. So
 * `copy` and `snapshot` leave it out.
 */
const RESTART_POINTS = table({
  name: 'restart_points',
  columns: {
    /** The URL without user, password and query. */
    source: 'text',
    /** The version of the file on the server. */
    version: 'text',
    /** In bytes of the file: the journal has the rows before it. */
    position: 'int',
    /** Of the event of the last of these rows: a journal that was emptied does not have it. */
    digest: 'bytes',
  },
  key: ['source'],
});

interface RestartPoint {
  readonly version: string;
  readonly offset: number;
}

/** The point that is noted for a source; undefined before the first one, and where the journal lacks the events before it. */
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

/** Notes a point. To be called after the journal has stored the rows before it. @param last the event of the last one */
export const noteRestartPoint = (db: Database, source: string, point: RestartPoint, last: Delivery): Promise<void> =>
  db.write(tx =>
    upsertRows(tx, RESTART_POINTS, [
      { source, version: point.version, position: point.offset, digest: archiveDigest(last) },
    ]),
  );

/** Forgets the point of a source: it was read to its end. */
export const forgetRestartPoint = (db: Database, source: string): Promise<void> =>
  db.write(async tx => void (await tx.run('DELETE FROM restart_points WHERE source = ?', [source])));
