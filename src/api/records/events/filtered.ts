import { toHex } from '../../../base/lib/hex.ts';
import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { type CONTRACT_LOGS, LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import { type LOCK_EVENTS, LOCK_EVENTS_OF } from '../../../index/events/tables.ts';
import { firstEvents } from '../../../index/transactions/event-parts.ts';
import { eventV1 } from '../../../index/transactions/event-v1.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import { positionOfTransaction } from '../../../index/transactions/positions.ts';
import { printText } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { findList, type List } from '../../../ingest/indexer/lists.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsInTurns, eventsNumbered, listOfEvents } from '../transactions/events.ts';

/** The kinds of events by their names in the API. */
export const EVENT_KINDS = {
  smart_contract_log: 'log',
  stx_lock: 'stx_lock',
  stx_asset: 'stx',
  fungible_token_asset: 'ft',
  non_fungible_token_asset: 'nft',
} as const satisfies Readonly<Record<string, EventFacts['kind']>>;
export type EventKind = EventFacts['kind'];

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Events of a canonical transaction (0x, lower case), the last one first, as JSON texts; empty for any other one. */
export async function eventsOfTransaction(
  queries: Queries,
  budget: RowBudget,
  txId: string,
  kinds: ReadonlySet<EventKind>,
  { limit, offset }: Page,
): Promise<string[]> {
  const tx = await positionOfTransaction(queries, txId);
  if (tx === undefined) return [];
  if (Object.values(EVENT_KINDS).every(kind => kinds.has(kind))) {
    const list = await listOfEvents(queries, tx);
    const to = Math.max(0, list.length - offset);
    const events = await list.rows(Math.max(0, to - limit), to);
    return events.map(event => JSON.stringify(eventV1(txId, event))).reverse();
  }
  const page: string[] = [];
  let passed = 0;
  const first = await firstEvents(queries, tx);
  for await (const events of eventsInTurns(queries, budget, { tx, first }, 'desc')) {
    const ofKinds = events.filter(({ kind }) => kinds.has(kind)).reverse();
    const from = Math.max(0, offset - passed);
    for (const event of ofKinds.slice(from, from + limit - page.length))
      page.push(JSON.stringify(eventV1(txId, event)));
    passed += ofKinds.length;
    if (page.length === limit) break;
  }
  return page;
}

/** An event, and its place in the chain. */
interface PlacedEvent {
  /** Position in TXS. */
  readonly tx: number;
  readonly index: number;
  /** JSON text. */
  record(): string;
}

/** Newest first. */
type Events = AsyncGenerator<PlacedEvent, undefined>;

/**
 * Events of a principal, newest first, as JSON texts (docs/spec/transactions.md#events-of-a-principal). No stored list has
 * all of them in one order, so this merges transfers of its assets, locks of its STX, and its prints, from the newest on.
 */
export async function eventsOfPrincipal(
  queries: Queries,
  budget: RowBudget,
  principal: string,
  kinds: ReadonlySet<EventKind>,
  { limit, offset }: Page,
): Promise<string[]> {
  const sources: Events[] = [];
  const add = async (kind: ListKind, events: (list: List) => Events) => {
    const list = await findList(queries, kind, principal);
    if (list) sources.push(events(list));
  };
  if (kinds.has('stx') || kinds.has('ft') || kinds.has('nft'))
    await add(TXS_OF_ADDRESS, list => moves(queries, budget, list, principal, kinds));
  if (kinds.has('stx_lock')) await add(LOCK_EVENTS_OF, list => locks(queries, budget, list));
  if (kinds.has('log')) await add(LOGS_BY_CONTRACT, list => logs(queries, budget, list));
  const page: string[] = [];
  let passed = 0;
  for await (const event of merged(sources)) {
    if (passed++ < offset) continue;
    page.push(event.record());
    if (page.length === limit) break;
  }
  return page;
}

/** Events of all sources, newest first. */
async function* merged(sources: readonly Events[]): Events {
  const heads = await Promise.all(sources.map(async events => ({ events, next: (await events.next()).value })));
  for (;;) {
    const [first] = heads
      .flatMap(head => (head.next ? [{ head, event: head.next }] : []))
      .sort((a, b) => b.event.tx - a.event.tx || b.event.index - a.event.index);
    if (!first) return undefined;
    yield first.event;
    first.head.next = (await first.head.events.next()).value;
  }
}

/** Most entries of a list that are read at a time. */
const PART = 100;

/** The parts of a list, the newest first; each is taken from the budget before it is yielded. */
async function* partsOf({ length }: List, budget: RowBudget): AsyncGenerator<Span> {
  for (let to = length; to > 0; ) {
    const from = to - (await budget.take(Math.min(PART, to)));
    yield { from, to };
    to = from;
  }
}

type EventsRow = RowOf<typeof TXS, 'seq' | 'tx_id'> & RowOf<typeof TX_BODIES, 'events'>;

/** Transfers, mints and burns of assets of a principal. */
async function* moves(
  queries: Queries,
  budget: RowBudget,
  list: List,
  principal: string,
  kinds: ReadonlySet<EventKind>,
): Events {
  for await (const { from, to } of partsOf(list, budget)) {
    const rows = await queries.all<EventsRow>(
      `SELECT t.seq, t.tx_id, b.events
         FROM (SELECT tx FROM address_txs WHERE list = ? AND seq >= ? AND seq < ? AND counts IS NOT NULL
                ORDER BY seq DESC LIMIT ${PART}) e
         JOIN txs t ON t.seq = e.tx JOIN tx_bodies b ON b.seq = e.tx ORDER BY t.seq DESC`,
      [list.id, from, to],
    );
    for (const { seq, tx_id, events } of rows) {
      const ofTransaction = { tx: seq, first: unpackEvents(events) };
      for await (const some of eventsInTurns(queries, budget, ofTransaction, 'desc')) {
        for (const event of some.toReversed()) {
          if (event.kind === 'log' || event.kind === 'stx_lock' || !kinds.has(event.kind)) continue;
          if (event.sender === principal || event.recipient === principal) yield placed(seq, tx_id, event);
        }
      }
    }
  }
  return undefined;
}

/** Locks of the STX of a principal. */
async function* locks(queries: Queries, budget: RowBudget, list: List): Events {
  for await (const { from, to } of partsOf(list, budget)) {
    const rows = await queries.all<RowOf<typeof TXS, 'tx_id'> & RowOf<typeof LOCK_EVENTS, 'tx' | 'event_index'>>(
      `SELECT e.tx, t.tx_id, e.event_index
         FROM (SELECT seq, tx, event_index FROM lock_events WHERE list = ? AND seq >= ? AND seq < ?
                ORDER BY seq DESC LIMIT ${PART}) e
         JOIN txs t ON t.seq = e.tx ORDER BY e.seq DESC`,
      [list.id, from, to],
    );
    const eventOf = await eventsNumbered(queries, rows);
    for (const { tx, tx_id, event_index } of rows) {
      const event = eventOf(tx, event_index);
      if (event) yield placed(tx, tx_id, event);
    }
  }
  return undefined;
}

/** Prints of a contract. */
async function* logs(queries: Queries, budget: RowBudget, list: List): Events {
  for await (const { from, to } of partsOf(list, budget)) {
    const rows = await queries.all<RowOf<typeof CONTRACT_LOGS, 'tx' | 'event_index' | 'record'>>(
      'SELECT tx, event_index, record FROM contract_logs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
      [list.id, from, to],
    );
    for (const { tx, event_index, record } of rows) yield { tx, index: event_index, record: () => printText(record) };
  }
  return undefined;
}

const placed = (tx: number, txId: Uint8Array, event: EventFacts): PlacedEvent => ({
  tx,
  index: event.index,
  record: () => JSON.stringify(eventV1(toHex(txId), event)),
});
