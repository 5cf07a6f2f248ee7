import type { Queries } from '../../../store/database.ts';
import { recordsInOrder } from '../positions.ts';
import type { Slice } from '../queries.ts';
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
  // PostgreSQL merges only what says its own order.
  const ofType = `SELECT fee, seq FROM (SELECT t.fee, t.seq FROM txs t WHERE ${where}
    ORDER BY t.fee ${order}, t.seq ${order}) AS of_type`;
  const params = types.flatMap(type => [type, ...conditions.flatMap(condition => condition.params)]);
  const rows = await queries.all<{ seq: number }>(
    `${types.map(() => ofType).join(' UNION ALL ')} ORDER BY fee ${order}, seq ${order} LIMIT ? OFFSET ?`,
    [...params, limit, offset],
  );
  return recordsInOrder(
    queries,
    rows.map(({ seq }) => seq),
  );
}
