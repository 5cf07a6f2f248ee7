import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { EventCounts } from '../../../index/addresses/members.ts';
import { ADDRESS_TXS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { version1Text } from '../../../index/transactions/stored.ts';
import { findList, positionsOf, type Slice } from '../../../ingest/indexer/lists.ts';
import { slicedEntries } from '../transactions/queries.ts';
import { BLOCK_HASH_OF_T, cursorOf, cursorsAt, type PlacedRow, positionOfCursor } from './cursors-v2.ts';

/** A transaction of a principal, and the principal's part in it. */
export interface AddressTransaction {
  /** JSON text of the transaction as it is served. */
  readonly record: string;
  readonly sent: string;
  readonly received: string;
  readonly counts: EventCounts;
}

const NO_COUNTS: EventCounts = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** A page of the transactions of a principal, and where others begin. */
interface AddressTransactions {
  readonly total: number;
  readonly transactions: readonly AddressTransaction[];
  /** Of the page nearer the tip, if it is a full one; else null. */
  readonly next: string | null;
  /** Of the page nearer genesis. */
  readonly previous: string | null;
  /** Of this page: its first transaction. */
  readonly cursor: string | null;
}

const NOTHING: AddressTransactions = { total: 0, transactions: [], next: null, previous: null, cursor: null };

/**
 * A page of the transactions of a principal, newest first, and their true number: a seek, whatever the offset
 * (getAddressTransactions).
 * @param cursor where the offset counts from, in place of the newest. For a cursor that names no transaction the result
 * is undefined.
 */
export async function transactionsOfAddress(
  queries: Queries,
  principal: string,
  { offset, limit, cursor }: { readonly offset: number; readonly limit: number; readonly cursor?: string },
): Promise<AddressTransactions | undefined> {
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  if (!list) return cursor === undefined ? NOTHING : undefined;
  const anchor = cursor === undefined ? list.length - 1 : await positionOfCursor(queries, list, cursor);
  if (anchor === undefined || (cursor !== undefined && offset > anchor)) return undefined;
  const first = anchor - offset;
  const slice: Slice = { order: 'desc', offset: list.length - 1 - first, limit };
  const { from, to } = positionsOf(slice, list.length);
  const rows = await queries.all<PlacedRow & RowOf<typeof ADDRESS_TXS, 'sent' | 'received' | 'counts'>>(
    `SELECT t.height, t.record, e.sent, e.received, e.counts,
            CASE WHEN e.seq = ? THEN ${BLOCK_HASH_OF_T} END AS index_block_hash
       FROM ${slicedEntries(ADDRESS_TXS, slice.order, to - from)} e
       JOIN txs t ON t.seq = e.tx ORDER BY e.seq ${slice.order}`,
    [first, list.id, from, to],
  );
  const [newest] = rows;
  const neighbours = [first + limit, first - limit] as const;
  const [next, previous] = first < 0 ? [null, null] : await cursorsAt(queries, list, neighbours);
  return {
    total: list.length,
    transactions: rows.map(({ record, sent, received, counts }) => ({
      record: version1Text(record),
      sent,
      received,
      counts: counts === null ? NO_COUNTS : (JSON.parse(counts) as EventCounts),
    })),
    next,
    previous,
    cursor: newest ? cursorOf(newest) : next, // an empty page: the next one begins where it does
  };
}
