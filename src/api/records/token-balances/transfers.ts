import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { TOKEN_BALANCES, TOKEN_CHANGES } from '../../../index/token-balances/tables.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import type { CursorPage, CursorQuery } from '../../paging/cursor-page.ts';
import { type EventPlace, eventCursor, type IsListed, startOfEventCursor } from '../../paging/event-cursors.ts';
import { seekPage } from '../../paging/seek-page.ts';

const OLDEST: EventPlace = { tx: -1, event_index: 0 };

/**
 * A page of the events that moved a fungible token to or from a principal, the newest first. It seeks, so deep pages are not slower. A transfer to itself is one row.
 * @param of.asset asset identifier
 */
export async function pageOfPrincipalFtTransfers(
  queries: Queries,
  budget: RowBudget,
  { principal, asset }: { readonly principal: string; readonly asset: string },
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<EventPlace>> {
  const balance = await queries.get<RowOf<typeof TOKEN_BALANCES, 'number' | 'changes'>>(
    `SELECT number, changes FROM token_balances WHERE principal = ? AND kind = 'ft' AND token = ?`,
    [principal, asset],
  );
  const { number, changes } = balance ?? { number: -1, changes: 0 };
  const end = endOfTransactions(queries);
  const read = (where: string, order: 'ASC' | 'DESC', at: EventPlace, rows: number) =>
    queries.all<RowOf<typeof TOKEN_CHANGES, 'tx' | 'event_index'>>(
      `SELECT tx, event_index FROM token_changes WHERE balance = ? AND (tx, event_index) ${where} (?, ?) AND tx < ?
        ORDER BY tx ${order}, event_index ${order} LIMIT ?`,
      [number, at.tx, at.event_index, end, rows],
    );
  const isListed: IsListed = async (tx, last) => {
    const sql = 'SELECT 1 AS one FROM token_changes WHERE balance = ? AND tx = ? AND event_index <= ? LIMIT 1';
    return (await queries.get(sql, [number, tx, last])) !== undefined;
  };
  const start =
    cursor === undefined ? { tx: end, event_index: 0 } : await startOfEventCursor(queries, cursor, isListed);
  return seekPage<EventPlace>(
    {
      total: changes - (await changesFrom(queries, budget, number, end)),
      cursor: row => eventCursor(queries, row),
      from: rows => read('<=', 'DESC', start, rows),
      before: (row, rows) => read('>', 'ASC', row ?? OLDEST, rows),
    },
    limit,
  );
}

const CHANGES_AT_ONCE = 1000;

/** The number of changes of a balance by transactions from a position on. */
async function changesFrom(queries: Queries, budget: RowBudget, number: number, end: number): Promise<number> {
  if (end === Number.MAX_SAFE_INTEGER) return 0;
  let count = 0;
  for (let last: EventPlace | undefined = { tx: end, event_index: -1 }; last !== undefined; ) {
    const limit = await budget.take(CHANGES_AT_ONCE);
    const rows: readonly EventPlace[] = await queries.all<RowOf<typeof TOKEN_CHANGES, 'tx' | 'event_index'>>(
      `SELECT tx, event_index FROM token_changes WHERE balance = ? AND (tx, event_index) > (?, ?)
        ORDER BY tx, event_index LIMIT ?`,
      [number, last.tx, last.event_index, limit],
    );
    count += rows.length;
    last = rows.length < limit ? undefined : rows.at(-1);
  }
  return count;
}
