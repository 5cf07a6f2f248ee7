import { fromHex, toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { highestKnownBlock } from '../blocks/queries.ts';
import type { BlockRecord } from '../blocks/record.ts';
import type { ORPHANED_TXS } from '../transactions/orphans.ts';
import { TX_TYPES, type TxType } from '../transactions/tables.ts';

/** A transaction that only orphaned blocks have, and the one of them it is shown in. */
export interface OrphanedTransaction {
  readonly type: TxType;
  readonly block: BlockRecord;
}

/** Blocks of one transaction that are looked at; no chain has as many forks side by side. */
const MAX_BLOCKS = 256;

/**
 * The highest orphaned block that has a transaction; one that only microblocks had is not found. Only for transactions
 * that are not canonical: of those any block here is orphaned.
 */
export async function findOrphaned(queries: Queries, txId: string): Promise<OrphanedTransaction | undefined> {
  const sql = `SELECT block, type FROM orphaned_txs WHERE tx_id = ? ORDER BY block LIMIT ${MAX_BLOCKS}`;
  const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'block' | 'type'>>(sql, [fromHex(txId) ?? null]);
  const block = await highestKnownBlock(
    queries,
    rows.map(row => toHex(row.block)),
  );
  const type = TYPES.find(name => TX_TYPES[name] === rows[0]?.type);
  return block && type && { type, block };
}

const TYPES = Object.keys(TX_TYPES) as TxType[];
