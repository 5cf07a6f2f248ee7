import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type EventCounts, readEventCounts } from '../../../index/addresses/stored.ts';
import { ADDRESS_TXS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { version1Text } from '../../../index/transactions/stored.ts';
import { findList, type List, positionsOf } from '../../../ingest/indexer/lists.ts';
import { type OffsetCursorQuery, offsetCursorPage } from '../../paging/offset-cursor-page.ts';
import {
  BLOCK_HASH_OF_T,
  cursorOf,
  cursorsAt,
  positionOfCursor,
  type RowWithPosition,
} from '../../paging/transaction-cursors-v2.ts';
import { slicedEntries } from '../transactions/queries.ts';

/** A transaction of a principal, and the principal's part in it. */
export interface AddressTransaction {
  /** JSON text of the transaction as it is served. */
  readonly record: string;
  readonly sent: string;
  readonly received: string;
  readonly counts: EventCounts;
}

/**
 * A page of the transactions of a principal, newest first, and their true number: a seek, whatever the offset
 * (getAddressTransactionsV2). Throws the ApiError of a cursor that names no such transaction.
 */
export async function transactionsOfAddress(queries: Queries, principal: string, query: OffsetCursorQuery) {
  const list = (await findList(queries, TXS_OF_ADDRESS, principal)) ?? { id: -1, length: 0 };
  const { envelope, rows } = await offsetCursorPage(
    {
      span: { from: 0, to: list.length },
      rows: (first, limit) => entriesDownFrom(queries, list, first, limit),
      numberOf: cursor => positionOfCursor(queries, list, cursor),
      cursorsAt: positions => cursorsAt(queries, list, positions),
      cursorOf,
    },
    query,
  );
  const transactions = rows.map(
    ({ record, sent, received, counts }): AddressTransaction => ({
      record: version1Text(record),
      sent,
      received,
      counts: readEventCounts(counts),
    }),
  );
  return { envelope, transactions };
}

function entriesDownFrom(queries: Queries, list: List, first: number, limit: number) {
  const { from, to } = positionsOf({ order: 'desc', offset: list.length - 1 - first, limit }, list.length);
  // Only the first row needs its block, for the cursor of the page.
  return queries.all<RowWithPosition & RowOf<typeof ADDRESS_TXS, 'sent' | 'received' | 'counts'>>(
    `SELECT t.height, t.record, e.sent, e.received, e.counts,
            CASE WHEN e.seq = ? THEN ${BLOCK_HASH_OF_T} END AS index_block_hash
       FROM ${slicedEntries(ADDRESS_TXS, 'desc', to - from)} e
       JOIN txs t ON t.seq = e.tx ORDER BY e.seq DESC`,
    [first, list.id, from, to],
  );
}
