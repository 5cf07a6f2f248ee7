/** Transactions that other records name, and where they are in the chain. */
import type { Queries } from '../../store/database.ts';
import { allIn } from '../../store/in-list.ts';
import type { RowOf } from '../../store/table.ts';
import type { TXS } from '../transactions/tables.ts';
import { positionFields } from '../transactions/v3/record.ts';
import { indexHashesOf, type ListedRow, type ListedTransaction, toListed } from './transaction-pages.ts';

/** A transaction that set something up, and where it is; undefined for one that is not canonical. */
export async function transactionAt(queries: Queries, tx: number) {
  return transactionOf(queries, await queries.get<ListedRow>('SELECT seq, record FROM txs WHERE seq = ?', [tx]));
}

/** The same by its id. */
export async function transactionOfId(queries: Queries, txId: RowOf<typeof TXS>['tx_id']) {
  const sql = 'SELECT seq, record FROM txs WHERE tx_id = ? ORDER BY seq DESC LIMIT 1';
  return transactionOf(queries, await queries.get<ListedRow>(sql, [txId]));
}

/** The same of several positions, by position. */
export async function transactionsAt(queries: Queries, positions: Iterable<number>) {
  const sql = (list: string) => `SELECT seq, record FROM txs WHERE seq IN ${list}`;
  const listed = (await allIn<ListedRow>(queries, sql, [...new Set(positions)])).map(toListed);
  const shown = await placed(queries, listed);
  return new Map(listed.map(({ tx }, i) => [tx, shown[i]]));
}

async function transactionOf(queries: Queries, row: ListedRow | undefined) {
  return row && (await placed(queries, [toListed(row)]))[0];
}

async function placed(queries: Queries, listed: readonly ListedTransaction[]) {
  const heights = listed.map(({ place }) => place[0]);
  const indexHashOf = await indexHashesOf(queries, heights);
  return listed.map(({ stored, place }) => ({
    tx_id: stored.tx_id,
    ...positionFields(stored, indexHashOf(place[0])),
  }));
}
