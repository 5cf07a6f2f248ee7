import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import type { TX_BODIES } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { flag, limit } from '../../http/params.ts';

/** The events of a canonical transaction, in order. @param position see positionOfTransaction */
export async function eventsAt(queries: Queries, position: number): Promise<EventFacts[]> {
  const row = await queries.get<RowOf<typeof TX_BODIES, 'events'>>('SELECT events FROM tx_bodies WHERE seq = ?', [
    position,
  ]);
  return unpackEvents(row?.events ?? null);
}

/** The events of canonical transactions, by position; a transaction without events is missing. */
export async function eventsAtPositions(
  queries: Queries,
  positions: readonly number[],
): Promise<Map<number, EventFacts[]>> {
  const rows = await allIn<RowOf<typeof TX_BODIES, 'seq' | 'events'>>(
    queries,
    list => `SELECT seq, events FROM tx_bodies WHERE seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(({ seq, events }) => [seq, unpackEvents(events)]));
}

/** The parameters with which a list of transactions shows their events (docs/spec/transactions.md#events-in-lists). */
export const EVENTS_IN_LISTS = {
  include_events: flag('Whether to show the events of each transaction.'),
  event_limit: limit(100, 20, 'default', 'With `include_events`: how many events of each transaction, the first ones.'),
};
