import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { RAW_TXS } from '../../../index/transactions/tables.ts';

/** The bytes of a transaction, whatever became of it, as 0x hex. */
export async function rawTransaction(queries: Queries, txId: string): Promise<string | undefined> {
  const id = fromHex(txId) ?? null;
  const row = await queries.get<RowOf<typeof RAW_TXS, 'raw'>>(
    `SELECT b.raw FROM txs t JOIN tx_bodies b ON b.seq = t.seq WHERE t.tx_id = ?
      UNION ALL SELECT raw FROM raw_txs WHERE tx_id = ? LIMIT 1`,
    [id, id],
  );
  return row && toHex(row.raw);
}
