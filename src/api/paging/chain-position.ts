import type { Span } from '../../base/lib/span.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { countAnchoredTransactions, countBlocks } from '../../index/blocks/canonical-chain.ts';
import type { BLOCKS } from '../../index/blocks/tables.ts';
import { countTransactions } from '../../index/transactions/positions.ts';
import { readIndexInBlock } from '../../index/transactions/stored.ts';
import type { TXS } from '../../index/transactions/tables.ts';
import { horizonOf } from '../../ingest/indexer/horizon.ts';

/** Where a transaction is in the chain, in comparing order. */
export type ChainPosition = readonly [height: number, microblockSequence: number, txIndex: number];

/** The chain positions of these transactions, by position in TXS. */
export async function chainPositionsOf(
  queries: Queries,
  positions: readonly number[],
): Promise<Map<number, ChainPosition>> {
  if (positions.length === 0) return new Map();
  const rows = await queries.all<RowOf<typeof TXS, 'seq' | 'height' | 'record'>>(
    `SELECT seq, height, record FROM txs WHERE seq IN (${positions.map(() => '?').join(', ')})`,
    positions,
  );
  return new Map(rows.map(row => [row.seq, chainPositionOf(row)]));
}

export function chainPositionOf({ height, record }: RowOf<typeof TXS, 'height' | 'record'>): ChainPosition {
  const { microblockSequence, txIndex } = readIndexInBlock(record);
  return [height, microblockSequence, txIndex];
}

/** The number of transactions at a chain position or before it. */
export async function countUpTo(queries: Queries, target: ChainPosition): Promise<number> {
  let { from, to } = await spanOfHeight(queries, target[0]);
  const first = from;
  while (from < to) {
    const probed = probes({ from, to }, first + target[2]);
    const known = await chainPositionsOf(queries, probed);
    for (const position of probed) {
      const found = known.get(position);
      if (found && compareChainPositions(found, target) <= 0) from = position + 1;
      else {
        to = position;
        break;
      }
    }
  }
  return from;
}

/**
 * The transactions of a block to compare, ascending: the middle, so that a few rounds find any; and the ends and the one
 * whose index equals its number in the block, so that one round is usually enough.
 */
function probes({ from, to }: Span, expected: number): number[] {
  const positions = [from, expected, expected + 1, (from + to) >> 1, to - 1];
  return [...new Set(positions)].filter(position => position >= from && position < to).sort((a, b) => a - b);
}

/** Positions of the transactions of a height; those of unanchored microblocks have the height above the tip's. */
export async function spanOfHeight(queries: Queries, height: number): Promise<Span> {
  const horizon = horizonOf(queries);
  if (horizon && height > horizon.height) return { from: horizon.transactions, to: horizon.transactions };
  const row = await queries.get<RowOf<typeof BLOCKS, 'first_tx' | 'tx_rows'>>(
    'SELECT first_tx, tx_rows FROM blocks WHERE seq = ?',
    [height - 1],
  );
  if (row) return { from: row.first_tx, to: row.first_tx + row.tx_rows };
  const tip = await countBlocks(queries);
  if (height <= tip) return { from: 0, to: 0 };
  const count = await countTransactions(queries);
  return { from: height === tip + 1 ? await countAnchoredTransactions(queries) : count, to: count };
}

export const compareChainPositions = (a: ChainPosition, b: ChainPosition): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** The numbers of a cursor of digits and colons. A number above the largest safe integer is beyond every row anyway. */
export const numbersOf = (cursor: string): number[] =>
  cursor.split(':').map(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER));
