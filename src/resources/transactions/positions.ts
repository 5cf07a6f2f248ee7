import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { fromHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import { allIn } from '../../store/in-list.ts';
import type { RowOf } from '../../store/table.ts';
import { unpackRecord } from './packed-record.ts';
import { ALL_TXS, type TXS } from './tables.ts';

/**
 * Where the first transaction of a unit is in the list of all transactions; the others follow in their order. For
 * projections that run after that of the transactions.
 */
export function firstPositionOf(unit: Unit, workspace: Workspace): number {
  return workspace.lengthOf(ALL_TXS) - unit.block.txs.length;
}

/** Where a canonical transaction is in the list of all transactions; undefined when it is not canonical. */
export async function positionOfTransaction(queries: Queries, txId: string): Promise<number | undefined> {
  const sql = 'SELECT seq FROM txs WHERE tx_id = ? ORDER BY seq DESC LIMIT 1';
  return (await queries.get<RowOf<typeof TXS, 'seq'>>(sql, [fromHex(txId) ?? null]))?.seq;
}

/** The record of a canonical transaction as it is served, by its id (0x, lower case); undefined when it is not canonical. */
export async function canonicalTransaction(queries: Queries, txId: string): Promise<string | undefined> {
  const sql = 'SELECT record FROM txs WHERE tx_id = ? ORDER BY seq DESC LIMIT 1';
  const row = await queries.get<RowOf<typeof TXS, 'record'>>(sql, [fromHex(txId) ?? null]);
  return row && unpackRecord(row.record);
}

/** The records of these transactions as they are served, by position. */
export async function recordsAt(queries: Queries, positions: readonly number[]): Promise<Map<number, string>> {
  const rows = await allIn<RowOf<typeof TXS, 'seq' | 'record'>>(
    queries,
    list => `SELECT seq, record FROM txs WHERE seq IN ${list}`,
    positions,
  );
  return new Map(rows.map(({ seq, record }) => [seq, unpackRecord(record)]));
}

/** The same records in the order of the positions. */
export async function recordsInOrder(queries: Queries, positions: readonly number[]): Promise<string[]> {
  const records = await recordsAt(queries, positions);
  return positions.flatMap(position => records.get(position) ?? []);
}
