import { fromHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { endOfTransactions, horizonOf } from '../../ingest/indexer/horizon.ts';
import { countNumbered } from '../../ingest/indexer/lists.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { ALL_TXS, TXS } from './tables.ts';

/** Number of canonical transactions, with those of unanchored microblocks. */
export const countTransactions = async (queries: Queries): Promise<number> =>
  horizonOf(queries)?.transactions ?? countNumbered(queries, TXS);

/**
 * Where the first transaction of a unit is in the list of all transactions; the others follow in their order. For
 * projections that run after that of the transactions.
 */
export function firstPositionOf(unit: Unit, workspace: Workspace): number {
  return workspace.lengthOf(ALL_TXS) - unit.block.txs.length;
}

/** Where a canonical transaction is in the list of all transactions; undefined when it is not canonical. */
export async function positionOfTransaction(queries: Queries, txId: string): Promise<number | undefined> {
  const sql = 'SELECT seq FROM txs WHERE tx_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1';
  return (await queries.get<RowOf<typeof TXS, 'seq'>>(sql, [fromHex(txId) ?? null, endOfTransactions(queries)]))?.seq;
}
