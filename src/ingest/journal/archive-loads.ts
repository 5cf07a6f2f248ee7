import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { type RowOf, table, upsertRows } from '../../base/store/table.ts';

/**
 * The archives that `serve --replay` loads. While one of them is not complete, a load is open: events of the node wait (waiting-deliveries.ts), whichever
 * process takes them. A complete one is not read again.
 */
export const ARCHIVE_LOADS = table({
  name: 'archive_loads',
  columns: {
    /** The absolute path of a file; a URL without user, password and query. */
    source: 'text',
    /** Place among the archives that were named together, from 0. */
    place: 'int',
    /** `loading`, `failed`, `complete`. */
    state: 'text',
    /** Why it failed, and what to do; else empty. */
    reason: 'text',
    /** Of the archive as it is stored or sent; the total is 0 while it is unknown. */
    bytes_read: 'int',
    bytes_total: 'int',
    /** When the last row is expected to be in the journal, in milliseconds since 1970. */
    estimated_end: 'int?',
  },
  key: ['source'],
});

type LoadState = 'loading' | 'failed' | 'complete';

/** An archive and how far it is. */
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

/** Whether an event that a node delivers now has to wait: for the end of an archive, or for events that wait already. */
export async function mustWait(queries: Queries): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM archive_loads WHERE state <> 'complete'
      UNION ALL SELECT 1 AS found FROM (SELECT seq FROM waiting_deliveries LIMIT 1) AS waiting LIMIT 1`;
  return (await queries.get(sql)) !== undefined;
}

export async function isLoadOpen(queries: Queries): Promise<boolean> {
  return (await queries.get(`SELECT 1 AS found FROM archive_loads WHERE state <> 'complete' LIMIT 1`)) !== undefined;
}

/** Those that are open, in their order. */
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

/** Notes how far an archive is. */
export const noteLoad = (tx: DatabaseTransaction, load: ArchiveLoad): Promise<void> =>
  upsertRows(tx, ARCHIVE_LOADS, [
    {
      ...{ source: load.source, place: load.place, state: load.state, reason: load.reason },
      ...{ bytes_read: load.bytesRead, bytes_total: load.bytesTotal, estimated_end: load.estimatedEnd },
    },
  ]);

/**
 * Opens loads of these archives, but for those that are complete. Others that are open are given up: the operator names these in their place.
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
