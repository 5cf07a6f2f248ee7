/** Transactions that other records refer to, and their places in the chain. */
import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import { indexHashesOf, type ListedRow, type ListedTransaction, toListed } from './pages-v3.ts';
import { positionFieldsV3 } from './record-v3.ts';

/** The transactions of these positions, in any order. */
export async function listedAt(queries: Queries, positions: Iterable<number>): Promise<ListedTransaction[]> {
  const sql = (list: string) => `SELECT seq, record FROM txs WHERE seq IN ${list}`;
  return (await allIn<ListedRow>(queries, sql, [...new Set(positions)])).map(toListed);
}

/** The transactions of these positions, each with its id and where it is, by position. */
export const transactionsAt = async (queries: Queries, positions: Iterable<number>) =>
  placesOf(queries, await listedAt(queries, positions));

/** Their ids and where they are, by position. */
export async function placesOf(queries: Queries, listed: readonly ListedTransaction[]) {
  const heights = listed.map(({ place }) => place[0]);
  const indexHashOf = await indexHashesOf(queries, heights);
  return new Map(
    listed.map(({ tx, stored, place }) => [
      tx,
      { tx_id: stored.txId, ...positionFieldsV3(stored, indexHashOf(place[0])) },
    ]),
  );
}

/** The id and place of the transaction that created a record; undefined if it is not canonical. */
export async function transactionAt(queries: Queries, tx: number) {
  return (await transactionsAt(queries, [tx])).get(tx);
}

/** The same by their ids, which are the keys too, as 0x hex; of one that the chain has twice, the last. */
export async function transactionsOfIds(queries: Queries, txIds: readonly Uint8Array[]) {
  const rows = await allIn<RowOf<typeof TXS, 'seq' | 'tx_id'>>(
    queries,
    list => `SELECT seq, tx_id FROM txs WHERE tx_id IN ${list}`,
    txIds,
  );
  const end = endOfTransactions(queries);
  const shown = rows.filter(({ seq }) => seq < end);
  const positions = new Map(shown.sort((a, b) => a.seq - b.seq).map(({ seq, tx_id }) => [toHex(tx_id), seq]));
  const places = await transactionsAt(queries, positions.values());
  return new Map([...places.values()].map(place => [place.tx_id, place]));
}

/** The same by its id. */
export async function transactionOfId(queries: Queries, txId: RowOf<typeof TXS>['tx_id']) {
  const row = await queries.get<RowOf<typeof TXS, 'seq'>>(
    'SELECT seq FROM txs WHERE tx_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
    [txId, endOfTransactions(queries)],
  );
  return row && transactionAt(queries, row.seq);
}
