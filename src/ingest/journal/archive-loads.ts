import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';

/**
 * The archives that `serve --replay` loads. While one of them is incomplete, a load is open: events of the node wait (waiting-deliveries.ts), whichever
 * process receives them. A complete archive is not read again.
 */
export const ARCHIVE_LOADS = table({
  name: 'archive_loads',
  columns: {
    /** The absolute path of a file; a URL without user, password and query. */
    source: 'text',
    /** Place among the archives of one `--replay`, from 0. */
    place: 'int',
    /** `loading`, `failed`, `complete`. */
    state: 'text',
    /** Why the load failed, and what to do; else empty. */
    reason: 'text',
    /** Bytes of the archive as stored or sent; the total is 0 while unknown. */
    bytes_read: 'int',
    bytes_total: 'int',
    /** When the last row is expected to be in the journal, in milliseconds since 1970. */
    estimated_end: 'int?',
  },
  key: ['source'],
});

type LoadState = 'loading' | 'failed' | 'complete';

/** An archive and the progress of its load. */
export interface ArchiveLoad {
  readonly source: string;
  readonly place: number;
  readonly state: LoadState;
  readonly reason: string;
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Milliseconds since 1970; null while it cannot be estimated. */
  readonly estimatedEnd: number | null;
}

/** Whether a new event of a node must wait: for the end of an archive, or behind events that wait already. */
export async function mustWait(queries: Queries): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM archive_loads WHERE state <> 'complete'
      UNION ALL SELECT 1 AS found FROM (SELECT seq FROM waiting_deliveries LIMIT 1) AS waiting LIMIT 1`;
  return (await queries.get(sql)) !== undefined;
}

export async function isLoadOpen(queries: Queries): Promise<boolean> {
  return (await queries.get(`SELECT 1 AS found FROM archive_loads WHERE state <> 'complete' LIMIT 1`)) !== undefined;
}

/** The open loads, in their order. */
export async function openLoads(queries: Queries): Promise<ArchiveLoad[]> {
  const rows = await queries.all<RowOf<typeof ARCHIVE_LOADS>>(
    `SELECT source, place, state, reason, bytes_read, bytes_total, estimated_end FROM archive_loads
      WHERE state <> 'complete' ORDER BY place, source`,
  );
  return rows.map(({ source, place, state, reason, bytes_read, bytes_total, estimated_end }) => ({
    ...{ source, place, state: state as LoadState, reason },
    ...{ bytesRead: bytes_read, bytesTotal: bytes_total, estimatedEnd: estimated_end },
  }));
}

/** Writes the progress of an archive. */
export const noteLoad = (tx: DatabaseTransaction, load: ArchiveLoad): Promise<void> =>
  upsertRows(tx, ARCHIVE_LOADS, [
    {
      ...{ source: load.source, place: load.place, state: load.state, reason: load.reason },
      ...{ bytes_read: load.bytesRead, bytes_total: load.bytesTotal, estimated_end: load.estimatedEnd },
    },
  ]);

/**
 * Opens loads of these archives, except complete ones. Drops other open loads: the operator names these archives in their place.
 * @returns whether a load is open
 */
export async function beginLoads(tx: DatabaseTransaction, sources: readonly string[]): Promise<boolean> {
  const known = await tx.all<RowOf<typeof ARCHIVE_LOADS, 'source' | 'state'>>(
    'SELECT source, state FROM archive_loads',
  );
  for (const { source, state } of known)
    if (state !== 'complete' && !sources.includes(source))
      await tx.run('DELETE FROM archive_loads WHERE source = ?', [source]);
  const begun = new Set(known.map(({ source }) => source));
  for (const [place, source] of sources.entries())
    if (!begun.has(source))
      await noteLoad(tx, {
        source,
        place,
        state: 'loading',
        reason: '',
        bytesRead: 0,
        bytesTotal: 0,
        estimatedEnd: null,
      });
  return isLoadOpen(tx);
}
