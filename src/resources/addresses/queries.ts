import type { Queries } from '../../store/database.ts';
import { recordsAt } from '../transactions/positions.ts';
import { findList, positionsOf, type Slice } from '../transactions/queries.ts';
import type { EventCounts } from './members.ts';
import { TXS_OF_ADDRESS } from './tables.ts';

/** A transaction of a principal, and the principal's part in it. */
export interface AddressTransaction {
  /** JSON text of the transaction as it is served. */
  readonly record: string;
  readonly sent: string;
  readonly received: string;
  readonly counts: EventCounts;
}

const NO_COUNTS: EventCounts = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** A page of the transactions of a principal and their true number: a seek, whatever the offset (E14). */
export async function transactionsOfAddress(
  queries: Queries,
  principal: string,
  slice: Slice,
): Promise<{ total: number; transactions: AddressTransaction[] }> {
  const list = await findList(queries, TXS_OF_ADDRESS, principal);
  if (!list) return { total: 0, transactions: [] };
  const { from, to } = positionsOf(slice, list.length);
  const entries = await queries.all<{ tx: number; sent: string; received: string; counts: string | null }>(
    `SELECT tx, sent, received, counts FROM address_txs
      WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${slice.order}`,
    [list.id, from, to],
  );
  const records = await recordsAt(
    queries,
    entries.map(entry => entry.tx),
  );
  const transactions = entries.map(({ tx, sent, received, counts }) => ({
    record: records.get(tx) ?? 'null',
    sent,
    received,
    counts: counts === null ? NO_COUNTS : (JSON.parse(counts) as EventCounts),
  }));
  return { total: list.length, transactions };
}
