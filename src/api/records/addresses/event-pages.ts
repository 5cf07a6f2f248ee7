import { toHex } from '../../../base/lib/hex.ts';
import type { Span } from '../../../base/lib/span.ts';
import type { Queries, Row } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type ADDRESS_EVENTS,
  EVENTS_OF_ADDRESS,
  INBOUND_OF_ADDRESS,
  type STX_INBOUND,
} from '../../../index/addresses/tables.ts';
import { eventV1 } from '../../../index/transactions/event-v1.ts';
import type { StoredTransaction } from '../../../index/transactions/stored.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { entriesBelow, findList, positionsOf } from '../../../ingest/indexer/lists.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { storedAt } from '../transactions/queries.ts';

/** The requested part of a list. */
interface PageQuery {
  readonly span: Span;
  readonly offset: number;
  readonly limit: number;
}

interface Page {
  readonly total: number;
  /** JSON texts. */
  readonly records: readonly string[];
}

/** A page of events that moved an asset from or to a principal, or locked its STX, newest first: a seek (getAccountAssetsV1). */
export async function assetsOfAddress(queries: Queries, principal: string, query: PageQuery): Promise<Page> {
  type Entry = RowOf<typeof ADDRESS_EVENTS, 'seq' | 'tx' | 'event_index'>;
  const { total, rows } = await slice<Entry>(queries, EVENTS_OF_ADDRESS, principal, 'tx, event_index', query);
  const positions = [...new Set(rows.map(({ tx }) => tx))];
  const eventOf = await eventsNumbered(queries, rows);
  const ids = await idsAt(queries, positions);
  const records = rows.flatMap(({ tx, event_index }) => {
    const event = eventOf(tx, event_index);
    return event ? [JSON.stringify(eventV1(ids.get(tx) ?? '', event))] : [];
  });
  return { total, records };
}

/** A page of the incoming STX of a principal with a memo, newest first: a seek (getAccountInboundV1). */
export async function inboundOfAddress(queries: Queries, principal: string, query: PageQuery): Promise<Page> {
  type Entry = RowOf<typeof STX_INBOUND, 'seq' | 'tx' | 'event_index' | 'is_bulk'>;
  const { total, rows } = await slice<Entry>(queries, INBOUND_OF_ADDRESS, principal, 'tx, event_index, is_bulk', query);
  const positions = [...new Set(rows.map(({ tx }) => tx))];
  const lookUp = await eventsNumbered(queries, rows);
  const txs = await storedAt(queries, positions);
  const records = rows.flatMap(({ tx: position, event_index, is_bulk }) => {
    const tx = txs.get(position);
    if (!tx) return [];
    return JSON.stringify({
      ...(event_index === null
        ? transferOf(tx)
        : inboundOf(lookUp(position, event_index), lookUp(position, event_index + 1), is_bulk === 1)),
      block_height: tx.blockHeight,
      tx_id: tx.txId,
      tx_index: tx.txIndex,
    });
  });
  return { total, records };
}

function transferOf({ txId, sender, payload }: StoredTransaction) {
  if (payload.type !== 'token_transfer') throw new Error(`${txId} is no token transfer`);
  const { amount, memo } = payload;
  return { sender, amount, memo, transfer_type: 'stx-transfer' };
}

/** @param next the event that follows */
function inboundOf(event: EventFacts | undefined, next: EventFacts | undefined, isBulk: boolean) {
  if (event?.kind !== 'stx') throw new Error(`event ${event?.index} moves no STX`);
  return {
    sender: event.sender ?? '',
    amount: event.amount,
    memo: (isBulk && next?.kind === 'log' ? next.value : event.memo) ?? '0x',
    transfer_type: isBulk ? 'bulk-send' : 'stx-transfer-memo',
  };
}

/** Entries of a list of a principal within a span, newest first, and how many there are. */
async function slice<R extends Row>(
  queries: Queries,
  kind: ListKind,
  principal: string,
  columns: string,
  { span, offset, limit }: PageQuery,
): Promise<{ readonly total: number; readonly rows: readonly R[] }> {
  const list = await findList(queries, kind, principal);
  if (!list) return { total: 0, rows: [] };
  const first = span.from === 0 ? 0 : await entriesBelow(queries, kind, list, 'tx', span.from);
  const end =
    span.to === Number.POSITIVE_INFINITY ? list.length : await entriesBelow(queries, kind, list, 'tx', span.to);
  const { from, to } = positionsOf({ order: 'desc', offset, limit }, end - first);
  const rows = await queries.all<R>(
    `SELECT ${columns} FROM ${kind.entries.name} WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC`,
    [list.id, first + from, first + to],
  );
  return { total: end - first, rows };
}

async function idsAt(queries: Queries, positions: readonly number[]): Promise<Map<number, string>> {
  const rows = await allIn<RowOf<typeof TXS, 'seq' | 'tx_id'>>(
    queries,
    list => `SELECT seq, tx_id FROM txs WHERE seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(({ seq, tx_id }) => [seq, toHex(tx_id)]));
}
