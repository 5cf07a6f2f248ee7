/**
 * Transfers, mints and burns of a fungible token in the form of version 3
 * (docs/spec/addresses.md#transfers-of-a-token).
 */

import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type FT_EVENTS, FT_EVENTS_OF } from '../../../index/events/tables.ts';
import { entriesBelow, findList } from '../../../ingest/indexer/lists.ts';
import { amount, count, hash, nullable, principal } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import type { CursorPage, CursorQuery } from '../../paging/cursor-page.ts';
import { pageOfEvents } from '../../paging/event-lists.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { transactionsAt } from '../transactions/positions-v3.ts';
import { BlockPositionSchemaV3 } from '../transactions/schema-v3.ts';

/** An event that moved a token. */
export const FtTransferSchemaV3 = Type.Object(
  {
    sender: nullable(principal(), 'Null for a mint'),
    recipient: nullable(principal(), 'Null for a burn'),
    amount: amount('In the smallest unit'),
    transaction: Type.Object({ tx_id: hash(), event_index: count('Position among the events of the transaction') }),
    block: BlockPositionSchemaV3,
  },
  { title: 'FtTransfer' },
);

type EventRow = RowOf<typeof FT_EVENTS, 'tx' | 'event_index'>;

/** A page of the transfers, mints and burns of a token, the newest first: a seek. */
export const pageOfFtTransfers = (queries: Queries, asset: string, query: CursorQuery): Promise<CursorPage<EventRow>> =>
  pageOfEvents<EventRow>(queries, FT_EVENTS_OF, asset, query);

/** Number of transfers, mints and burns of a token, and of those in transactions from a position on. */
export async function countFtTransfers(
  queries: Queries,
  asset: string,
  firstTx: number,
): Promise<{ readonly total: number; readonly since: number }> {
  const list = await findList(queries, FT_EVENTS_OF, asset);
  if (!list) return { total: 0, since: 0 };
  return { total: list.length, since: list.length - (await entriesBelow(queries, FT_EVENTS_OF, list, 'tx', firstTx)) };
}

/** The transfers as they are served, in the order of the rows. */
export async function ftTransfersV3(queries: Queries, rows: readonly EventRow[]) {
  const positions = [...new Set(rows.map(({ tx }) => tx))];
  const eventOf = await eventsNumbered(queries, rows);
  const transactions = await transactionsAt(queries, positions);
  return rows.flatMap(({ tx, event_index }) => {
    const event = eventOf(tx, event_index);
    const transaction = transactions.get(tx);
    if (event?.kind !== 'ft' || transaction === undefined) return [];
    const { sender, recipient, amount } = event;
    const { tx_id, block } = transaction;
    return [{ sender, recipient, amount, transaction: { tx_id, event_index }, block }];
  });
}
