import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { indexHashesOf, type ListedRow, toListed } from '../blocks/transaction-pages.ts';
import type { TXS } from '../transactions/tables.ts';
import { positionFields } from '../transactions/v3/record.ts';

/** A transaction that set something up, and where it is; undefined for one that is not canonical. */
export async function transactionAt(queries: Queries, tx: number) {
  return transactionOf(queries, await queries.get<ListedRow>('SELECT seq, record FROM txs WHERE seq = ?', [tx]));
}

/** The same by its id. */
export async function transactionOfId(queries: Queries, txId: RowOf<typeof TXS>['tx_id']) {
  const sql = 'SELECT seq, record FROM txs WHERE tx_id = ? ORDER BY seq DESC LIMIT 1';
  return transactionOf(queries, await queries.get<ListedRow>(sql, [txId]));
}

async function transactionOf(queries: Queries, row: ListedRow | undefined) {
  if (!row) return undefined;
  const { stored, place } = toListed(row);
  const indexHashOf = await indexHashesOf(queries, [place[0]]);
  return { tx_id: stored.tx_id, ...positionFields(stored, indexHashOf(place[0])) };
}
