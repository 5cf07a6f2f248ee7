import { findList, positionsOf, type Slice } from '../../indexer/lists.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { unpackRecord } from '../transactions/packed-record.ts';
import { slicedEntries } from '../transactions/queries.ts';
import type { TXS } from '../transactions/tables.ts';
import type { EventCounts } from './members.ts';
import { type ADDRESS_TXS, TXS_OF_ADDRESS } from './tables.ts';

/** A transaction of a principal, and the principal's part in it. */
export interface AddressTransaction {
  /** JSON text of the transaction as it is served. */
  readonly record: string;
  readonly sent: string;
  readonly received: string;
  readonly counts: EventCounts;
}

const NO_COUNTS: EventCounts = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** A page of the transactions of a principal and their true number: a seek, whatever the offset (getAddressTransactions). */
export async function transactionsOfAddress(
  queries: Queries,
  principal: string,
  slice: Slice,
): Promise<{ total: number; transactions: AddressTransaction[] }> {
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  if (!list) return { total: 0, transactions: [] };
  const { from, to } = positionsOf(slice, list.length);
  const rows = await queries.all<
    RowOf<typeof TXS, 'record'> & RowOf<typeof ADDRESS_TXS, 'sent' | 'received' | 'counts'>
  >(
    `SELECT t.record, e.sent, e.received, e.counts FROM ${slicedEntries('address_txs', slice.order, to - from)} e
      JOIN txs t ON t.seq = e.tx ORDER BY e.seq ${slice.order}`,
    [list.id, from, to],
  );
  const transactions = rows.map(({ record, sent, received, counts }) => ({
    record: unpackRecord(record),
    sent,
    received,
    counts: counts === null ? NO_COUNTS : (JSON.parse(counts) as EventCounts),
  }));
  return { total: list.length, transactions };
}
