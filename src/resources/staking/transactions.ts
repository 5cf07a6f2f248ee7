import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { transactionsAt } from '../blocks/transaction-places.ts';
import type { TXS } from '../transactions/tables.ts';

/** A transaction that set something up, and where it is; undefined for one that is not canonical. */
export async function transactionAt(queries: Queries, tx: number) {
  return (await transactionsAt(queries, [tx])).get(tx);
}

/** The same by its id. */
export async function transactionOfId(queries: Queries, txId: RowOf<typeof TXS>['tx_id']) {
  const row = await queries.get<RowOf<typeof TXS, 'seq'>>(
    'SELECT seq FROM txs WHERE tx_id = ? ORDER BY seq DESC LIMIT 1',
    [txId],
  );
  return row && transactionAt(queries, row.seq);
}
