/** Transactions that other records name, and where they are in the chain. */
import type { Queries } from '../../store/database.ts';
import { allIn } from '../../store/in-list.ts';
import { positionFields } from '../transactions/v3/record.ts';
import { indexHashesOf, type ListedRow, toListed } from './transaction-pages.ts';

/** The transactions of these positions, each with its id and where it is, by position. */
export async function transactionsAt(queries: Queries, positions: Iterable<number>) {
  const sql = (list: string) => `SELECT seq, record FROM txs WHERE seq IN ${list}`;
  const listed = (await allIn<ListedRow>(queries, sql, [...new Set(positions)])).map(toListed);
  const heights = listed.map(({ place }) => place[0]);
  const indexHashOf = await indexHashesOf(queries, heights);
  return new Map(
    listed.map(({ tx, stored, place }) => [
      tx,
      { tx_id: stored.tx_id, ...positionFields(stored, indexHashOf(place[0])) },
    ]),
  );
}
