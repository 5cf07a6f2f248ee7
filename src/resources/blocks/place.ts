import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { unpackPlace } from '../transactions/packed-record.ts';
import { countTransactions } from '../transactions/queries.ts';
import type { TXS } from '../transactions/tables.ts';
import { countAnchoredTransactions, countBlocks } from './queries.ts';
import type { BLOCKS } from './tables.ts';

/** Where a transaction is in the chain, in comparing order. */
export type Place = readonly [height: number, microblockSequence: number, txIndex: number];

/** The places of these transactions, by position in TXS. */
export async function placesOf(queries: Queries, positions: readonly number[]): Promise<Map<number, Place>> {
  if (positions.length === 0) return new Map();
  const rows = await queries.all<RowOf<typeof TXS, 'seq' | 'height' | 'record'>>(
    `SELECT seq, height, record FROM txs WHERE seq IN (${positions.map(() => '?').join(', ')})`,
    positions,
  );
  return new Map(rows.map(row => [row.seq, placeOf(row)]));
}

export function placeOf({ height, record }: RowOf<typeof TXS, 'height' | 'record'>): Place {
  const { microblockSequence, txIndex } = unpackPlace(record);
  return [height, microblockSequence, txIndex];
}

/** How many transactions are at a place or before it: found by halving the transactions of its block. */
export async function countUpTo(queries: Queries, place: Place): Promise<number> {
  let { from, to } = await spanOfBlock(queries, place[0]);
  while (from < to) {
    const middle = (from + to) >> 1;
    const found = (await placesOf(queries, [middle])).get(middle);
    if (found && comparePlaces(found, place) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Where the transactions of a height are; those of unanchored microblocks have the one above the tip's. */
async function spanOfBlock(queries: Queries, height: number): Promise<{ from: number; to: number }> {
  const tip = await countBlocks(queries);
  if (height > tip) {
    const count = await countTransactions(queries);
    return { from: height === tip + 1 ? await countAnchoredTransactions(queries) : count, to: count };
  }
  const row = await queries.get<RowOf<typeof BLOCKS, 'first_tx' | 'tx_rows'>>(
    'SELECT first_tx, tx_rows FROM blocks WHERE seq = ?',
    [height - 1],
  );
  return row ? { from: row.first_tx, to: row.first_tx + row.tx_rows } : { from: 0, to: 0 };
}

export const comparePlaces = (a: Place, b: Place): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
