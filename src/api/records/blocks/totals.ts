/** Totals of the transactions of a block (docs/spec/blocks.md#totals). */
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import type { CanonicalBlock } from './queries.ts';

const TRANSACTIONS_AT_ONCE = 1000;

/** Size and fees of the transactions of a block. @param budget for each of them */
export async function totalsOf(queries: Queries, { firstTx, txRows }: CanonicalBlock, budget: RowBudget) {
  let [bytes, fees] = [0, 0n];
  const end = firstTx + txRows;
  for (let from = firstTx; from < end; ) {
    const to = from + (await budget.take(Math.min(TRANSACTIONS_AT_ONCE, end - from)));
    const rows = await queries.all<{ readonly fee: FeeColumn; readonly bytes: number }>(
      `SELECT t.fee, ${SIZE_IN_BLOCK} AS bytes FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.seq >= ? AND t.seq < ?`,
      [from, to],
    );
    for (const row of rows) {
      fees += Buffer.from(row.fee).readBigUInt64BE();
      bytes += row.bytes;
    }
    from = to;
  }
  return { transaction_count: txRows, transaction_bytes: bytes, fees: String(fees) };
}

type FeeColumn = RowOf<typeof TXS, 'fee'>['fee'];

/** SQL: the size in its block of a row `b` of TX_BODIES. Operations from Bitcoin take no bytes; the table has a single byte for each. */
export const SIZE_IN_BLOCK = 'CASE WHEN length(b.raw) > 1 THEN length(b.raw) ELSE 0 END';
