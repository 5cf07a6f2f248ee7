/** STX that events moved to or from a principal, in the form of version 3 (docs/spec/addresses.md#stx-transfers). */
import { decodeClarityValue } from '../../../base/codec/index.ts';
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { isSendMany } from '../../../index/addresses/members.ts';
import { type ADDRESS_EVENTS, STX_FROM_ADDRESS, STX_TO_ADDRESS } from '../../../index/addresses/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import type { CursorPage, CursorQuery } from '../../paging/cursor-page.ts';
import { pageOfEvents } from '../../paging/event-lists.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { memoV3 } from '../transactions/payload-v3.ts';
import { listedAt, placesOf } from '../transactions/positions-v3.ts';

type EventRow = RowOf<typeof ADDRESS_EVENTS, 'tx' | 'event_index'>;

const LISTS = { inbound: STX_TO_ADDRESS, outbound: STX_FROM_ADDRESS } as const;

/** To a principal, or from it. */
export type Direction = keyof typeof LISTS;

/** A page of events that moved STX to or from a principal, the newest first: a seek. */
export const pageOfStxTransfers = (
  queries: Queries,
  direction: Direction,
  principal: string,
  query: CursorQuery,
): Promise<CursorPage<EventRow>> => pageOfEvents<EventRow>(queries, LISTS[direction], principal, query);

/** The transfers as they are served, in the order of the rows. */
export async function stxTransfersV3(queries: Queries, rows: readonly EventRow[], network: Network) {
  const eventOf = await eventsNumbered(queries, rows);
  const listed = await listedAt(
    queries,
    rows.map(({ tx }) => tx),
  );
  const transactions = await placesOf(queries, listed);
  const memos = new Map(
    listed.flatMap(({ tx, stored: { payload } }) => (payload.type === 'token_transfer' ? [[tx, payload.memo]] : [])),
  );
  return rows.flatMap(({ tx, event_index }) => {
    const event = eventOf(tx, event_index);
    const transaction = transactions.get(tx);
    if (event?.kind !== 'stx' || transaction === undefined) return [];
    const { sender, recipient, amount } = event;
    const { tx_id, block } = transaction;
    const memo = memoOf(memos.get(tx) ?? event.memo, eventOf(tx, event_index + 1), network);
    return [{ sender, recipient, amount, memo, transaction: { tx_id, event_index }, block }];
  });
}

/**
 * The memo of a transfer: the buffer that the send-many contract prints next, else its own. Null for an empty memo, and if that contract prints
 * anything else.
 * @param own memo of the transaction if that is a transfer, else of the event
 */
function memoOf(own: string | null, next: EventFacts | undefined, network: Network) {
  const hex = isSendMany(next, network) ? (bufferIn(next.value) ?? null) : own;
  return hex === null || hex === '0x' ? null : memoV3(hex);
}

/** The bytes of a Clarity buffer, as 0x hex; undefined for any other value. */
function bufferIn(value: string): string | undefined {
  const decoded = decodeClarityValue(hexBytes(value));
  return decoded.ok && decoded.value.type === 'buffer' ? toHex(decoded.value.value) : undefined;
}
