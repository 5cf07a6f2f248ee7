import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { eventsWithin } from '../../../index/transactions/event-parts.ts';
import { eventV1 } from '../../../index/transactions/event-v1.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import { version1Text } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';

/** The events in a response with a transaction: `limit` events from the one with index `offset` on. */
export interface EventWindow {
  readonly limit: number;
  readonly offset: number;
}

type DetailRow = RowOf<typeof TXS, 'seq' | 'tx_id' | 'record'> & RowOf<typeof TX_BODIES, 'events'>;

/**
 * The records of canonical transactions with their events, as JSON texts by id
 * (docs/spec/transactions.md#transactions-by-id). Ids are 0x, lower case; transactions that are not canonical are left
 * out.
 * @param before only transactions below this position of TXS: see firstUnanchored
 */
export async function transactionDetails(
  queries: Queries,
  txIds: Iterable<string>,
  events: EventWindow,
  before?: number | Promise<number | undefined>,
): Promise<Map<string, string>> {
  // Both are sent at once, so that PostgreSQL gets them in one message.
  const [rows, first = Number.MAX_SAFE_INTEGER] = await Promise.all([
    allIn<DetailRow>(
      queries,
      list =>
        `SELECT t.seq, t.tx_id, t.record, b.events FROM txs t JOIN tx_bodies b ON b.seq = t.seq
          WHERE t.tx_id IN ${list} ORDER BY t.seq`,
      [...txIds].map(txId => fromHex(txId) ?? null),
    ),
    before,
  ]);
  const end = Math.min(first, endOfTransactions(queries));
  const details = new Map<string, string>();
  for (const { seq, tx_id, record, events: packed } of rows) {
    const txId = toHex(tx_id);
    if (seq >= end) continue;
    const shown = await eventsShown(queries, { seq, events: packed }, events);
    details.set(txId, withEvents(version1Text(record), txId, shown));
  }
  return details;
}

/** The events of each transaction in a list: none, or the first ones. */
export interface EventsInList {
  readonly include_events: boolean;
  readonly event_limit: number;
}

/** Position of the id in a record, which begins with it. */
const ID_AT = '{"tx_id":"'.length;
const ID_LENGTH = 66;

/** The records of canonical transactions, with their first events if requested: one statement for a page. */
export async function withEventsInList(
  queries: Queries,
  records: readonly string[],
  { include_events, event_limit }: EventsInList,
): Promise<readonly string[]> {
  if (!include_events) return records;
  const ids = records.map(record => record.slice(ID_AT, ID_AT + ID_LENGTH));
  const rows = await allIn<Pick<DetailRow, 'seq' | 'tx_id' | 'events'>>(
    queries,
    list => `SELECT t.seq, t.tx_id, b.events FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.tx_id IN ${list}`,
    ids.map(txId => fromHex(txId) ?? null),
  );
  const shown = new Map<string, readonly EventFacts[]>();
  for (const row of rows)
    shown.set(toHex(row.tx_id), await eventsShown(queries, row, { offset: 0, limit: event_limit }));
  return records.map((record, i) => withEvents(record, ids[i] ?? '', shown.get(ids[i] ?? '') ?? []));
}

/** The text of the empty events in list records. No text within a record looks like it: quotes are escaped there. */
const NO_EVENTS = '"events":[]';

const eventsShown = (
  queries: Queries,
  { seq, events }: Pick<DetailRow, 'seq' | 'events'>,
  { limit, offset }: EventWindow,
): Promise<EventFacts[]> => eventsWithin(queries, seq, unpackEvents(events), { from: offset, to: offset + limit });

function withEvents(record: string, txId: string, shown: readonly EventFacts[]): string {
  if (shown.length === 0) return record;
  return record.replace(NO_EVENTS, () => `"events":${JSON.stringify(shown.map(event => eventV1(txId, event)))}`);
}
