import type { Slice } from '../../indexer/lists.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { recordsInOrder } from '../transactions/positions.ts';
import type { TXS } from '../transactions/tables.ts';
import type { Condition } from './matches.ts';

/**
 * A page of the transactions of some types by fee, those of one fee in chain order; `desc` turns both around. An index has each type in
 * this order, which are merged: what is before the page is passed over. @param conditions on the columns of txs (as `t`)
 */
export async function pageByFee(
  queries: Queries,
  types: readonly number[],
  conditions: readonly Condition[],
  { order, limit, offset }: Slice,
): Promise<string[]> {
  const where = ['t.type = ?', ...conditions.map(({ sql }) => sql)].join(' AND ');
  const ofType = `SELECT fee, seq FROM (SELECT t.fee, t.seq FROM txs t WHERE ${where}
    ORDER BY t.fee ${order}, t.seq ${order} ${mostOf(offset + limit)}) AS of_type`;
  const params = types.flatMap(type => [type, ...conditions.flatMap(condition => condition.params)]);
  const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order} LIMIT ? OFFSET ?`,
    [...params, limit, offset],
  );
  return recordsInOrder(
    queries,
    rows.map(({ seq }) => seq),
  );
}

const NEAR = 1024;

/**
 * How much of a type can be on a page that ends here. PostgreSQL merges indexes when it knows that it needs little of each, else it sorts all
 * there is (versions before 18 at least); SQLite sorts what has a limit, and merges what has none. So only the first pages say it. A
 * power of two, so that few statement texts serve all sizes.
 */
const mostOf = (end: number): string => (end > NEAR ? '' : `LIMIT ${2 ** Math.ceil(Math.log2(Math.max(1, end)))}`);
