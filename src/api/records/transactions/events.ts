import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  countParts,
  eventsWithin,
  firstEvents,
  furtherEvents,
  mayHaveMore,
} from '../../../index/transactions/event-parts.ts';
import { EVENTS_IN_PART, unpackEvents } from '../../../index/transactions/events.ts';
import type { TX_BODIES } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { flag, limit } from '../../http/params.ts';
import { type CursorList, inMemoryList } from '../../paging/cursor-page.ts';

/** Reading a part takes about as long as reading this many rows of a search. */
const ROWS_OF_PART = 64;

/** The events of a canonical transaction as a list for pages with cursors. @param tx its position: see positionOfTransaction */
export async function listOfEvents(queries: Queries, tx: number): Promise<CursorList<EventFacts>> {
  const first = await firstEvents(queries, tx);
  const cursorOf = (event: EventFacts) => String(event.index);
  if (!mayHaveMore(first)) return inMemoryList(first, cursorOf);
  const last = (await countParts(queries, tx)) - 1;
  const ofLast = last === 0 ? first : await furtherEvents(queries, tx, { from: last, to: last + 1 });
  return {
    length: last * EVENTS_IN_PART + ofLast.length,
    rows: (from, to) => eventsWithin(queries, tx, first, { from, to }),
    cursors: rows => rows.map(cursorOf),
  };
}

/** The first events of a transaction, and its position. */
interface OfTransaction {
  /** Position in TXS. */
  readonly tx: number;
  /** The events of part 0. */
  readonly first: readonly EventFacts[];
}

/**
 * All events of a canonical transaction, some parts at a time, so that other requests run in between.
 * @param order `desc`: the last parts first; the events within each array are ascending in both orders
 */
export async function* eventsInTurns(
  queries: Queries,
  budget: RowBudget,
  { tx, first }: OfTransaction,
  order: 'asc' | 'desc' = 'asc',
): AsyncGenerator<readonly EventFacts[], undefined> {
  if (order === 'asc') yield first;
  const parts = mayHaveMore(first) ? await countParts(queries, tx) : 1;
  for (let read = 1; read < parts; ) {
    const left = parts - read;
    const size = Math.max(1, Math.floor((await budget.take(left * ROWS_OF_PART)) / ROWS_OF_PART));
    const from = order === 'asc' ? read : left + 1 - size;
    yield await furtherEvents(queries, tx, { from, to: from + size });
    read += size;
  }
  if (order === 'desc') yield first;
  return undefined;
}

/** The events of part 0 of canonical transactions, by position; a transaction without events is missing. */
export async function firstEventsAt(
  queries: Queries,
  positions: readonly number[],
): Promise<Map<number, readonly EventFacts[]>> {
  const rows = await allIn<RowOf<typeof TX_BODIES, 'seq' | 'events'>>(
    queries,
    list => `SELECT seq, events FROM tx_bodies WHERE seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(({ seq, events }) => [seq, unpackEvents(events)]));
}

/** Events of canonical transactions, by position in TXS and number. */
type EventLookup = (tx: number, index: number) => EventFacts | undefined;

/** Looks up the events with these numbers, and the event after each of them. */
export async function eventsNumbered(
  queries: Queries,
  numbers: Iterable<{ readonly tx: number; readonly event_index: number | null }>,
): Promise<EventLookup> {
  const parts = new Map<number, Set<number>>();
  for (const { tx, event_index } of numbers) {
    const ofTx = parts.get(tx) ?? new Set();
    parts.set(tx, ofTx);
    if (event_index === null) continue;
    ofTx.add(partOf(event_index));
    ofTx.add(partOf(event_index + 1));
  }
  const found = new Map<number, Map<number, readonly EventFacts[]>>();
  for (const [tx, first] of await firstEventsAt(queries, [...parts.keys()])) {
    const ofTx = new Map([[0, first]]);
    found.set(tx, ofTx);
    for (const part of parts.get(tx) ?? [])
      if (part > 0 && mayHaveMore(first))
        ofTx.set(part, await furtherEvents(queries, tx, { from: part, to: part + 1 }));
  }
  return (tx, index) => found.get(tx)?.get(partOf(index))?.[index % EVENTS_IN_PART];
}

const partOf = (index: number): number => Math.floor(index / EVENTS_IN_PART);

/** The parameters with which a list of transactions shows their events (docs/spec/transactions.md#events-in-lists). */
export const EVENTS_IN_LISTS = {
  include_events: flag('Whether to show the events of each transaction.'),
  event_limit: limit(100, 20, 'default', 'With `include_events`: how many events of each transaction, the first ones.'),
};
