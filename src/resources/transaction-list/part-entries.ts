import { positionsOf, type Slice } from '../../indexer/lists.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { type RecordRow, records, slicedEntries } from '../transactions/queries.ts';
import type { LIST_TXS } from '../transactions/tables.ts';
import type { ListPart } from './list-parts.ts';

/** The records of a slice of a part of a list. */
export async function recordsOfPart(queries: Queries, part: ListPart, slice: Slice): Promise<string[]> {
  const { from, to } = positionsOf(slice, part.length);
  const entries = slicedEntries('list_txs', slice.order, to - from);
  return records(
    await queries.all<RecordRow>(
      `SELECT t.record FROM ${entries} e JOIN txs t ON t.seq = e.tx ORDER BY e.seq ${slice.order}`,
      [part.list, part.from + from, part.from + to],
    ),
  );
}

/** The transactions that a slice of a part of a list has, by position among all. */
export async function entriesOf(queries: Queries, part: ListPart, slice: Slice): Promise<number[]> {
  const { from, to } = positionsOf(slice, part.length);
  const rows = await queries.all<RowOf<typeof LIST_TXS, 'tx'>>(
    `SELECT tx FROM list_txs WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq ${slice.order}`,
    [part.list, part.from + from, part.from + to],
  );
  return rows.map(({ tx }) => tx);
}
