import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { insertRows, type RowOf, table } from '../../base/store/table.ts';
import type { Delivery } from './entries.ts';
import { payloadAlone, storedPayloads } from './packs.ts';

/**
 * Events that a node delivers while an archive is loaded (archive-loads.ts). The journal is the order of application, so they join it after the last row
 * of the archive. Until then they are durable here, in the order of arrival, and neither fork choice nor the mempool sees them.
 */
export const WAITING_DELIVERIES = table({
  name: 'waiting_deliveries',
  columns: {
    /** 1, 2, 3 ... without gaps, from the first waiting event on. */
    seq: 'int',
    /** Microseconds since 1970. */
    received_at: 'int',
    path: 'text',
    /** As in the journal. */
    digest: 'bytes',
    /** The payload in a frame of its own. */
    payload: 'bytes',
    /** Stored bytes of this payload and of all earlier ones since the table was empty. */
    total_bytes: 'int',
  },
  key: ['seq'],
  indexes: [['digest']],
});

/** An event that waits. */
interface WaitingDelivery extends Delivery {
  readonly seq: number;
}

type NewestWaiting = RowOf<typeof WAITING_DELIVERIES, 'seq' | 'received_at' | 'digest' | 'total_bytes'>;

/** The number of waiting events, and the bytes that they take on the disk. */
interface WaitingTotals {
  readonly count: number;
  readonly bytes: number;
}

/** Most events that join the journal in one transaction, and most stored bytes; one event always joins. */
const JOINED_TOGETHER = { count: 200, bytes: 4 * 1024 * 1024 };

export const newestWaiting = (queries: Queries): Promise<NewestWaiting | undefined> =>
  queries.get<NewestWaiting>(
    'SELECT seq, received_at, digest, total_bytes FROM waiting_deliveries ORDER BY seq DESC LIMIT 1',
  );

export async function isWaiting(queries: Queries, digest: Uint8Array): Promise<boolean> {
  return (
    (await queries.get('SELECT 1 AS found FROM waiting_deliveries WHERE digest = ? LIMIT 1', [digest])) !== undefined
  );
}

export async function waitingTotals(queries: Queries): Promise<WaitingTotals> {
  const newest = await newestWaiting(queries);
  const oldest = newest && (await oldestWaiting(queries));
  if (!newest || !oldest) return { count: 0, bytes: 0 };
  return { count: newest.seq - oldest.seq + 1, bytes: newest.total_bytes - oldest.earlier };
}

async function oldestWaiting(
  queries: Queries,
): Promise<{ readonly seq: number; readonly earlier: number } | undefined> {
  return queries.get<{ seq: number; earlier: number }>(
    'SELECT seq, total_bytes - length(payload) AS earlier FROM waiting_deliveries ORDER BY seq LIMIT 1',
  );
}

/**
 * Adds an event behind all waiting ones.
 * @param maxBytes of all waiting events
 * @throws RetryableDatabaseError (DISK_FULL)
 */
export async function addWaiting(
  tx: DatabaseTransaction,
  { path, receivedAt, body }: Delivery,
  digest: Uint8Array,
  maxBytes: number,
): Promise<void> {
  const [payload = new Uint8Array()] = storedPayloads([body]);
  const newest = await newestWaiting(tx);
  const { bytes } = await waitingTotals(tx);
  if (bytes + payload.length > maxBytes) throw full(maxBytes);
  const row = { seq: (newest?.seq ?? 0) + 1, received_at: receivedAt, path, digest, payload };
  await insertRows(tx, WAITING_DELIVERIES, [{ ...row, total_bytes: (newest?.total_bytes ?? 0) + payload.length }]);
}

/** The events that join the journal next, in order. @throws when a payload is damaged */
export async function firstWaiting(queries: Queries): Promise<WaitingDelivery[]> {
  const oldest = await oldestWaiting(queries);
  if (!oldest) return [];
  const rows = await queries.all<RowOf<typeof WAITING_DELIVERIES, 'seq' | 'received_at' | 'path' | 'payload'>>(
    `SELECT seq, received_at, path, payload FROM waiting_deliveries
      WHERE seq < ? AND (seq = ? OR total_bytes <= ?) ORDER BY seq`,
    [oldest.seq + JOINED_TOGETHER.count, oldest.seq, oldest.earlier + JOINED_TOGETHER.bytes],
  );
  return rows.map(row => ({ seq: row.seq, path: row.path, receivedAt: row.received_at, body: payloadAlone(row) }));
}

/** Removes events that join the journal, in the same transaction. @param seq of the last of them */
export const removeWaiting = (tx: DatabaseTransaction, seq: number): Promise<number> =>
  tx.run('DELETE FROM waiting_deliveries WHERE seq <= ?', [seq]);

/** The node sends the event again until the archive is loaded. */
const full = (maxBytes: number): RetryableDatabaseError =>
  new RetryableDatabaseError('DISK_FULL', `events that wait for the end of an archive take ${maxBytes} bytes already`, {
    hint: 'The event port accepts events again when the archive is loaded. --max-waiting-bytes allows more.',
  });
