/** Reads the events of canonical transactions, whose parts are in two tables. */
import { fromHex } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Span } from '../../base/lib/span.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { endOfTransactions } from '../../ingest/indexer/horizon.ts';
import { EVENTS_IN_PART, unpackEvents } from './events.ts';
import type { TX_BODIES, TX_EVENT_PARTS } from './tables.ts';

/** Parts per statement when all parts are read: about three milliseconds. */
const PARTS_AT_ONCE = 10;

/** The events of part 0. @param tx position in TXS */
export async function firstEvents(queries: Queries, tx: number): Promise<EventFacts[]> {
  const sql = 'SELECT events FROM tx_bodies WHERE seq = ?';
  const row = await queries.get<RowOf<typeof TX_BODIES, 'events'>>(sql, [tx]);
  return unpackEvents(row?.events ?? null);
}

/** The position of a canonical transaction, and its events of part 0, by its id (0x, lower case); undefined when it is not canonical. */
export async function findEvents(
  queries: Queries,
  txId: string,
): Promise<{ readonly tx: number; readonly first: EventFacts[] } | undefined> {
  const row = await queries.get<RowOf<typeof TX_BODIES, 'seq' | 'events'>>(
    `SELECT t.seq, b.events FROM txs t JOIN tx_bodies b ON b.seq = t.seq
      WHERE t.tx_id = ? AND t.seq < ? ORDER BY t.seq DESC LIMIT 1`,
    [fromHex(txId) ?? null, endOfTransactions(queries)],
  );
  return row && { tx: row.seq, first: unpackEvents(row.events) };
}

/** Whether a transaction may have events behind those of part 0. */
export const mayHaveMore = (first: readonly EventFacts[]): boolean => first.length === EVENTS_IN_PART;

/** The events of parts from 1 on. @param tx position in TXS */
export async function furtherEvents(queries: Queries, tx: number, { from, to }: Span): Promise<EventFacts[]> {
  const rows = await queries.all<RowOf<typeof TX_EVENT_PARTS, 'part' | 'events'>>(
    'SELECT part, events FROM tx_event_parts WHERE tx = ? AND part >= ? AND part < ? ORDER BY part',
    [tx, from, to],
  );
  return rows.flatMap(({ part, events }) => unpackEvents(events, part));
}

/** The number of parts of a transaction that has events. @param tx position in TXS */
export async function countParts(queries: Queries, tx: number): Promise<number> {
  const sql = 'SELECT max(part) AS last FROM tx_event_parts WHERE tx = ?';
  const row = await queries.get<{ last: number | null }>(sql, [tx]);
  return 1 + (row?.last ?? 0);
}

/**
 * All events of a transaction, in order.
 * @param tx position in TXS
 * @param packed part 0, as TX_BODIES has it
 * @param pause called before each statement
 */
export async function allEvents(
  queries: Queries,
  tx: number,
  packed: string | null,
  pause: Pause = () => undefined,
): Promise<EventFacts[]> {
  const events = unpackEvents(packed);
  if (!mayHaveMore(events)) return events;
  for (let from = 1; ; from += PARTS_AT_ONCE) {
    await pause();
    const further = await furtherEvents(queries, tx, { from, to: from + PARTS_AT_ONCE });
    for (const event of further) events.push(event);
    if (further.length < PARTS_AT_ONCE * EVENTS_IN_PART) return events;
  }
}

/** The events of a transaction with numbers in a span. @param first those of part 0 */
export async function eventsWithin(
  queries: Queries,
  tx: number,
  first: readonly EventFacts[],
  { from, to }: Span,
): Promise<EventFacts[]> {
  const events = first.slice(from, to);
  if (to <= EVENTS_IN_PART || !mayHaveMore(first)) return events;
  const parts = { from: Math.max(1, Math.floor(from / EVENTS_IN_PART)), to: Math.ceil(to / EVENTS_IN_PART) };
  const further = await furtherEvents(queries, tx, parts);
  return [...events, ...further.filter(({ index }) => index >= from && index < to)];
}
