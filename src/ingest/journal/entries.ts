import type { Queries } from '../../base/store/database.ts';
import { type RowOf, table } from '../../base/store/table.ts';
import { PACKED_TOGETHER, payloadAlone, StoredPayloads } from './packs.ts';

/**
 * The source of truth: every accepted payload, as received, in order of arrival. The index can be rebuilt from it.
 * An entry is durable before the event is acknowledged.
 */
export const JOURNAL = table({
  name: 'journal',
  columns: {
    /** 1, 2, 3 ... without gaps. */
    seq: 'int',
    /** Microseconds since 1970. */
    received_at: 'int',
    path: 'text',
    /** Identifies a repeated delivery. */
    digest: 'bytes',
    /** The payload, byte for byte, compressed; empty if an earlier row has it (packs.ts). For dropped payloads, see dropped.ts. */
    payload: 'bytes',
  },
  key: ['seq'],
  indexes: [['digest']],
});

/** A payload as it was delivered by a node or found in an archive. */
export interface Delivery {
  readonly path: string;
  /** Microseconds since 1970. */
  readonly receivedAt: number;
  readonly body: Uint8Array;
}

export interface JournalEntry extends Delivery {
  readonly seq: number;
  /** Set if each access to `body` returns new bytes, which the reader releases after use: see release. */
  readonly isReadAnew?: true;
}

/** Supplies dropped payloads from an archive, perhaps with other bytes. */
export interface PayloadSource {
  /** Payloads of the dropped entries from `first` to `last`, both included, by position. */
  bodies(first: number, last: number): Promise<ReadonlyMap<number, Uint8Array>>;
}

type JournalRow = RowOf<typeof JOURNAL, 'seq' | 'received_at' | 'path' | 'payload'>;

const MAX_BATCH_BYTES = 32 * 1024 * 1024;
/** Bytes. */
const LARGE_BODY = 16 * 1024 * 1024;

/**
 * Up to `limit` entries after a position, in order; fewer where payloads are large.
 * @param source supplies payloads that were dropped
 * @throws FatalDatabaseError (PAYLOAD_DROPPED) when no source supplies a payload that was dropped; Error when one is damaged
 */
export async function readEntries(
  queries: Queries,
  position: number,
  limit: number,
  source?: PayloadSource,
): Promise<JournalEntry[]> {
  const next = position + 1;
  // Begin at the row that has the payload of the first entry.
  const rows = await queries.all<JournalRow>(
    `SELECT seq, received_at, path, payload FROM journal
      WHERE seq >= (SELECT max(seq) FROM journal WHERE seq > ? AND seq <= ? AND length(payload) > 0) AND seq <= ?
      ORDER BY seq`,
    [next - PACKED_TOGETHER, next, position + limit],
  );
  const payloads = new StoredPayloads();
  const entries: JournalEntry[] = [];
  let supplied: ReadonlyMap<number, Uint8Array> | undefined;
  let bytes = 0;
  for (const row of rows) {
    if (bytes > MAX_BATCH_BYTES) break;
    payloads.pass(row);
    if (row.seq < next) continue;
    const { seq, path, received_at: receivedAt } = row;
    if (payloads.isDropped && source) supplied ??= await source.bodies(next, position + limit);
    const found = payloads.isDropped ? supplied?.get(seq) : undefined;
    const body = found ?? payloads.body(seq);
    bytes += body.length;
    if (body.length > LARGE_BODY && !found) {
      release(body); // was read only to check that it is not damaged
      entries.push(largeEntry({ seq, receivedAt, path }, row));
    } else entries.push({ seq, receivedAt, path, body });
  }
  return entries;
}

/**
 * An entry whose body is in memory only while it is read: the data parsed from 80 MB takes so much memory that the body must not stay until the
 * end of the transaction.
 */
const largeEntry = (entry: Omit<JournalEntry, 'body'>, row: Pick<JournalRow, 'payload'>): JournalEntry => ({
  ...entry,
  isReadAnew: true,
  get body() {
    return payloadAlone(row);
  },
});

/** Releases the memory of bytes at once, not with the next garbage collection. Nothing may use them afterwards. */
export const release = ({ buffer }: Uint8Array): void => void (buffer instanceof ArrayBuffer && buffer.transfer(0));
