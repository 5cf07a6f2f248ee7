import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { DROPPED_TXS } from '../../../index/mempool/tables.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { recordsOf } from './queries.ts';

type DroppedPosition = RowOf<typeof DROPPED_TXS, 'receipt_time' | 'arrival' | 'tx_id'>;

const ORDER = 'receipt_time DESC, arrival DESC, tx_id DESC';

/**
 * A page of dropped transactions, those received last first, and their number
 * (docs/spec/mempool.md#dropped-transactions). Rows before the page are skipped in an index.
 */
export async function pageOfDropped(
  queries: Queries,
  budget: RowBudget,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly records: readonly string[] }> {
  const total = (await readState(queries)).mempool.dropped;
  if (offset >= total) return { total, records: [] };
  const last = await lastBefore(queries, budget, offset);
  const rows = await after<DroppedPosition>(queries, last, `LIMIT ${limit}`);
  const txIds = rows.map(row => toHex(row.tx_id));
  return { total, records: await recordsOf(queries, txIds) };
}

/** The last one of the first `count` rows; undefined if there are fewer rows. */
async function lastBefore(queries: Queries, budget: RowBudget, count: number): Promise<DroppedPosition | undefined> {
  if (count > 0) budget.require(count);
  let last: DroppedPosition | undefined;
  for (let passed = 0; passed < count; ) {
    const rows = await budget.take(count - passed);
    [last] = await after<DroppedPosition>(queries, last, `LIMIT 1 OFFSET ${rows - 1}`);
    passed += rows;
  }
  return last;
}

function after<R extends DroppedPosition>(
  queries: Queries,
  place: DroppedPosition | undefined,
  limit: string,
): Promise<R[]> {
  const select = 'SELECT receipt_time, arrival, tx_id FROM dropped_txs';
  if (place === undefined) return queries.all<R>(`${select} ORDER BY ${ORDER} ${limit}`);
  return queries.all<R>(`${select} WHERE (receipt_time, arrival, tx_id) < (?, ?, ?) ORDER BY ${ORDER} ${limit}`, [
    place.receipt_time,
    place.arrival,
    place.tx_id,
  ]);
}
